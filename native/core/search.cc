#include "search.h"

#include <algorithm>
#include <cmath>

#include "batch_search.h"
#include "exact.h"
#include "scan.h"
#include "two_level.h"

namespace skillspan {
namespace {

// A row fetched on its own costs several times what it costs in a scan.
constexpr size_t kGatherShare = 8;

Status search_scope(const Scope& scope, const Matrix& queries, const Execution& execution,
                    std::vector<TopM>* exact) {
  const size_t n = scope.segment.rows(), m = most_wanted(*exact);
  const bool few = scope.mask.count() <= n / kGatherShare;
  if (scope.segment.codes.empty() || m > scope.mask.count() / kGatherShare) {
    // Bounds rule out little of what is nearly all wanted.
    if (!few) return scan(scope, queries, execution, exact);
    const std::vector<uint32_t> rows = scope.mask.rows();
    for (size_t q = 0; q < queries.rows() && !execution.cancelled(); ++q)
      score_exactly(scope.segment, queries, q, rows, &(*exact)[q]);
    return execution.cancelled() ? Status{Code::kCancelled} : Status{};
  }
  if (few) return gather_search(scope, queries, execution, exact);
  if (batch_pays(queries.rows())) return batch_search(scope, queries, execution, exact);
  return two_level_search(scope, queries, execution, exact);
}

}  // namespace

Status search(const Snapshot& snapshot, const Matrix& queries, const SearchOptions& options,
              const Execution& execution, std::vector<std::vector<Scored>>* hits) {
  std::vector<TopM> exact;
  for (size_t q = 0; q < queries.rows(); ++q)
    exact.push_back(TopM(std::min(options.m[q], snapshot.size())));
  for (const View& view : snapshot.views()) {
    const RowMask mask(view, options.allowed.get());
    if (mask.count() == 0 || exact.empty()) continue;
    const Status status = search_scope({view.segment(), mask}, queries, execution, &exact);
    if (!status.ok()) return status;
  }
  hits->clear();
  for (const TopM& top : exact) hits->push_back(top.sorted());
  return {};
}

std::vector<double> scores_for(const Snapshot& snapshot, const Matrix& queries,
                               const std::vector<uint32_t>& ids) {
  std::vector<size_t> at;  // of the ids that are there
  std::vector<const float*> rows;
  std::vector<double> norms;
  for (size_t i = 0; i < ids.size(); ++i) {
    const Snapshot::Place place = snapshot.locate(ids[i]);
    if (!place.segment) continue;
    at.push_back(i);
    rows.push_back(place.segment->matrix.row(place.row));
    norms.push_back(place.segment->matrix.norm(place.row));
  }
  std::vector<double> scores(queries.rows() * ids.size(), std::nan("")), dots(rows.size());
  for (size_t q = 0; q < queries.rows(); ++q) {
    active_kernels().dot_gather(rows.data(), rows.size(), queries.row(q), queries.stride(),
                                dots.data());
    for (size_t i = 0; i < at.size(); ++i)
      scores[q * ids.size() + at[i]] = dots[i] / (norms[i] * queries.norm(q));
  }
  return scores;
}

}  // namespace skillspan
