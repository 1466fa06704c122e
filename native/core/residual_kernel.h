// The query-residual kernel of DSR (arXiv 2609.05824), computed an entry at a time.
//
// With unit vectors e_i and x, a_i = e_i . x and a mixing coefficient lambda,
//   z~_i = e_i - lambda a_i x,   phi_ij = (1 + z_i . z_j) / 2,   phi_ii = 1,   z = z~ / |z~|.
// Expanding the product shows that no z is ever needed: with c = lambda (2 - lambda),
//   z~_i . z~_j = e_i . e_j - c a_i a_j,   |z~_i|^2 = 1 - c a_i^2,
// the Gram matrix under a rank-one correction. lambda = 0 is the plain cosine kernel.
//
// Where it is known which facets of the request each candidate serves, as unit vectors u_i, two
// that serve the same facet overlap and two that serve different ones complement each other:
//   phi_ij = (1 + (1 - w) z_i . z_j + w u_i . u_j) / 2.
//
// Dots are float64: the ranks that exact and near duplicates take away must show up as variances
// near 1e-16, far below greedy MAP's floor of 1e-9, and float32 dots leave 1e-7.
#pragma once

#include <cstdint>
#include <vector>

#include "candidates.h"

namespace skillspan {

class ResidualKernel {
 public:
  ResidualKernel(const Candidates& candidates, double lambda);

  size_t size() const { return candidates_.size; }
  const Candidates& candidates() const { return candidates_; }

  // What turns a row as it is stored, and its cosine a_i, into their shares of z_i: both 0 where
  // the residual vanishes.
  struct Scale {
    double row;
    double cosine;
  };
  const Scale& scale(size_t i) const { return scales_[i]; }

  // phi_ij, i != j, given the dot of the two rows as they are stored; without facets.
  double entry(const Scale& i, const Scale& j, double dot) const {
    return 0.5 + 0.5 * (dot * (i.row * j.row) - c_ * (i.cosine * j.cosine));
  }

  // phi_ij with the facets that i and j serve, given phi_ij without. Needs candidates().facets.
  double with_facets(size_t i, size_t j, double phi) const;

  // phi[n] = phi_ij for j = others[n], n < count, none of which is i. O(count d).
  void entries(size_t i, const uint32_t* others, size_t count, double* phi);

 private:
  const Candidates& candidates_;
  double c_;
  std::vector<Scale> scales_;
  std::vector<const float*> rows_;  // scratch
};

}  // namespace skillspan
