// Choosing k of M candidates by one of four methods.
#pragma once

#include <vector>

#include "candidates.h"
#include "selection.h"
#include "status.h"

namespace skillspan {

enum class Method {
  kDsr,        // greedy MAP on the query-residual kernel
  kDppCosine,  // the same with lambda = 0: a plain cosine kernel
  kMmr,        // maximal marginal relevance
  kTopK,       // relevance alone
};

struct SelectOptions {
  Method method = Method::kDsr;
  size_t k = 10;         // 1 <= k <= M
  double lambda = 0.85;  // kDsr: mixing coefficient; kMmr: weight of relevance; else unused
  bool explain = false;  // whether to find the overlaps
};

// The relevance that a method reads (candidates.h) from qualities q_i >= 0: log q_i for the DPP
// methods, q_i for the others. Answers kInvalidQuality with the first quality that is none.
Status relevance_of(Method method, const double* quality, size_t m, std::vector<double>* relevance);

// The relevance that a method reads where there are only similarities a_i, highest first:
// log q_i = sharpness (a_i - a_0) for the DPP methods, a_i for the others.
double relevance_of(Method method, double similarity, double highest, double sharpness);

// Where a DPP method stops early the shortlist is completed by relevance, ties to the lower
// candidate.
Selection select(const Candidates& candidates, const SelectOptions& options);

}  // namespace skillspan
