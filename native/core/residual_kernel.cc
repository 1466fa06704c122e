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

void ResidualKernel::row(size_t j, const std::vector<char>& done, double* phi) {
  ids_.clear();
  rows_.clear();
  for (size_t i = 0; i < size(); ++i) {
    if (done[i]) continue;
    ids_.push_back(uint32_t(i));
    rows_.push_back(candidates_.rows[i]);
  }
  dots_.resize(ids_.size());
  widened_.assign(candidates_.rows[j], candidates_.rows[j] + candidates_.stride);
  active_kernels().dot_gather(rows_.data(), rows_.size(), widened_.data(), candidates_.stride,
                              dots_.data());
  const double* norms = candidates_.norms;
  const double correction = c_ * cosine_[j];
  const double half = 0.5 * inverse_[j];
  for (size_t n = 0; n < ids_.size(); ++n) {
    const size_t i = ids_[n];
    const double gram = dots_[n] / (norms[i] * norms[j]);
    phi[i] = 0.5 + half * inverse_[i] * (gram - correction * cosine_[i]);
  }
}

}  // namespace skillspan
