// Fast greedy MAP of a determinantal point process (Chen, Zhang, Zhou 2018, algorithm 1), with the
// qualities kept apart from the kernel so that nothing underflows:
//   L_ij = q_i phi_ij q_j,  log det L_S = sum_S 2 log q_i + log det phi_S,
// hence the marginal gain of i is 2 log q_i + log d_i^2, d_i^2 the conditional variance of i under
// phi given the chosen set (grouped_factor.h).
//
// Evaluated lazily (Minoux 1978): log det is submodular, so a gain only falls as the set grows, in
// floating point too, since each column subtracts a square. A gain computed earlier is therefore an
// upper bound, and a candidate whose bound does not reach the top is never touched again. The
// choices are those of the eager algorithm; with sharp qualities most kernel entries are never
// needed.
#pragma once

#include "residual_kernel.h"
#include "selection.h"

namespace skillspan {

// A candidate whose conditional variance falls below this is redundant: it adds no new direction.
constexpr double kRedundancyFloor = 1e-9;

// Fills selection->order and ->gains with at most k candidates, fewer where only redundant ones or
// ones of quality 0 remain. by_quality: every candidate by quality, ties to the lower one. At worst
// O(k M d + k^2 M).
void greedy_map(const ResidualKernel& kernel, const double* log_quality,
                const std::vector<uint32_t>& by_quality, size_t k, Selection* selection);

}  // namespace skillspan
