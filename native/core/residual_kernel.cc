#include "residual_kernel.h"

#include <cmath>

#include "kernels.h"

namespace skillspan {
namespace {

// Below this squared norm a residual is rounding noise and has no direction (lambda = 1, e_i = x).
constexpr double kVanished = 1e-12;

}  // namespace

ResidualKernel::ResidualKernel(const Candidates& candidates, double lambda)
    : candidates_(candidates), c_(lambda * (2 - lambda)), inverse_(candidates.size) {
  for (size_t i = 0; i < size(); ++i) {
    const double squared = 1 - c_ * candidates.cosines[i] * candidates.cosines[i];
    inverse_[i] = squared < kVanished ? 0 : 1 / std::sqrt(squared);
  }
}

void ResidualKernel::entries(size_t i, const uint32_t* others, size_t count, double* phi) {
  const float* const* rows = candidates_.rows;
  const double* norms = candidates_.norms;
  const double* cosines = candidates_.cosines;
  rows_.resize(count);
  for (size_t n = 0; n < count; ++n) rows_[n] = rows[others[n]];
  active_kernels().dot_gather(rows_.data(), count, rows[i], candidates_.stride, phi);
  const double correction = c_ * cosines[i];
  const double half = 0.5 * inverse_[i];
  for (size_t n = 0; n < count; ++n) {
    const size_t j = others[n];
    const double gram = phi[n] / (norms[i] * norms[j]);
    phi[n] = 0.5 + half * inverse_[j] * (gram - correction * cosines[j]);
  }
  if (candidates_.facets) blend_facets(i, others, count, phi);
}

void ResidualKernel::blend_facets(size_t i, const uint32_t* others, size_t count,
                                  double* phi) const {
  const size_t n_facets = candidates_.n_facets;
  const double weight = candidates_.facet_weight;
  const float* own = candidates_.facets + i * n_facets;
  for (size_t n = 0; n < count; ++n) {
    const float* other = candidates_.facets + others[n] * n_facets;
    double shared = 0;
    for (size_t f = 0; f < n_facets; ++f) shared += double(own[f]) * other[f];
    phi[n] += 0.5 * weight * (shared - (2 * phi[n] - 1));
  }
}

}  // namespace skillspan
