// Exact top-M through compact codes: scan the codes, bound every row, and read only the float32
// rows that the bounds cannot rule out (quantized.h has the bound). Nothing is left to chance: the
// answer is that of the float64 scan.
//
//   1. Score all rows by their codes, coarse or fine (level_choice.h), and bound each from above.
//   2. Score the m best of them exactly. The m-th exact score, tau, is a lower bound of the
//   answer's.
//   3. Of all rows whose upper bound reaches tau, bound again with the fine codes (if 1. was
//   coarse).
//   4. Score the rest exactly, best first, raising tau on the way.
#pragma once

#include <vector>

#include "execution.h"
#include "index.h"
#include "top_m.h"

namespace skillspan {

// One query, 1 <= m <= rows; index.codes must not be empty. Uses all threads of the execution.
Status two_level_search(const Index& index, const Matrix& queries, size_t q, size_t m,
                        const Execution& execution, std::vector<Scored>* hits);

// The share of rows that survive the coarse codes, guessed from what requests may look like.
float coarse_survivors(const Index& index);

}  // namespace skillspan
