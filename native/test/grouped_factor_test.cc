#include "core/grouped_factor.h"

#include <doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "oracle.h"

namespace skillspan::test {
namespace {

// The conditional variance by definition: a Schur complement of the kernel.
double conditional_variance(const Eigen::MatrixXd& phi, const std::vector<uint32_t>& chosen,
                            uint32_t i) {
  if (chosen.empty()) return phi(i, i);
  const Eigen::MatrixXd among = phi(chosen, chosen);
  const Eigen::VectorXd with = phi(chosen, i);
  return phi(i, i) - with.dot(among.ldlt().solve(with));
}

// Chooses candidates in a random order. After each choice some random ones of those that are left
// are asked for, so groups lag behind by all numbers of columns; some are dropped.
void check_against_definition(const OwnedCandidates& candidates, double lambda, size_t k,
                              double tolerance, uint64_t seed) {
  Random random(seed);
  const Candidates view = candidates.view();
  const ResidualKernel kernel(view, lambda);
  const Eigen::MatrixXd phi = residual_kernel(candidates, lambda);
  GroupedFactor factor(kernel, by_relevance(candidates), k);
  std::vector<uint32_t> left = by_relevance(candidates), chosen;
  std::shuffle(left.begin(), left.end(), random.engine());
  while (chosen.size() < k && !left.empty()) {
    const size_t questions = std::min<size_t>(left.size(), random.between(0, 4));
    for (size_t n = 0; n < questions; ++n) {
      const uint32_t i = left[random.between(0, int(left.size()) - 1)];
      CHECK(std::fabs(factor.variance(i) - conditional_variance(phi, chosen, i)) < tolerance);
    }
    const uint32_t next = left.back();
    left.pop_back();
    if (factor.variance(next) < 1e-9 || random.between(0, 9) == 0) {
      factor.drop(next);
    } else {
      factor.choose(next);
      chosen.push_back(next);
    }
  }
  for (uint32_t i : left)
    CHECK(std::fabs(factor.variance(i) - conditional_variance(phi, chosen, i)) < tolerance);
}

std::vector<double> log_quality(size_t m) { return random_log_quality(m, m); }

}  // namespace

TEST_CASE(
    "grouped factor: the conditional variances of the definition, in any order of questions") {
  for (size_t dim : {17, 33, 100, 384}) {
    CAPTURE(dim);
    for (size_t m : {1, 2, 3, 4, 5, 7, 8, 15}) {
      CAPTURE(m);
      const OwnedCandidates candidates(random_rows(m, dim, dim + m), random_rows(1, dim, dim),
                                       log_quality(m));
      for (double lambda : {0.0, 0.85, 1.0})
        for (uint64_t seed = 0; seed < 5; ++seed)
          check_against_definition(candidates, lambda, m, 1e-12, seed);
    }
    const OwnedCandidates many(random_rows(103, 384, dim), random_rows(1, 384, dim + 1),
                               log_quality(103));
    check_against_definition(many, 0.85, 60, 1e-11, dim);
  }
}

TEST_CASE("grouped factor: more choices than the rank of the kernel") {
  for (size_t dim : {1, 3, 7}) {
    CAPTURE(dim);
    const OwnedCandidates candidates(random_rows(40, dim, dim), random_rows(1, dim, dim + 1),
                                     log_quality(40));
    for (uint64_t seed = 0; seed < 5; ++seed)
      check_against_definition(candidates, 0.85, 40, 1e-6, seed);
  }
}

TEST_CASE("grouped factor: an exact copy of a choice has no variance left") {
  for (size_t dim : {16, 33, 1024}) {
    CAPTURE(dim);
    const OwnedCandidates candidates(clustered_rows(30, dim, 10, 0, dim), random_rows(1, dim, 9),
                                     log_quality(30));
    const Candidates view = candidates.view();
    const ResidualKernel kernel(view, 0.85);
    GroupedFactor factor(kernel, by_relevance(candidates), 10);
    for (uint32_t i = 0; i < 10; ++i) factor.choose(i);
    for (uint32_t i = 10; i < 30; ++i) CHECK(std::fabs(factor.variance(i)) < 1e-13);
  }
}

TEST_CASE("grouped factor: a row equal to the query, at lambda 1, is as far from all others") {
  const Rows query = random_rows(1, 32, 1);
  Rows rows = random_rows(9, 32, 2);
  std::copy_n(query.row(0), 32, rows.row(4));
  const OwnedCandidates candidates(rows, query, log_quality(9));
  for (uint64_t seed = 0; seed < 10; ++seed)
    check_against_definition(candidates, 1, 9, 1e-12, seed);
  const Candidates view = candidates.view();
  const ResidualKernel kernel(view, 1);
  GroupedFactor factor(kernel, by_relevance(candidates), 1);
  factor.choose(4);
  for (uint32_t i : {0, 1, 8}) CHECK(factor.variance(i) == 0.75);  // 1 - (1/2)^2
}

}  // namespace skillspan::test
