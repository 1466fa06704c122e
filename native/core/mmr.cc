#include "mmr.h"

#include <numeric>

namespace skillspan {

void mmr(ResidualKernel& cosine, const double* relevance, double lambda, size_t k,
         Selection* selection) {
  std::vector<uint32_t> left(cosine.size());  // stays sorted, so ties go to the lower candidate
  std::iota(left.begin(), left.end(), 0u);
  std::vector<double> penalty(cosine.size(), 0.0);
  std::vector<double> phi(cosine.size());

  for (size_t t = 0; t < k; ++t) {
    size_t best = 0;
    double best_score = 0;
    for (size_t n = 0; n < left.size(); ++n) {
      const double score = lambda * relevance[left[n]] - (1 - lambda) * penalty[left[n]];
      if (n == 0 || score > best_score) {
        best = n;
        best_score = score;
      }
    }
    const uint32_t chosen = left[best];
    left.erase(left.begin() + std::ptrdiff_t(best));
    selection->order.push_back(chosen);
    selection->gains.push_back(best_score);
    cosine.entries(chosen, left.data(), left.size(), phi.data());
    for (size_t n = 0; n < left.size(); ++n) {
      const double similarity = 2 * phi[n] - 1;
      if (t == 0 || similarity > penalty[left[n]]) penalty[left[n]] = similarity;
    }
  }
}

}  // namespace skillspan
