// Exact cosine top-M (design: Maths 1), by whichever way is fastest for this index and these
// queries. All ways give the same answer.
#pragma once

#include <vector>

#include "execution.h"
#include "index.h"
#include "top_m.h"

namespace skillspan {

// The m rows of highest cosine for each query, best first, ties to the lower row.
// Needs 1 <= m <= index.matrix.rows() and queries of the same dim. Answers kCancelled or kOk.
Status search(const Index& index, const Matrix& queries, size_t m, const Execution& execution,
              std::vector<std::vector<Scored>>* hits);

}  // namespace skillspan
