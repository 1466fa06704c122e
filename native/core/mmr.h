// Maximal marginal relevance (Carbonell and Goldstein 1998), the reranker most people compare with:
//   next = argmax_i  lambda relevance_i - (1 - lambda) max_{j chosen} cos(e_i, e_j).
#pragma once

#include "residual_kernel.h"
#include "selection.h"

namespace skillspan {

// Chooses exactly k candidates (k <= M); lambda in [0, 1] weighs relevance against novelty. The
// gain of a choice is its objective, with a penalty of 0 for the first. cosine: a kernel with
// lambda 0.
void mmr(ResidualKernel& cosine, const double* relevance, double lambda, size_t k,
         Selection* selection);

}  // namespace skillspan
