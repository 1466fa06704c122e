// Exact top-M for many queries at once: the codes of rows and queries multiplied as two blocked
// integer matrices, so that up to 64 queries share each pass over the rows, with bounds as in
// two_level.h.
//
//   1. A stretch of rows that fits the second-level cache is multiplied with 64 queries of 8 bits.
//   2. Pairs whose upper bound reaches the query's running threshold are bounded again from the
//   same
//      codes with the query in 15 bits, while they are still in the cache. The threshold is the
//      m-th best lower bound so far.
//   3. What still reaches the final threshold is scored exactly.
#pragma once

#include <vector>

#include "execution.h"
#include "row_mask.h"
#include "top_m.h"

namespace skillspan {

// Whether this machine has the kernel for it and there are queries enough to fill it.
bool batch_pays(size_t n_queries);

// Offers each query's best rows of the scope to its entry in `exact`, whose threshold counts from
// the start. The segment must have codes. Answers kCancelled or kOk.
Status batch_search(const Scope& scope, const Matrix& queries, const Execution& execution,
                    std::vector<TopM>* exact);

}  // namespace skillspan
