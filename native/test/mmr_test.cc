#include "core/mmr.h"

#include <doctest.h>

#include <numeric>

#include "oracle.h"

namespace skillspan::test {
namespace {

Selection mmr_of(const OwnedCandidates& candidates, double lambda, size_t k) {
  Selection selection(candidates.size());
  mmr(candidates.view(), lambda, k, &selection);
  return selection;
}

std::vector<double> random_relevance(size_t n, uint64_t seed) {
  Random random(seed);
  std::vector<double> relevance(n);
  for (double& value : relevance) value = random.uniform();
  return relevance;
}

}  // namespace

TEST_CASE("MMR: the objective as it is defined, choice by choice") {
  for (size_t m : {1, 2, 30, 120}) {
    CAPTURE(m);
    const OwnedCandidates candidates(clustered_rows(m, 20, m / 3 + 1, 0.3, m),
                                     random_rows(1, 20, m + 1), random_relevance(m, m + 2));
    for (double lambda : {0.0, 0.3, 0.7, 1.0}) {
      CAPTURE(lambda);
      const size_t k = std::min<size_t>(m, 30);
      const Choice expected = mmr_by_definition(candidates, lambda, k);
      const Selection found = mmr_of(candidates, lambda, k);
      CHECK(found.order == expected.order);
      REQUIRE(found.gains.size() == k);
      for (size_t t = 0; t < k; ++t)
        CHECK(found.gains[t] == doctest::Approx(expected.gains[t]).epsilon(1e-9));
      check_overlaps(residual_kernel(candidates, 0), found.order, found.nearest, found.overlap);
    }
  }
}

TEST_CASE("MMR: lambda 1 ranks by relevance, ties to the lower candidate") {
  const OwnedCandidates candidates(random_rows(5, 16, 1), random_rows(1, 16, 2),
                                   {0.3, 0.9, 0.3, 0.9, 0.5});
  CHECK(mmr_of(candidates, 1, 5).order == std::vector<uint32_t>{1, 3, 4, 0, 2});
}

TEST_CASE("MMR: it chooses k even where only duplicates are left") {
  const OwnedCandidates candidates(clustered_rows(12, 16, 3, 0, 3), random_rows(1, 16, 4),
                                   std::vector<double>(12, 0.5));
  std::vector<uint32_t> order = mmr_of(candidates, 0.5, 12).order;
  std::sort(order.begin(), order.end());
  std::vector<uint32_t> all(12);
  std::iota(all.begin(), all.end(), 0u);
  CHECK(order == all);
}

TEST_CASE("MMR: of two choices that overlap a candidate alike, the earlier is named") {
  // Rows 0 and 1 are the same, so whatever else there is overlaps both to the same degree.
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Rows rows = random_rows(6, 16, seed);
    rows.copy(0, 1);
    const OwnedCandidates candidates(rows, random_rows(1, 16, seed + 100), {2, 3, 1, 1, 1, 1});
    const Selection found = mmr_of(candidates, 1, 2);
    REQUIRE(found.order == std::vector<uint32_t>{1, 0});
    CHECK(found.nearest == std::vector<int32_t>{1, -1, 1, 1, 1, 1});
  }
}

}  // namespace skillspan::test
