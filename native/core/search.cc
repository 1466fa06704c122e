#include "search.h"

#include <algorithm>

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
  const size_t n = scope.segment.rows(), m = exact->front().capacity();
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
  std::vector<TopM> exact(queries.rows(), TopM(std::min(options.m, snapshot.size())));
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

}  // namespace skillspan
