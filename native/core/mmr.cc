#include "mmr.h"

#include "residual_kernel.h"

namespace skillspan {

void mmr(const Candidates& candidates, double lambda, size_t k, Selection* selection) {
  const size_t m = candidates.size;
  ResidualKernel cosine(candidates, 0);
  std::vector<double> phi(m);
  std::vector<double> penalty(m, 0.0);
  std::vector<char> chosen(m, 0);

  for (size_t t = 0; t < k; ++t) {
    size_t best = m;
    double best_score = 0;
    for (size_t i = 0; i < m; ++i) {
      if (chosen[i]) continue;
      const double score = lambda * candidates.relevance[i] - (1 - lambda) * penalty[i];
      if (best == m || score > best_score) {
        best = i;
        best_score = score;
      }
    }
    chosen[best] = 1;
    selection->order.push_back(uint32_t(best));
    selection->gains.push_back(best_score);
    cosine.row(best, chosen, phi.data());
    for (size_t i = 0; i < m; ++i) {
      if (chosen[i]) continue;
      const double similarity = 2 * phi[i] - 1;
      if (t == 0 || similarity > penalty[i]) penalty[i] = similarity;
      selection->note_overlap(i, best, phi[i]);
    }
  }
}

}  // namespace skillspan
