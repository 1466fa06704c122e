// Exact cosine top-M (design: Maths 1) by scoring every float32 row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "execution.h"
#include "matrix.h"
#include "status.h"
#include "top_m.h"

namespace skillspan {

// The m rows of highest cosine for each query, best first, ties to the lower row. Rows are ranked
// by a blocked float32 scan and the m kept ones scored again in float64, which fixes their order.
// Needs 1 <= m <= index.rows() and queries.dim() == index.dim(). Answers kCancelled or kOk.
Status scan(const Matrix& index, const Matrix& queries, size_t m, const Execution& execution,
            std::vector<std::vector<Scored>>* hits);

}  // namespace skillspan
