#include "residual_kernel.h"

#include <cmath>

#include "kernels.h"

namespace skillspan {
namespace {

// Below this squared norm a residual is rounding noise and has no direction (lambda = 1, e_i = x).
constexpr double kVanished = 1e-12;

}  // namespace

ResidualKernel::ResidualKernel(const Candidates& candidates, double lambda)
    : candidates_(candidates), c_(lambda * (2 - lambda)), scales_(candidates.size) {
  for (size_t i = 0; i < size(); ++i) {
    const double cosine = candidates.cosines[i];
    const double squared = 1 - c_ * cosine * cosine;
    const double inverse = squared < kVanished ? 0 : 1 / std::sqrt(squared);
    scales_[i] = {inverse / candidates.norms[i], inverse * cosine};
  }
}

void ResidualKernel::entries(size_t i, const uint32_t* others, size_t count, double* phi) {
  rows_.resize(count);
  for (size_t n = 0; n < count; ++n) rows_[n] = candidates_.rows[others[n]];
  active_kernels().dot_gather(rows_.data(), count, candidates_.rows[i], candidates_.stride, phi);
  for (size_t n = 0; n < count; ++n) phi[n] = entry(scales_[i], scales_[others[n]], phi[n]);
  if (candidates_.facets)
    for (size_t n = 0; n < count; ++n) phi[n] = with_facets(i, others[n], phi[n]);
}

double ResidualKernel::with_facets(size_t i, size_t j, double phi) const {
  const size_t n_facets = candidates_.n_facets;
  const float* const left = candidates_.facets + i * n_facets;
  const float* const right = candidates_.facets + j * n_facets;
  double shared = 0;
  for (size_t f = 0; f < n_facets; ++f) shared += double(left[f]) * right[f];
  return phi + 0.5 * candidates_.facet_weight * (shared - (2 * phi - 1));
}

}  // namespace skillspan
