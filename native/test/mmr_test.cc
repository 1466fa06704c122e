#include "core/mmr.h"

#include <doctest.h>

#include <numeric>

#include "oracle.h"

namespace skillspan::test {
namespace {

Selection mmr_of(const OwnedCandidates& candidates, double lambda, size_t k) {
  const Candidates view = candidates.view();
  ResidualKernel cosine(view, 0);
  Selection selection;
  mmr(cosine, view.relevance, lambda, k, &selection);
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

}  // namespace skillspan::test
