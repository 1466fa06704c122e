#include "core/top_m.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>

#include "fixtures.h"

namespace skillspan::test {
namespace {

std::vector<Scored> sorted(std::vector<Scored> scored) {
  std::sort(scored.begin(), scored.end(), better);
  return scored;
}

void check_same(const std::vector<Scored>& a, const std::vector<Scored>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].id == b[i].id);
    CHECK(a[i].score == b[i].score);
  }
}

}  // namespace

TEST_CASE("top_m: the same as a full sort, with many ties and in any order of offers") {
  Random random(1);
  for (size_t n : {1, 2, 10, 500}) {
    std::vector<Scored> all;
    // Only ten different scores: nearly every decision is a tie.
    for (uint32_t i = 0; i < n; ++i) all.push_back({double(random.between(0, 9)), i});
    for (size_t m : {size_t{1}, size_t{2}, n / 2, n}) {
      if (m < 1 || m > n) continue;
      CAPTURE(n);
      CAPTURE(m);
      std::vector<Scored> expected = sorted(all);
      expected.resize(m);
      for (int shuffle = 0; shuffle < 5; ++shuffle) {
        TopM top(m);
        for (const Scored& scored : all) top.offer(scored);
        check_same(sorted(top.kept()), expected);
        std::shuffle(all.begin(), all.end(), random.engine());
      }
    }
  }
}

TEST_CASE("top_m: the threshold is the worst score kept, and lets everything in until full") {
  TopM top(3);
  CHECK(top.threshold() == -INFINITY);
  top.offer({5, 0});
  top.offer({-2, 1});
  CHECK(top.threshold() == -INFINITY);
  top.offer({1, 2});
  CHECK(top.threshold() == -2);
  top.offer({3, 3});
  CHECK(top.threshold() == 1);
}

TEST_CASE("top_m: on a tie with the worst, the lower id stays and the lower id enters") {
  TopM top(1);
  top.offer({1, 5});
  top.offer({1, 7});
  CHECK(top.kept().front().id == 5);
  top.offer({1, 4});
  CHECK(top.kept().front().id == 4);
}

}  // namespace skillspan::test
