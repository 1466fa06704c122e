#include "two_level.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "exact.h"
#include "query_codes.h"

namespace skillspan {
namespace {

constexpr size_t kStretch = 1024;  // rows bounded at a time; a multiple of 64
constexpr size_t kMinRowsPerThread = 8192;
constexpr size_t kMinSurvivorsPerThread = 1024;
// Queries that share a pass over the codes. Their bounds take 4 bytes a row each.
constexpr size_t kSharing = 16;

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr float kLowest = std::numeric_limits<float>::lowest();  // all but kNever reach it

class TwoLevel {
 public:
  TwoLevel(const Scope& scope, const Matrix& queries, size_t q, TopM* exact)
      : segment_(scope.segment),
        mask_(scope.mask),
        codes_(scope.segment.codes),
        queries_(queries),
        q_(q),
        m_(exact->capacity()),
        query_(queries.row(q), scope.segment.matrix.dim(), scope.segment.codes),
        exact_(exact) {}

  // Makes room for step 1 on so many threads.
  void prepare(bool coarse, size_t threads) {
    coarse_ = coarse;
    upper_.resize(block_padded(segment_.rows()));
    tops_.assign(threads, TopM(m_));
  }

  const QueryCodes& codes() const { return query_.codes(); }

  // Step 1 for n rows from `first` on, n <= kStretch, given the sums over their codes (with room
  // for whole blocks).
  void bound(size_t first, size_t n, const CodeDots& dots, size_t slot) {
    const CodeKernels& kernels = active_code_kernels();
    float scores[kStretch];
    const CodeScales& scales = coarse_ ? codes_.coarse_scales() : codes_.fine_scales();
    float* upper = upper_.data() + first;
    kernels.bounds(dots.high, dots.low, scales.scale.data() + first, scales.inverse.data() + first,
                   scales.residual.data() + first, block_padded(n),
                   coarse_ ? query_.coarse_terms() : query_.fine_terms(), scores, upper);
    if (!mask_.all()) {
      for (size_t i = 0; i < n; ++i)
        if (!mask_.has(first + i)) scores[i] = upper[i] = kNever;
    }
    std::fill(scores + n, scores + block_padded(n), kNever);
    std::fill(upper + n, upper + block_padded(n), kNever);
    TopM& top = tops_[slot];
    uint32_t places[kStretch + kBlockRows];
    const float least = std::max(rounded_down(top.threshold()), kLowest);
    const size_t found = kernels.at_least(scores, block_padded(n), least, places);
    for (size_t i = 0; i < found; ++i) top.offer({scores[places[i]], uint32_t(first) + places[i]});
  }

  void skip(size_t first, size_t n) {
    std::fill_n(upper_.begin() + ptrdiff_t(first), block_padded(n), kNever);
  }

  // Step 2. Leaves -infinity in upper_ for the rows scored exactly.
  void settle_best() {
    TopM& best = tops_[0];
    for (size_t slot = 1; slot < tops_.size(); ++slot) best.merge(tops_[slot]);
    const std::vector<uint32_t> rows = best.ids();
    score_exactly(rows);
    for (uint32_t row : rows) upper_[row] = kNever;
  }

  // The rows whose bound reaches tau.
  std::vector<uint32_t> survivors() const {
    std::vector<uint32_t> rows;
    for (size_t first = 0; first < upper_.size(); first += kStretch) {
      uint32_t places[kStretch + kBlockRows];
      const size_t n = std::min(kStretch, upper_.size() - first);
      const size_t found = active_code_kernels().at_least(upper_.data() + first, n,
                                                          std::max(tau(), kLowest), places);
      for (size_t i = 0; i < found; ++i) rows.push_back(uint32_t(first) + places[i]);
    }
    return rows;
  }

  // Steps 2 to 4.
  void finish(const Execution& execution) {
    settle_best();
    std::vector<uint32_t> rows = survivors();
    if (coarse_) {
      segment_.levels->learn(float(rows.size()) / float(segment_.rows()));
      rows = rule_out(rows, execution);
    }
    score_exactly(rows);
  }

  // Steps 3 and 4 for the mask's rows.
  void finish_from(const std::vector<uint32_t>& rows, const Execution& execution) {
    score_exactly(rule_out(rows, execution));
  }

 private:
  float tau() const { return rounded_down(exact_->threshold()); }

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
    const float before = tau();
    std::atomic<size_t> next{0};
    const auto work = [&](size_t slot) {
      for (size_t at; (at = next.fetch_add(kBoundRows)) < rows.size();) {
        const size_t n = std::min(kBoundRows, rows.size() - at);
        float scores[kBoundRows], uppers[kBoundRows];
        bound_rows(codes_, query_, rows.data() + at, n, scores, uppers);
        for (size_t i = 0; i < n; ++i) {
          if (!(uppers[i] >= before)) continue;
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
    const float after = tau();
    std::vector<uint32_t> rest;
    for (const Found& part : found)
      for (const Scored& row : part.bounded)
        if (row.score >= after && !std::binary_search(first.begin(), first.end(), row.id))
          rest.push_back(row.id);
    return rest;
  }

  void score_exactly(const std::vector<uint32_t>& rows) {
    skillspan::score_exactly(segment_, queries_, q_, rows, exact_);
  }

  const Segment& segment_;
  const RowMask& mask_;
  const Quantized& codes_;
  const Matrix& queries_;
  size_t q_;
  size_t m_;
  bool coarse_ = false;
  EncodedQuery query_;
  std::vector<float> upper_;
  std::vector<TopM> tops_;  // the best scores from codes, one entry a thread
  TopM* exact_;
};

using Group = std::vector<std::unique_ptr<TwoLevel>>;

Group group_of(const Scope& scope, const Matrix& queries, size_t first, std::vector<TopM>* exact) {
  Group group;
  for (size_t q = first; q < std::min(first + kSharing, queries.rows()); ++q)
    group.push_back(std::make_unique<TwoLevel>(scope, queries, q, &(*exact)[q]));
  return group;
}

// Sums over the codes of n rows from `first` on, for all queries of a group at once or for one.
struct Sums {
  std::vector<int32_t> high, low;
  std::vector<int32_t*> outs;
  std::vector<const QueryCodes*> queries;

  explicit Sums(const Group& group) : high(group.size() * kStretch), low(kStretch, 0) {
    for (size_t i = 0; i < group.size(); ++i) {
      outs.push_back(high.data() + i * kStretch);
      queries.push_back(&group[i]->codes());
    }
  }
};

void bound_stretch(const Quantized& codes, const Group& group, bool coarse, size_t first, size_t n,
                   size_t slot, Sums* sums) {
  const CodeKernels& kernels = active_code_kernels();
  if (coarse) {
    // The low codes of a query say less than what coarse codes leave out: they count as zeros.
    kernels.coarse(codes.coarse(first / kBlockRows), block_padded(n) / kBlockRows,
                   sums->queries.data(), group.size(), sums->outs.data());
    for (size_t i = 0; i < group.size(); ++i)
      group[i]->bound(first, n, {sums->outs[i], sums->low.data()}, slot);
    return;
  }
  const int8_t* rows[kStretch];
  for (size_t i = 0; i < n; ++i) rows[i] = codes.fine(first + i);
  const CodeDots dots{sums->high.data(), sums->low.data()};
  for (const auto& search : group) {
    kernels.fine(rows, codes.fine_sums() + first, n, search->codes(), dots);
    search->bound(first, n, dots, slot);
  }
}

// A stretch of codes is read from memory once for all queries of the group.
void bound_all(const Scope& scope, const Group& group, bool coarse, const Execution& execution) {
  const size_t n = scope.segment.rows();
  const size_t threads =
      std::clamp<size_t>(n * group.size() / kMinRowsPerThread, 1, execution.threads());
  for (const auto& search : group) search->prepare(coarse, threads);
  std::atomic<size_t> next{0};
  spread(execution, threads, [&](size_t slot) {
    Sums sums(group);
    for (size_t first; (first = next.fetch_add(kStretch)) < n && !execution.cancelled();) {
      const size_t count = std::min(kStretch, n - first);
      if (scope.mask.any(first, count)) {
        bound_stretch(scope.segment.codes, group, coarse, first, count, slot, &sums);
      } else {
        for (const auto& search : group) search->skip(first, count);
      }
    }
  });
}

// finish(search, execution) for each: one after the other on all threads, or each on its own where
// there are enough of them.
template <typename Finish>
void finish_all(const Group& group, const Execution& execution, const Finish& finish) {
  if (group.size() < execution.threads()) {
    for (const auto& search : group) finish(*search, execution);
    return;
  }
  std::atomic<size_t> next{0};
  const Execution alone{nullptr, execution.cancel};
  spread(execution, group.size(), [&](size_t) {
    for (size_t i; (i = next.fetch_add(1)) < group.size() && !execution.cancelled();)
      finish(*group[i], alone);
  });
}

}  // namespace

Status two_level_search(const Scope& scope, const Matrix& queries, const Execution& execution,
                        std::vector<TopM>* exact) {
  const bool covered = !scope.segment.codes.dithered() || most_wanted(*exact) <= kMaxDithered;
  for (size_t first = 0; first < queries.rows(); first += kSharing) {
    const Group group = group_of(scope, queries, first, exact);
    bound_all(scope, group, covered && scope.segment.levels->coarse_first(), execution);
    if (execution.cancelled()) return {Code::kCancelled};
    finish_all(group, execution,
               [](TwoLevel& search, const Execution& mine) { search.finish(mine); });
  }
  return execution.cancelled() ? Status{Code::kCancelled} : Status{};
}

Status gather_search(const Scope& scope, const Matrix& queries, const Execution& execution,
                     std::vector<TopM>* exact) {
  const std::vector<uint32_t> rows = scope.mask.rows();
  for (size_t first = 0; first < queries.rows(); first += kSharing)
    finish_all(group_of(scope, queries, first, exact), execution,
               [&](TwoLevel& search, const Execution& mine) { search.finish_from(rows, mine); });
  return execution.cancelled() ? Status{Code::kCancelled} : Status{};
}

float coarse_survivors(const Segment& segment) {
  // Sums of few and of many rows: a request may lie in the middle of one thing or between several.
  constexpr size_t kParts[] = {1, 4, 8};
  constexpr size_t kTrials = 9, kTop = 50;
  const Matrix& matrix = segment.matrix;
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
  const RowMask all(n);
  const Scope scope{segment, all};
  std::vector<TopM> exact(kTrials, TopM(std::min(kTop, n)));
  const Group group = group_of(scope, queries, 0, &exact);
  bound_all(scope, group, true, {});
  size_t surviving = 0;
  for (const auto& search : group) {
    search->settle_best();
    surviving += search->survivors().size();
  }
  return float(surviving) / float(n * kTrials);
}

}  // namespace skillspan
