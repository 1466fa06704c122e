// Exact top-M through compact codes: scan the codes, bound every row, and read only the float32
// rows that the bounds cannot rule out (quantized.h has the bound). Nothing is left to chance,
// unless the codes have a dither (dither.h): the answer is that of the float64 scan.
//
//   1. Score all rows by their codes, coarse or fine (level_choice.h), and bound each from above.
//   2. Score the m best of them exactly. The m-th exact score, tau, is a lower bound of the
//   answer's.
//   3. Of all rows whose upper bound reaches tau, bound again with the fine codes (if 1. was
//   coarse).
//   4. Score the rest exactly, best first, raising tau on the way.
//
// Where a mask leaves few rows, it is they that 3. starts from.
#pragma once

#include <vector>

#include "execution.h"
#include "row_mask.h"
#include "top_m.h"

namespace skillspan {

// Offers each query's best rows of the scope to its entry in `exact`, whose threshold counts from
// the start. The segment must have codes. A few queries share each pass over the codes, and all
// threads work on it. Answers kCancelled or kOk.
Status two_level_search(const Scope& scope, const Matrix& queries, const Execution& execution,
                        std::vector<TopM>* exact);

// The same from the mask's rows on, without a scan.
Status gather_search(const Scope& scope, const Matrix& queries, const Execution& execution,
                     std::vector<TopM>* exact);

// The share of rows that survive the coarse codes, guessed from what requests may look like.
float coarse_survivors(const Segment& segment);

}  // namespace skillspan
