// Exact cosine top-M (design: Maths 1) by scoring every float32 row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "execution.h"
#include "row_mask.h"
#include "status.h"
#include "top_m.h"

namespace skillspan {

// Offers each query's best rows of the scope to its entry in `exact`. Rows are ranked by a blocked
// float32 scan, and as many as the entry may keep are scored again in float64, which fixes their
// order. Needs queries.dim() == the segment's. Answers kCancelled or kOk.
Status scan(const Scope& scope, const Matrix& queries, const Execution& execution,
            std::vector<TopM>* exact);

}  // namespace skillspan
