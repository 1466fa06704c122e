// What the core should answer, worked out in float64 by the shortest road from the definitions:
// full scans, explicit residual vectors, whole determinants. Slow, and shares no idea with the
// core.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "core/top_m.h"
#include "fixtures.h"

namespace skillspan::test {

// a . b, added from left to right.
double dot(const float* a, const float* b, size_t n);
double cosine(const float* a, const float* b, size_t n);

// All rows by cosine with the query, best first, ties to the lower row; the first m of them.
std::vector<Scored> best_rows(const Matrix& index, const float* query, size_t m);

// phi of the residual kernel: z_i = e_i - lambda (e_i . x) x, normalised; phi_ij = (1 + z_i .
// z_j)/2, phi_ii = 1. A residual that vanishes is taken for 0.
Eigen::MatrixXd residual_kernel(const OwnedCandidates& candidates, double lambda);

struct Choice {
  std::vector<uint32_t> order;
  std::vector<double> gains;
};

// Greedy MAP by definition: each step tries every candidate and keeps the one that raises
// log det L_S most, ties (within 1e-12) to the lower index. One that adds less than `floor` to the
// determinant of phi, as a factor, is redundant.
Choice greedy_by_determinants(const Eigen::MatrixXd& phi, const std::vector<double>& log_quality,
                              size_t k, double floor);

// log det of phi restricted to `set`, plus 2 log q of its members.
double log_determinant(const Eigen::MatrixXd& phi, const std::vector<double>& log_quality,
                       const std::vector<uint32_t>& set);

Choice mmr_by_definition(const OwnedCandidates& candidates, double lambda, size_t k);

// The other member of `order` that overlaps i most, the earliest where several tie; -1 if there is
// none.
int32_t nearest_of(const Eigen::MatrixXd& phi, const std::vector<uint32_t>& order, uint32_t i);

}  // namespace skillspan::test
