#include "core/residual_kernel.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>

#include "oracle.h"

namespace skillspan::test {
namespace {

Eigen::MatrixXd whole_kernel(const OwnedCandidates& candidates, double lambda) {
  const Candidates view = candidates.view();
  ResidualKernel kernel(view, lambda);
  Eigen::MatrixXd phi = Eigen::MatrixXd::Zero(view.size, view.size);
  for (size_t j = 0; j < view.size; ++j) {
    const std::vector<double> row = kernel_row(kernel, uint32_t(j));
    std::copy(row.begin(), row.end(), phi.col(j).data());
  }
  return phi;
}

std::vector<double> no_relevance(size_t m) { return std::vector<double>(m, 0); }

}  // namespace

TEST_CASE("residual kernel: the kernel of the explicit residual vectors") {
  for (size_t dim : {7, 16, 50}) {
    CAPTURE(dim);
    const OwnedCandidates candidates(clustered_rows(60, dim, 12, 0.3, dim),
                                     random_rows(1, dim, dim + 9), no_relevance(60));
    for (double lambda : {0.0, 0.5, 0.85, 1.0}) {
      CAPTURE(lambda);
      const Eigen::MatrixXd expected = residual_kernel(candidates, lambda);
      const Eigen::MatrixXd found = whole_kernel(candidates, lambda);
      CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-12);
      CHECK((found - found.transpose()).cwiseAbs().maxCoeff() < 1e-14);
    }
  }
}

TEST_CASE("residual kernel: lambda 0 is the cosine kernel") {
  const OwnedCandidates candidates(random_rows(30, 24, 1), random_rows(1, 24, 2), no_relevance(30));
  const Eigen::MatrixXd found = whole_kernel(candidates, 0);
  const Matrix& rows = candidates.rows();
  for (size_t i = 0; i < 30; ++i)
    for (size_t j = 0; j < 30; ++j)
      if (i != j)
        CHECK(std::fabs(found(i, j) - (1 + cosine(rows.row(i), rows.row(j), 24)) / 2) < 1e-14);
}

TEST_CASE("residual kernel: rows along the query, at both ends") {
  // Candidate 0 is the query itself and candidate 1 its opposite.
  const Rows query = random_rows(1, 16, 3);
  Rows rows = random_rows(20, 16, 4);
  for (size_t t = 0; t < 16; ++t) {
    rows.row(0)[t] = query.row(0)[t];
    rows.row(1)[t] = -query.row(0)[t];
  }
  const OwnedCandidates candidates(rows, query, no_relevance(20));
  for (double lambda : {0.0, 0.5, 0.85, 1.0}) {
    CAPTURE(lambda);
    const Eigen::MatrixXd expected = residual_kernel(candidates, lambda);
    CHECK((whole_kernel(candidates, lambda) - expected).cwiseAbs().maxCoeff() < 1e-12);
  }
  // With lambda 1 nothing is left of either, so they resemble nothing: phi is 1/2.
  const Eigen::MatrixXd found = whole_kernel(candidates, 1);
  for (size_t i = 1; i < 20; ++i) CHECK(found(i, 0) == 0.5);
  for (size_t i = 2; i < 20; ++i) CHECK(found(i, 1) == 0.5);
}

TEST_CASE("residual kernel: exact duplicates overlap fully") {
  Rows rows = random_rows(10, 40, 5);
  rows.copy(2, 7);
  const OwnedCandidates candidates(rows, random_rows(1, 40, 6), no_relevance(10));
  for (double lambda : {0.0, 0.85, 1.0})
    CHECK(std::fabs(whole_kernel(candidates, lambda)(7, 2) - 1) < 1e-15);
}

TEST_CASE("residual kernel: borrowed vectors of any length give the kernel of their directions") {
  const Rows rows = random_rows(25, 32, 7), query = random_rows(1, 32, 8);
  const OwnedCandidates unit(rows, query, no_relevance(25));
  Matrix raw_rows, raw_query;
  REQUIRE(Matrix::borrow(rows.row(0), rows.n, 32, &raw_rows).ok());
  REQUIRE(Matrix::borrow(query.row(0), 1, 32, &raw_query).ok());
  std::vector<const float*> pointers;
  for (size_t i = 0; i < rows.n; ++i) pointers.push_back(raw_rows.row(i));
  const std::vector<double> cosines = raw_rows.cosines(raw_query);
  const Candidates raw{pointers.data(), raw_rows.norms(), cosines.data(), 25, 32, nullptr};
  ResidualKernel kernel(raw, 0.85);
  const Eigen::MatrixXd expected = residual_kernel(unit, 0.85);
  for (size_t j = 0; j < 25; ++j) {
    const std::vector<double> phi = kernel_row(kernel, uint32_t(j));
    // Scaling a row rounds it to float32 once more.
    for (size_t i = 0; i < 25; ++i)
      if (i != j) CHECK(std::fabs(phi[i] - expected(i, j)) < 1e-6);
  }
}

TEST_CASE("residual kernel: entries do not depend on what they are asked for with") {
  const OwnedCandidates candidates(random_rows(19, 16, 9), random_rows(1, 16, 10),
                                   no_relevance(19));
  const Candidates view = candidates.view();
  ResidualKernel kernel(view, 0.85);
  const std::vector<double> all = kernel_row(kernel, 3);
  const std::vector<uint32_t> some{17, 0, 8, 1, 4};
  std::vector<double> phi(5);
  for (size_t count = 1; count <= 5; ++count) {
    kernel.entries(3, some.data(), count, phi.data());
    for (size_t n = 0; n < count; ++n) CHECK(phi[n] == all[some[n]]);
  }
}

}  // namespace skillspan::test
