#include "search.h"

#include "batch_search.h"
#include "scan.h"
#include "two_level.h"

namespace skillspan {
namespace {

// One query after another on all threads, or each on its own where there are enough of them.
Status search_each(const Index& index, const Matrix& queries, size_t m, const Execution& execution,
                   std::vector<std::vector<Scored>>* hits) {
  const size_t n = queries.rows();
  hits->resize(n);
  if (n < execution.threads()) {
    for (size_t q = 0; q < n; ++q) {
      const Status status = two_level_search(index, queries, q, m, execution, &(*hits)[q]);
      if (!status.ok()) return status;
    }
    return {};
  }
  std::atomic<size_t> next{0};
  const Execution alone{nullptr, execution.cancel};
  const auto work = [&](size_t) {
    for (size_t q; (q = next.fetch_add(1)) < n && !execution.cancelled();)
      two_level_search(index, queries, q, m, alone, &(*hits)[q]);
  };
  spread(execution, n, work);
  return execution.cancelled() ? Status{Code::kCancelled} : Status{};
}

}  // namespace

Status search(const Index& index, const Matrix& queries, size_t m, const Execution& execution,
              std::vector<std::vector<Scored>>* hits) {
  // Bounds rule out little of what is nearly all wanted.
  if (index.codes.empty() || m > index.matrix.rows() / 8)
    return scan(index.matrix, queries, m, execution, hits);
  if (batch_pays(queries.rows())) return batch_search(index, queries, m, execution, hits);
  return search_each(index, queries, m, execution, hits);
}

}  // namespace skillspan
