// Exact cosine top-M (design: Maths 1), by whichever way is fastest for these vectors, queries and
// filters. All ways give the same answer.
#pragma once

#include <memory>
#include <vector>

#include "allowed.h"
#include "execution.h"
#include "snapshot.h"
#include "top_m.h"

namespace skillspan {

struct SearchOptions {
  std::vector<size_t> m;                   // one a query, each at least 1
  std::shared_ptr<const Allowed> allowed;  // null: every id
};

// The same m for all queries.
inline SearchOptions top_of_each(const Matrix& queries, size_t m,
                                 std::shared_ptr<const Allowed> allowed = nullptr) {
  return {std::vector<size_t>(queries.rows(), m), std::move(allowed)};
}

// For each query its m ids of highest cosine, or as many as there are: best first, ties to the
// lower id. Needs queries of the index's dim. Answers kCancelled or kOk.
Status search(const Snapshot& snapshot, const Matrix& queries, const SearchOptions& options,
              const Execution& execution, std::vector<std::vector<Scored>>* hits);

// The cosine of each query with each of these ids, query by query, as search() would score them;
// NaN for an id that is not there.
std::vector<double> scores_for(const Snapshot& snapshot, const Matrix& queries,
                               const std::vector<uint32_t>& ids);

}  // namespace skillspan
