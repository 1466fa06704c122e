#include "core/overlaps.h"

#include <doctest.h>

#include <cmath>

#include "oracle.h"

namespace skillspan::test {

TEST_CASE("overlaps: for each candidate the chosen one that overlaps it most") {
  const OwnedCandidates candidates(clustered_rows(40, 24, 9, 0.4, 1), random_rows(1, 24, 2),
                                   std::vector<double>(40, 0));
  const Candidates view = candidates.view();
  const std::vector<uint32_t> chosen{31, 0, 7, 12};
  for (double lambda : {0.0, 0.85}) {
    CAPTURE(lambda);
    const Eigen::MatrixXd phi = residual_kernel(candidates, lambda);
    ResidualKernel kernel(view, lambda);
    const Overlaps found = find_overlaps(kernel, chosen);
    REQUIRE(found.nearest.size() == 40);
    for (uint32_t i = 0; i < 40; ++i) {
      CAPTURE(i);
      CHECK(found.nearest[i] == nearest_of(phi, chosen, i));
      CHECK(std::fabs(found.overlap[i] - phi(i, found.nearest[i])) < 1e-6);
    }
  }
}

TEST_CASE("overlaps: of two that overlap a candidate alike, the earlier is named") {
  // Rows 0 and 1 are the same, so whatever else there is overlaps both to the same degree.
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Rows rows = random_rows(6, 16, seed);
    rows.copy(0, 1);
    const OwnedCandidates candidates(rows, random_rows(1, 16, seed + 100),
                                     std::vector<double>(6, 0));
    const Candidates view = candidates.view();
    ResidualKernel kernel(view, 0);
    CHECK(find_overlaps(kernel, {1, 0}).nearest == std::vector<int32_t>{1, 0, 1, 1, 1, 1});
  }
}

TEST_CASE("overlaps: a lone choice overlaps no other choice") {
  const OwnedCandidates candidates(random_rows(3, 16, 3), random_rows(1, 16, 4), {0, 0, 0});
  const Candidates view = candidates.view();
  ResidualKernel kernel(view, 0.85);
  const Overlaps found = find_overlaps(kernel, {2});
  CHECK(found.nearest == std::vector<int32_t>{2, 2, -1});
  CHECK(found.overlap[2] == 0);
}

}  // namespace skillspan::test
