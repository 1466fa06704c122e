#include "batch_search.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "exact.h"
#include "query_codes.h"

namespace skillspan {
namespace {

// Rows multiplied at a time: their codes and those of 64 queries share the second-level cache.
constexpr size_t kStretch = 384;
// A panel costs the same however few queries it has; up to here two_level.h takes less.
constexpr size_t kMinQueries = 16;

// What one thread knows about one query.
struct Progress {
  TopM lower;                      // the m best lower bounds
  std::vector<Scored> candidates;  // rows by upper bound
};

// 64 queries, packed for the panel kernel; those beyond the last are zeros that reach nothing.
class Panel {
 public:
  // exact: an entry a query; what these have found already need not be found again.
  Panel(const Scope& scope, const Matrix& queries, size_t first, const TopM* exact)
      : mask_(scope.mask),
        codes_(scope.segment.codes),
        n_(std::min(kPanelQueries, queries.rows() - first)),
        packed_(kPanelQueries * codes_.stride(), 128) {
    for (size_t q = 0; q < n_; ++q) {
      encoded_.push_back(std::make_unique<EncodedQuery>(queries.row(first + q),
                                                        scope.segment.matrix.dim(), codes_));
      known_[q] = rounded_down(exact[q].threshold());
      const BoundTerms terms = encoded_[q]->high_terms();
      factor_[q] = terms.factor;
      offset_[q] = terms.base + terms.slack;
      const QueryCodes& query = encoded_[q]->codes();
      for (size_t t = 0; t < codes_.stride(); ++t)
        packed_[kPanelQueries * (t / 4 * 4) + 4 * q + t % 4] = query.high_unsigned[t];
    }
  }

  size_t size() const { return n_; }

  // Steps 1 and 2 for rows first to first + n - 1, n <= kStretch.
  void work_through(size_t first, size_t n, std::vector<Progress>* progress) const {
    if (!mask_.any(first, n)) return;
    float wanted[kPanelQueries];
    for (size_t q = 0; q < kPanelQueries; ++q)
      wanted[q] = q < n_ ? rounded_down(threshold(q, (*progress)[q]) - offset_[q]) : INFINITY;
    uint64_t reaching[kStretch];
    const CodeScales& scales = codes_.fine_scales();
    active_code_kernels().panel(
        codes_.fine(first),
        {scales.scale.data() + first, scales.residual.data() + first, codes_.fine_sums() + first},
        n, codes_.stride(), packed_.data(), factor_, wanted, reaching);
    std::vector<uint32_t> rows[kPanelQueries];
    for (size_t i = 0; i < n; ++i)
      for (uint64_t bits = mask_.has(first + i) ? reaching[i] : 0, q = 0; bits != 0;
           bits >>= 1, ++q)
        if (bits & 1) rows[q].push_back(uint32_t(first + i));
    for (size_t q = 0; q < n_; ++q) refine(rows[q], q, &(*progress)[q]);
  }

 private:
  double threshold(size_t q, const Progress& progress) const {
    return std::max<double>(known_[q], progress.lower.threshold());
  }

  void refine(const std::vector<uint32_t>& rows, size_t q, Progress* progress) const {
    for (size_t at = 0; at < rows.size(); at += kBoundRows) {
      const size_t n = std::min(kBoundRows, rows.size() - at);
      float scores[kBoundRows], uppers[kBoundRows];
      bound_rows(codes_, *encoded_[q], rows.data() + at, n, scores, uppers);
      for (size_t i = 0; i < n; ++i) {
        if (!(uppers[i] >= threshold(q, *progress))) continue;
        progress->lower.offer({2 * double(scores[i]) - uppers[i], rows[at + i]});
        progress->candidates.push_back({uppers[i], rows[at + i]});
      }
    }
  }

  const RowMask& mask_;
  const Quantized& codes_;
  size_t n_;
  std::vector<std::unique_ptr<EncodedQuery>> encoded_;
  std::vector<uint8_t> packed_;
  float known_[kPanelQueries] = {};
  float factor_[kPanelQueries] = {};
  float offset_[kPanelQueries] = {};
};

// Step 3 for one query: what all threads found, the best first, so that the exact threshold rises
// early.
void finish(const Segment& segment, const Matrix& queries, size_t query,
            const std::vector<std::vector<Progress>>& progress, size_t q, TopM* exact) {
  TopM lower(exact->capacity());
  for (const auto& slot : progress) lower.merge(slot[q].lower);
  const std::vector<uint32_t> best = lower.ids();
  score_exactly(segment, queries, query, best, exact);
  const float threshold = rounded_down(exact->threshold());
  std::vector<uint32_t> rest;
  for (const auto& slot : progress)
    for (const Scored& candidate : slot[q].candidates)
      if (candidate.score >= threshold &&
          !std::binary_search(best.begin(), best.end(), candidate.id))
        rest.push_back(candidate.id);
  score_exactly(segment, queries, query, rest, exact);
}

}  // namespace

bool batch_pays(size_t n_queries) {
  return active_code_kernels().panel != nullptr && n_queries >= kMinQueries;
}

Status batch_search(const Scope& scope, const Matrix& queries, const Execution& execution,
                    std::vector<TopM>* exact) {
  const size_t n_rows = scope.segment.rows();
  const size_t threads = std::min(execution.threads(), (n_rows + kStretch - 1) / kStretch);
  for (size_t first = 0; first < queries.rows(); first += kPanelQueries) {
    const Panel panel(scope, queries, first, exact->data() + first);
    std::vector<Progress> none;
    for (size_t q = 0; q < panel.size(); ++q)
      none.push_back({TopM((*exact)[first + q].capacity()), {}});
    std::vector<std::vector<Progress>> progress(threads, none);
    std::atomic<size_t> next_row{0};
    const auto work_through = [&](size_t slot) {
      for (size_t row; (row = next_row.fetch_add(kStretch)) < n_rows && !execution.cancelled();)
        panel.work_through(row, std::min(kStretch, n_rows - row), &progress[slot]);
    };
    std::atomic<size_t> next_query{0};
    const auto settle = [&](size_t) {
      for (size_t q; (q = next_query.fetch_add(1)) < panel.size() && !execution.cancelled();)
        finish(scope.segment, queries, first + q, progress, q, &(*exact)[first + q]);
    };
    spread(execution, threads, work_through);
    spread(execution, threads, settle);
    if (execution.cancelled()) return {Code::kCancelled};
  }
  return {};
}

}  // namespace skillspan
