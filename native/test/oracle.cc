#include "oracle.h"

#include <doctest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace skillspan::test {
namespace {

constexpr double kTie = 1e-12;

Eigen::VectorXd unit_vector(const float* values, size_t dim) {
  const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXf>(values, dim).cast<double>();
  return v / v.norm();
}

bool contains(const std::vector<uint32_t>& set, uint32_t i) {
  return std::find(set.begin(), set.end(), i) != set.end();
}

// -infinity where phi is singular on the set.
double log_det(const Eigen::MatrixXd& phi, const std::vector<uint32_t>& set) {
  const Eigen::MatrixXd block = phi(set, set);
  const Eigen::VectorXd pivots = block.ldlt().vectorD();
  if (pivots.size() > 0 && pivots.minCoeff() <= 0) return -std::numeric_limits<double>::infinity();
  return pivots.array().log().sum();
}

}  // namespace

double dot(const float* a, const float* b, size_t n) {
  double sum = 0;
  for (size_t t = 0; t < n; ++t) sum += double(a[t]) * double(b[t]);
  return sum;
}

double cosine(const float* a, const float* b, size_t n) {
  return dot(a, b, n) / std::sqrt(dot(a, a, n) * dot(b, b, n));
}

std::vector<Scored> best_rows(const Matrix& index, const float* query, size_t m) {
  std::vector<Scored> rows;
  for (size_t i = 0; i < index.rows(); ++i)
    rows.push_back({cosine(index.row(i), query, index.dim()), uint32_t(i)});
  std::sort(rows.begin(), rows.end(), better);
  rows.resize(m);
  return rows;
}

Eigen::MatrixXd residual_kernel(const OwnedCandidates& candidates, double lambda) {
  const size_t m = candidates.size(), dim = candidates.rows().dim();
  const Eigen::VectorXd x = unit_vector(candidates.query().row(0), dim);
  Eigen::MatrixXd z(dim, m);
  for (size_t i = 0; i < m; ++i) {
    const Eigen::VectorXd e = unit_vector(candidates.rows().row(i), dim);
    const Eigen::VectorXd residual = e - lambda * e.dot(x) * x;
    const double norm = residual.norm();
    z.col(i) = norm < 1e-6 ? Eigen::VectorXd::Zero(dim) : Eigen::VectorXd(residual / norm);
  }
  Eigen::MatrixXd phi = ((z.transpose() * z).array() + 1) / 2;
  phi.diagonal().setOnes();
  return phi;
}

Choice greedy_by_determinants(const Eigen::MatrixXd& phi, const std::vector<double>& log_quality,
                              size_t k, double floor) {
  Choice choice;
  double current = 0;  // log det of phi on the chosen set
  while (choice.order.size() < k) {
    double best_gain = -std::numeric_limits<double>::infinity();
    uint32_t best = 0;
    for (uint32_t i = 0; i < log_quality.size(); ++i) {
      if (contains(choice.order, i)) continue;
      std::vector<uint32_t> grown = choice.order;
      grown.push_back(i);
      const double growth = log_det(phi, grown) - current;
      const double gain = 2 * log_quality[i] + growth;
      if (growth < std::log(floor) || gain <= best_gain + kTie) continue;
      best_gain = gain;
      best = i;
    }
    if (std::isinf(best_gain)) break;
    choice.order.push_back(best);
    choice.gains.push_back(best_gain);
    current = log_det(phi, choice.order);
  }
  return choice;
}

double log_determinant(const Eigen::MatrixXd& phi, const std::vector<double>& log_quality,
                       const std::vector<uint32_t>& set) {
  double sum = log_det(phi, set);
  for (uint32_t i : set) sum += 2 * log_quality[i];
  return sum;
}

Choice mmr_by_definition(const OwnedCandidates& candidates, double lambda, size_t k) {
  const Matrix& rows = candidates.rows();
  Choice choice;
  while (choice.order.size() < k) {
    double best_score = -std::numeric_limits<double>::infinity();
    uint32_t best = 0;
    for (uint32_t i = 0; i < rows.rows(); ++i) {
      if (contains(choice.order, i)) continue;
      double penalty = choice.order.empty() ? 0 : -1;
      for (uint32_t j : choice.order)
        penalty = std::max(penalty, cosine(rows.row(i), rows.row(j), rows.dim()));
      const double score = lambda * candidates.relevance()[i] - (1 - lambda) * penalty;
      if (score <= best_score + kTie) continue;
      best_score = score;
      best = i;
    }
    choice.order.push_back(best);
    choice.gains.push_back(best_score);
  }
  return choice;
}

int32_t nearest_of(const Eigen::MatrixXd& phi, const std::vector<uint32_t>& order, uint32_t i) {
  int32_t nearest = -1;
  for (uint32_t j : order)
    if (j != i && (nearest < 0 || phi(i, j) > phi(i, nearest) + kTie)) nearest = int32_t(j);
  return nearest;
}

}  // namespace skillspan::test
