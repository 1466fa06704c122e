#include "residual_kernel.h"

#include <algorithm>
#include <cmath>

#include "kernels.h"

namespace skillspan {
namespace {

// Below this squared norm a residual is rounding noise and has no direction (lambda = 1, e_i = x).
constexpr double kVanished = 1e-12;

}  // namespace

ResidualKernel::ResidualKernel(const Candidates& candidates, double lambda)
    : candidates_(candidates),
      c_(lambda * (2 - lambda)),
      cosine_(candidates.size),
      inverse_(candidates.size),
      widened_(candidates.query, candidates.query + candidates.stride) {
  active_kernels().dot_gather(candidates.rows, size(), widened_.data(), candidates.stride,
                              cosine_.data());
  for (size_t i = 0; i < size(); ++i) {
    cosine_[i] /= candidates.norms[i] * candidates.query_norm;
    const double squared = 1 - c_ * cosine_[i] * cosine_[i];
    inverse_[i] = squared < kVanished ? 0 : 1 / std::sqrt(squared);
  }
}

void ResidualKernel::row(size_t j, double* phi) {
  const size_t stride = candidates_.stride;
  const float* e = candidates_.rows[j];
  std::copy(e, e + stride, widened_.data());
  active_kernels().dot_gather(candidates_.rows, size(), widened_.data(), stride, phi);
  const double* norms = candidates_.norms;
  const double correction = c_ * cosine_[j];
  const double half = 0.5 * inverse_[j];
  for (size_t i = 0; i < size(); ++i) {
    const double gram = phi[i] / (norms[i] * norms[j]);
    phi[i] = 0.5 + half * inverse_[i] * (gram - correction * cosine_[i]);
  }
  phi[j] = 1;
}

}  // namespace skillspan
