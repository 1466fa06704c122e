#include "core/greedy_map.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>

#include "oracle.h"

namespace skillspan::test {
namespace {

Selection greedy(const OwnedCandidates& candidates, double lambda, size_t k) {
  const Candidates view = candidates.view();
  ResidualKernel kernel(view, lambda);
  Selection selection;
  greedy_map(kernel, view.relevance, by_relevance(candidates), k, &selection);
  return selection;
}

// Greedy MAP against the argmax of whole determinants.
void check_against_determinants(const OwnedCandidates& candidates, double lambda, size_t k) {
  const Eigen::MatrixXd phi = residual_kernel(candidates, lambda);
  const Choice expected = greedy_by_determinants(phi, candidates.relevance(), k, kRedundancyFloor);
  const Selection found = greedy(candidates, lambda, k);
  CHECK(found.order == expected.order);
  REQUIRE(found.gains.size() == expected.gains.size());
  for (size_t t = 0; t < found.gains.size(); ++t)
    CHECK(found.gains[t] == doctest::Approx(expected.gains[t]).epsilon(1e-6));
}

// Two unit vectors of the plane at this angle, and a query at right angles to both.
OwnedCandidates pair_at(double angle) {
  const Rows rows{2, 3, {1, 0, 0, float(std::cos(angle)), float(std::sin(angle)), 0}};
  return OwnedCandidates(rows, Rows{1, 3, {0, 0, 1}}, {0, 0});
}

}  // namespace

TEST_CASE("greedy MAP: the argmax of the determinant at every step, from 1 candidate to 200") {
  for (size_t m : {1, 2, 3, 10, 50, 200}) {
    CAPTURE(m);
    for (double lambda : {0.0, 0.5, 0.85, 1.0}) {
      CAPTURE(lambda);
      const OwnedCandidates candidates(random_rows(m, 40, m), random_rows(1, 40, m + 1),
                                       random_log_quality(m, m + 2));
      check_against_determinants(candidates, lambda, std::min<size_t>(m, 12));
    }
  }
}

TEST_CASE("greedy MAP: near-duplicate clusters") {
  const OwnedCandidates candidates(clustered_rows(60, 32, 10, 0.05, 1), random_rows(1, 32, 2),
                                   random_log_quality(60, 3));
  check_against_determinants(candidates, 0.85, 20);
}

TEST_CASE("greedy MAP: one of each group of exact duplicates, then it stops") {
  // With lambda 0 the kernel of 8 distinct rows has rank 8, so the other 24 are redundant.
  const OwnedCandidates candidates(clustered_rows(32, 20, 8, 0, 4), random_rows(1, 20, 5),
                                   random_log_quality(32, 6));
  const Selection found = greedy(candidates, 0, 32);
  REQUIRE(found.order.size() == 8);
  std::vector<bool> seen(8, false);
  for (uint32_t i : found.order) {
    CHECK_FALSE(seen[i % 8]);
    seen[i % 8] = true;
  }
  check_against_determinants(candidates, 0, 32);
  check_against_determinants(candidates, 0.85, 32);
}

TEST_CASE("greedy MAP: it stops at the rank of the kernel") {
  // (1 + z . z)/2 has at most one dimension more than the vectors.
  const OwnedCandidates candidates(random_rows(50, 7, 7), random_rows(1, 7, 8),
                                   random_log_quality(50, 9));
  CHECK(greedy(candidates, 0, 50).order.size() == 8);
  check_against_determinants(candidates, 0, 50);
}

TEST_CASE("greedy MAP: the floor divides candidates at a variance of 1e-9") {
  // Two rows at a small angle t have phi = 1 - t^2/4, hence a variance of t^2/2.
  CHECK(greedy(pair_at(std::sqrt(2 * 0.5e-9)), 0, 2).order.size() == 1);
  CHECK(greedy(pair_at(std::sqrt(2 * 2e-9)), 0, 2).order.size() == 2);
}

TEST_CASE("greedy MAP: qualities of 0 are never chosen") {
  std::vector<double> log_quality = random_log_quality(20, 10);
  for (size_t i = 0; i < 20; i += 2) log_quality[i] = -INFINITY;
  const OwnedCandidates some(random_rows(20, 30, 11), random_rows(1, 30, 12), log_quality);
  const Selection found = greedy(some, 0.85, 20);
  CHECK(found.order.size() == 10);
  for (uint32_t i : found.order) CHECK(i % 2 == 1);

  const OwnedCandidates none(random_rows(20, 30, 11), random_rows(1, 30, 12),
                             std::vector<double>(20, -INFINITY));
  CHECK(greedy(none, 0.85, 5).order.empty());
}

TEST_CASE("greedy MAP: qualities far too small for a determinant change nothing but the gains") {
  std::vector<double> log_quality = random_log_quality(40, 13);
  const Rows rows = random_rows(40, 24, 14), query = random_rows(1, 24, 15);
  const Selection plain = greedy(OwnedCandidates(rows, query, log_quality), 0.85, 15);
  for (double& value : log_quality) value -= 300;  // exp(-300)^15 is no double
  const Selection tiny = greedy(OwnedCandidates(rows, query, log_quality), 0.85, 15);
  CHECK(tiny.order == plain.order);
  for (size_t t = 0; t < 15; ++t)
    CHECK(tiny.gains[t] == doctest::Approx(plain.gains[t] - 600).epsilon(1e-12));
}

TEST_CASE("greedy MAP: the first choice is the best quality, ties go to the lower candidate") {
  std::vector<double> log_quality(10, -1);
  const Rows rows = random_rows(10, 16, 16), query = random_rows(1, 16, 17);
  CHECK(greedy(OwnedCandidates(rows, query, log_quality), 0.85, 1).order[0] == 0);
  log_quality[6] = log_quality[8] = -0.5;
  CHECK(greedy(OwnedCandidates(rows, query, log_quality), 0.85, 1).order[0] == 6);
}

TEST_CASE("greedy MAP: gains never rise, and add up to the log-determinant of the shortlist") {
  const OwnedCandidates candidates(clustered_rows(80, 48, 30, 0.4, 18), random_rows(1, 48, 19),
                                   random_log_quality(80, 20));
  const Selection found = greedy(candidates, 0.85, 25);
  double sum = 0;
  for (double gain : found.gains) sum += gain;
  CHECK(std::is_sorted(found.gains.rbegin(), found.gains.rend()));
  const Eigen::MatrixXd phi = residual_kernel(candidates, 0.85);
  CHECK(sum == doctest::Approx(log_determinant(phi, candidates.relevance(), found.order)));
}

TEST_CASE("greedy MAP: a candidate equal to the query, at lambda 1, resembles nothing") {
  const Rows query = random_rows(1, 16, 21);
  Rows rows = random_rows(12, 16, 22);
  std::copy_n(query.row(0), 16, rows.row(5));
  const OwnedCandidates candidates(rows, query, random_log_quality(12, 23));
  check_against_determinants(candidates, 1, 12);
}

TEST_CASE("greedy MAP: every candidate, in any number of dimensions") {
  for (size_t dim : {1, 3, 7, 17, 33, 100}) {
    CAPTURE(dim);
    for (size_t m : {1, 5, 24}) {
      CAPTURE(m);
      const OwnedCandidates candidates(random_rows(m, dim, m + dim), random_rows(1, dim, dim),
                                       random_log_quality(m, dim));
      check_against_determinants(candidates, 0.85, m);
    }
  }
}

TEST_CASE("greedy MAP: near-duplicates, from far apart to nearly the same") {
  // The variance of the second of a pair is about spread^2 / 2: from 5e-3 to 5e-8, above the floor.
  for (double spread : {1e-1, 1e-2, 1e-3, 3e-4}) {
    CAPTURE(spread);
    const OwnedCandidates candidates(clustered_rows(30, 100, 15, spread, 24),
                                     random_rows(1, 100, 25), random_log_quality(30, 26));
    const Eigen::MatrixXd phi = residual_kernel(candidates, 0.85);
    const Choice expected =
        greedy_by_determinants(phi, candidates.relevance(), 30, kRedundancyFloor);
    const Selection found = greedy(candidates, 0.85, 30);
    CHECK(found.order == expected.order);
    REQUIRE(found.gains.size() == 30);
    for (size_t t = 0; t < 30; ++t) CHECK(std::fabs(found.gains[t] - expected.gains[t]) < 1e-4);
  }
}

TEST_CASE("greedy MAP: candidates as near the query as float32 allows, at lambda 1") {
  // What lambda 1 leaves of them is a residual of some 1e-3 of their length.
  const Rows query = random_rows(1, 48, 27);
  Rows rows = random_rows(12, 48, 28);
  for (size_t i = 0; i < 6; ++i)
    for (size_t t = 0; t < 48; ++t) rows.row(i)[t] = query.row(0)[t] + 1e-3f * rows.row(i)[t];
  check_against_determinants(OwnedCandidates(rows, query, random_log_quality(12, 29)), 1, 12);
}

}  // namespace skillspan::test
