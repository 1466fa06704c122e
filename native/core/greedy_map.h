// Fast greedy MAP of a determinantal point process (Chen, Zhang, Zhou 2018, algorithm 1), with the
// qualities kept apart from the kernel so that nothing underflows:
//   L_ij = q_i phi_ij q_j,  log det L_S = sum_S 2 log q_i + log det phi_S,
// hence the marginal gain of i is 2 log q_i + log d_i^2, d_i^2 the conditional variance of i under
// phi given the chosen set. Choosing j updates each d_i^2 by one column of the Cholesky factor.
#pragma once

#include "candidates.h"
#include "residual_kernel.h"
#include "selection.h"

namespace skillspan {

// A candidate whose conditional variance falls below this is redundant: it adds no new direction.
constexpr double kRedundancyFloor = 1e-9;

// Fills selection->order and ->gains with at most k candidates, fewer where only redundant ones or
// ones of quality 0 remain, and ->nearest, ->overlap for all. O(k M d + k^2 M).
void greedy_map(ResidualKernel& kernel, const double* log_quality, size_t k, Selection* selection);

}  // namespace skillspan
