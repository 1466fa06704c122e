#include "greedy_map.h"

#include <cmath>
#include <limits>

namespace skillspan {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
// Gains closer than this are equal up to rounding, and ties go to the lower index.
constexpr double kTie = 1e-12;

// The candidate of highest gain, or `gain.size()` when none can be chosen.
size_t argmax(const std::vector<double>& gain) {
  size_t best = gain.size();
  double best_gain = kNever;
  for (size_t i = 0; i < gain.size(); ++i) {
    if (gain[i] > best_gain + kTie || (best == gain.size() && gain[i] > kNever)) {
      best = i;
      best_gain = gain[i];
    }
  }
  return best;
}

}  // namespace

void greedy_map(ResidualKernel& kernel, const double* log_quality, size_t k, Selection* selection) {
  const size_t m = kernel.size();
  std::vector<double> variance(m, 1.0);  // d_i^2
  std::vector<double> gain(m);
  for (size_t i = 0; i < m; ++i) gain[i] = 2 * log_quality[i];
  std::vector<double> factor;  // row t: the Cholesky column of the t-th choice, over all candidates
  factor.reserve(k * m);
  std::vector<double> phi(m, 0.0);
  std::vector<char> chosen(m, 0);

  for (size_t t = 0; t < k; ++t) {
    const size_t j = argmax(gain);
    if (j == m) return;
    selection->order.push_back(uint32_t(j));
    selection->gains.push_back(gain[j]);
    chosen[j] = 1;
    gain[j] = kNever;

    kernel.row(j, chosen, phi.data());
    for (size_t i = 0; i < m; ++i)
      if (!chosen[i]) selection->note_overlap(i, j, phi[i]);
    for (size_t s = 0; s < t; ++s) {
      const double* earlier = factor.data() + s * m;
      const double weight = earlier[j];
      for (size_t i = 0; i < m; ++i) phi[i] -= weight * earlier[i];
    }
    const double scale = 1 / std::sqrt(variance[j]);
    for (size_t i = 0; i < m; ++i) {
      phi[i] *= scale;
      variance[i] -= phi[i] * phi[i];
      if (gain[i] == kNever) continue;
      gain[i] =
          variance[i] < kRedundancyFloor ? kNever : 2 * log_quality[i] + std::log(variance[i]);
    }
    factor.insert(factor.end(), phi.begin(), phi.end());
  }
}

}  // namespace skillspan
