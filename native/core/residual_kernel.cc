#include "residual_kernel.h"

#include <algorithm>
#include <cmath>

#include "kernels.h"

namespace skillspan {
namespace {

// Below this squared norm a residual is rounding noise and has no direction (lambda = 1, e_i = x).
constexpr double kVanished = 1e-12;
constexpr double kUnknown = -1;

}  // namespace

ResidualKernel::ResidualKernel(const Candidates& candidates, double lambda)
    : candidates_(candidates),
      c_(lambda * (2 - lambda)),
      query_(candidates.query, candidates.query + candidates.stride),
      cosine_(candidates.size),
      inverse_(candidates.size, kUnknown),
      widened_(candidates.stride) {}

// Keeps what the kernel needs of e_i . x.
void ResidualKernel::project(size_t i, double dot) {
  cosine_[i] = dot / (candidates_.norms[i] * candidates_.query_norm);
  const double squared = 1 - c_ * cosine_[i] * cosine_[i];
  inverse_[i] = squared < kVanished ? 0 : 1 / std::sqrt(squared);
}

void ResidualKernel::entries(size_t i, const uint32_t* others, size_t count, double* phi) {
  const Kernels& kernels = active_kernels();
  const size_t stride = candidates_.stride;
  rows_.clear();
  for (size_t n = 0; n < count; ++n) {
    const size_t j = others[n];
    rows_.push_back(candidates_.rows[j]);
    if (inverse_[j] == kUnknown) {
      double dot;
      kernels.dot_gather(&candidates_.rows[j], 1, query_.data(), stride, &dot);
      project(j, dot);
    }
  }
  // The candidate's own projection rides along as one more row.
  const bool project_too = inverse_[i] == kUnknown;
  if (project_too) rows_.push_back(candidates_.query);
  dots_.resize(rows_.size());
  std::copy(candidates_.rows[i], candidates_.rows[i] + stride, widened_.begin());
  kernels.dot_gather(rows_.data(), rows_.size(), widened_.data(), stride, dots_.data());
  if (project_too) project(i, dots_.back());

  const double* norms = candidates_.norms;
  const double correction = c_ * cosine_[i];
  const double half = 0.5 * inverse_[i];
  for (size_t n = 0; n < count; ++n) {
    const size_t j = others[n];
    const double gram = dots_[n] / (norms[i] * norms[j]);
    phi[n] = 0.5 + half * inverse_[j] * (gram - correction * cosine_[j]);
  }
}

}  // namespace skillspan
