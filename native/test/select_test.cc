#include "core/select.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>

#include "oracle.h"

namespace skillspan::test {
namespace {

using Ids = std::vector<uint32_t>;

SelectOptions options(Method method, size_t k, double lambda = 0.85) {
  SelectOptions options;
  options.method = method;
  options.k = k;
  options.lambda = lambda;
  return options;
}

OwnedCandidates eight_groups(const std::vector<double>& relevance) {
  return OwnedCandidates(clustered_rows(relevance.size(), 24, 8, 0, 1), random_rows(1, 24, 2),
                         relevance);
}

}  // namespace

TEST_CASE("select: where greedy MAP stops, the shortlist is filled by quality") {
  const OwnedCandidates candidates = eight_groups(random_log_quality(32, 3));
  const Selection found = select(candidates.view(), options(Method::kDppCosine, 20));
  REQUIRE(found.order.size() == 8);
  REQUIRE(found.filled.size() == 12);
  CHECK(found.gains.size() == 8);

  Ids rest;
  for (uint32_t i = 0; i < 32; ++i)
    if (std::find(found.order.begin(), found.order.end(), i) == found.order.end())
      rest.push_back(i);
  std::stable_sort(rest.begin(), rest.end(), [&](uint32_t a, uint32_t b) {
    return candidates.relevance()[a] > candidates.relevance()[b];
  });
  rest.resize(12);
  CHECK(found.filled == rest);
}

TEST_CASE("select: nothing is filled where the method chooses k") {
  const OwnedCandidates candidates = eight_groups(random_log_quality(32, 4));
  CHECK(select(candidates.view(), options(Method::kDppCosine, 8)).filled.empty());
  CHECK(select(candidates.view(), options(Method::kMmr, 32)).filled.empty());
  CHECK(select(candidates.view(), options(Method::kTopK, 32)).filled.empty());
}

TEST_CASE("select: qualities of 0 only fill, in the order of candidates") {
  std::vector<double> relevance(10, -INFINITY);
  relevance[4] = 0;
  relevance[7] = -1;
  const OwnedCandidates candidates(random_rows(10, 24, 5), random_rows(1, 24, 6), relevance);
  const Selection found = select(candidates.view(), options(Method::kDsr, 5));
  CHECK(found.order == Ids{4, 7});
  CHECK(found.filled == Ids{0, 1, 2});
  CHECK(found.ranked == Ids{4, 7, 0, 1, 2});
}

TEST_CASE("select: ranked is the shortlist by relevance, ties to the lower candidate") {
  // Only four qualities among 32 candidates.
  std::vector<double> relevance;
  for (int i = 0; i < 32; ++i) relevance.push_back(-(i * 5 % 4));
  const OwnedCandidates candidates = eight_groups(relevance);
  for (Method method : {Method::kDsr, Method::kDppCosine, Method::kMmr, Method::kTopK}) {
    const Selection found = select(candidates.view(), options(method, 17, 0.5));
    Ids expected = found.order;
    expected.insert(expected.end(), found.filled.begin(), found.filled.end());
    std::sort(expected.begin(), expected.end());
    CHECK(std::adjacent_find(expected.begin(), expected.end()) == expected.end());
    std::stable_sort(expected.begin(), expected.end(),
                     [&](uint32_t a, uint32_t b) { return relevance[a] > relevance[b]; });
    CHECK(found.ranked.size() == 17);
    CHECK(found.ranked == expected);
  }
}

TEST_CASE("select: top-k is relevance alone") {
  const OwnedCandidates candidates(random_rows(5, 16, 7), random_rows(1, 16, 8),
                                   {0.2, 0.7, 0.1, 0.7, 0.4});
  const Selection found = select(candidates.view(), options(Method::kTopK, 4));
  CHECK(found.order == Ids{1, 3, 4, 0});
  CHECK(found.ranked == found.order);
  CHECK(found.gains == std::vector<double>{0.7, 0.7, 0.4, 0.2});
  CHECK(found.overlaps.nearest.empty());
}

TEST_CASE("select: the cosine kernel is the residual kernel with lambda 0, whatever lambda says") {
  const OwnedCandidates candidates(random_rows(40, 24, 9), random_rows(1, 24, 10),
                                   random_log_quality(40, 11));
  const Selection plain = select(candidates.view(), options(Method::kDsr, 10, 0));
  const Selection cosine = select(candidates.view(), options(Method::kDppCosine, 10, 0.85));
  CHECK(plain.order == cosine.order);
  CHECK(plain.gains == cosine.gains);
}

TEST_CASE("select: a single candidate, by every method") {
  const OwnedCandidates candidates(random_rows(1, 16, 12), random_rows(1, 16, 13), {-0.3});
  for (Method method : {Method::kDsr, Method::kDppCosine, Method::kMmr, Method::kTopK})
    CHECK(select(candidates.view(), options(method, 1)).ranked == Ids{0});
}

TEST_CASE("relevance: logarithms of qualities for the DPP methods, the qualities for others") {
  const double quality[] = {0.5, 0, 2, 1e-300};
  std::vector<double> relevance;
  for (Method method : {Method::kDsr, Method::kDppCosine}) {
    REQUIRE(relevance_of(method, quality, 4, &relevance).ok());
    CHECK(relevance ==
          std::vector<double>{std::log(0.5), -INFINITY, std::log(2.0), std::log(1e-300)});
  }
  for (Method method : {Method::kMmr, Method::kTopK}) {
    REQUIRE(relevance_of(method, quality, 4, &relevance).ok());
    CHECK(relevance == std::vector<double>(quality, quality + 4));
  }
}

TEST_CASE("relevance: the first quality that is none is named") {
  for (double bad : {-1e-9, double(NAN), double(INFINITY), -double(INFINITY)}) {
    for (Method method : {Method::kDsr, Method::kDppCosine, Method::kMmr, Method::kTopK}) {
      const double quality[] = {0, 0.5, bad, -1};
      std::vector<double> relevance;
      const Status status = relevance_of(method, quality, 4, &relevance);
      CHECK(status.code == Code::kInvalidQuality);
      CHECK(status.row == 2);
    }
  }
}

TEST_CASE("relevance: from similarities, sharpened for the DPP methods") {
  CHECK(relevance_of(Method::kDsr, 0.6, 0.8, 20) == doctest::Approx(-4));
  CHECK(relevance_of(Method::kDppCosine, 0.8, 0.8, 20) == 0);
  CHECK(relevance_of(Method::kMmr, 0.6, 0.8, 20) == 0.6);
  CHECK(relevance_of(Method::kTopK, 0.6, 0.8, 20) == 0.6);
}

}  // namespace skillspan::test
