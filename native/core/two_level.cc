#include "two_level.h"

#include <algorithm>
#include <limits>

#include "exact.h"
#include "query_codes.h"

namespace skillspan {
namespace {

constexpr size_t kStretch = 1024;  // rows bounded at a time; a multiple of kBlockRows
constexpr size_t kMinRowsPerThread = 8192;
constexpr size_t kMinSurvivorsPerThread = 1024;

class TwoLevel {
 public:
  TwoLevel(const Index& index, const Matrix& queries, size_t q, size_t m, bool coarse)
      : index_(index),
        codes_(index.codes),
        queries_(queries),
        q_(q),
        m_(m),
        coarse_(coarse),
        query_(queries.row(q), index.matrix.dim(), index.codes),
        exact_(m) {}

  // Steps 1 and 2. Leaves each row's upper bound in upper_, -infinity for the rows scored exactly.
  bool bound_all(const Execution& execution) {
    const size_t n = index_.matrix.rows();
    upper_.resize((n + kBlockRows - 1) / kBlockRows * kBlockRows);
    const size_t threads = std::clamp<size_t>(n / kMinRowsPerThread, 1, execution.threads());
    std::vector<TopM> tops(threads, TopM(m_));
    std::atomic<size_t> next{0};
    const auto scan = [&](size_t slot) {
      for (size_t first; (first = next.fetch_add(kStretch)) < n;) {
        if (execution.cancelled()) return;
        bound_stretch(first, std::min(kStretch, n - first), &tops[slot]);
      }
    };
    spread(execution, threads, scan);
    if (execution.cancelled()) return false;
    TopM best = tops[0];
    for (size_t slot = 1; slot < threads; ++slot) best.merge(tops[slot]);
    const std::vector<uint32_t> rows = best.ids();
    score_exactly(rows);
    for (uint32_t row : rows) upper_[row] = -std::numeric_limits<float>::infinity();
    return true;
  }

  // The rows whose bound reaches tau.
  std::vector<uint32_t> survivors() const {
    std::vector<uint32_t> rows;
    const float tau = rounded_down(exact_.threshold());
    for (size_t i = 0; i < index_.matrix.rows(); ++i)
      if (upper_[i] >= tau) rows.push_back(uint32_t(i));
    return rows;
  }

  // Steps 3 and 4.
  std::vector<Scored> finish(const Execution& execution) {
    std::vector<uint32_t> rows = survivors();
    if (coarse_) {
      index_.levels->learn(float(rows.size()) / float(index_.matrix.rows()));
      rows = rule_out(rows, execution);
    }
    score_exactly(rows);
    return exact_.sorted();
  }

 private:
  void bound_stretch(size_t first, size_t n, TopM* top) {
    int32_t high[kStretch], low[kStretch];
    float scores[kStretch];
    const CodeKernels& kernels = active_code_kernels();
    const size_t whole = (n + kBlockRows - 1) / kBlockRows * kBlockRows;
    if (coarse_) {
      kernels.coarse(codes_.coarse(first / kBlockRows), whole / kBlockRows, query_.codes(),
                     {high, low});
    } else {
      const int8_t* rows[kStretch];
      for (size_t i = 0; i < n; ++i) rows[i] = codes_.fine(first + i);
      kernels.fine(rows, codes_.fine_sums() + first, n, query_.codes(), {high, low});
      std::fill(high + n, high + whole, 0);
      std::fill(low + n, low + whole, 0);
    }
    const CodeScales& scales = coarse_ ? codes_.coarse_scales() : codes_.fine_scales();
    kernels.bounds(high, low, scales.scale.data() + first, scales.inverse.data() + first,
                   scales.residual.data() + first, whole,
                   coarse_ ? query_.coarse_terms() : query_.fine_terms(), scores,
                   upper_.data() + first);
    double threshold = top->threshold();
    for (size_t i = 0; i < n; ++i) {
      if (scores[i] < threshold) continue;
      top->offer({scores[i], uint32_t(first + i)});
      threshold = top->threshold();
    }
  }

  // Bounds rows by their fine codes and answers those that remain. The best of them are scored on
  // the way, which raises tau for the others.
  std::vector<uint32_t> rule_out(const std::vector<uint32_t>& rows, const Execution& execution) {
    struct Found {
      TopM best;
      std::vector<Scored> bounded;  // by upper bound
    };
    const size_t threads =
        std::clamp<size_t>(rows.size() / kMinSurvivorsPerThread, 1, execution.threads());
    std::vector<Found> found(threads, Found{TopM(m_), {}});
    float tau = rounded_down(exact_.threshold());
    std::atomic<size_t> next{0};
    const auto work = [&](size_t slot) {
      for (size_t at; (at = next.fetch_add(kBoundRows)) < rows.size();) {
        const size_t n = std::min(kBoundRows, rows.size() - at);
        float scores[kBoundRows], uppers[kBoundRows];
        bound_rows(codes_, query_, rows.data() + at, n, scores, uppers);
        for (size_t i = 0; i < n; ++i) {
          if (uppers[i] < tau) continue;
          found[slot].best.offer({scores[i], rows[at + i]});
          found[slot].bounded.push_back({uppers[i], rows[at + i]});
        }
      }
    };
    spread(execution, threads, work);

    TopM best(m_);
    for (const Found& part : found) best.merge(part.best);
    const std::vector<uint32_t> first = best.ids();
    score_exactly(first);
    tau = rounded_down(exact_.threshold());
    std::vector<uint32_t> rest;
    for (const Found& part : found)
      for (const Scored& row : part.bounded)
        if (row.score >= tau && !std::binary_search(first.begin(), first.end(), row.id))
          rest.push_back(row.id);
    return rest;
  }

  void score_exactly(const std::vector<uint32_t>& rows) {
    skillspan::score_exactly(index_.matrix, queries_, q_, rows, &exact_);
  }

  const Index& index_;
  const Quantized& codes_;
  const Matrix& queries_;
  size_t q_;
  size_t m_;
  bool coarse_;
  EncodedQuery query_;
  std::vector<float> upper_;
  TopM exact_;
};

}  // namespace

Status two_level_search(const Index& index, const Matrix& queries, size_t q, size_t m,
                        const Execution& execution, std::vector<Scored>* hits) {
  TwoLevel search(index, queries, q, m, index.levels->coarse_first());
  if (!search.bound_all(execution)) return {Code::kCancelled};
  *hits = search.finish(execution);
  return {};
}

float coarse_survivors(const Index& index) {
  // Sums of few and of many rows: a request may lie in the middle of one thing or between several.
  constexpr size_t kParts[] = {1, 4, 8};
  constexpr size_t kTrials = 9, kTop = 50;
  const Matrix& matrix = index.matrix;
  const size_t n = matrix.rows(), dim = matrix.dim();
  std::vector<float> sums(kTrials * dim, 0);
  for (size_t trial = 0; trial < kTrials; ++trial) {
    for (size_t part = 0; part < kParts[trial % 3]; ++part) {
      const float* row = matrix.row((n * trial / kTrials + n * part / 8) % n);
      for (size_t t = 0; t < dim; ++t) sums[trial * dim + t] += row[t];
    }
  }
  Matrix queries;
  if (!Matrix::copy_normalised(sums.data(), kTrials, dim, &queries).ok()) return 0;
  size_t surviving = 0;
  for (size_t trial = 0; trial < kTrials; ++trial) {
    TwoLevel search(index, queries, trial, std::min(kTop, n), true);
    search.bound_all({});
    surviving += search.survivors().size();
  }
  return float(surviving) / float(n * kTrials);
}

}  // namespace skillspan
