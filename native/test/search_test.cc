// Search through codes against a full float64 scan: every route that search() can take.
#include "core/search.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>

#include "core/batch_search.h"
#include "core/code_kernels.h"
#include "core/two_level.h"
#include "oracle.h"

namespace skillspan::test {
namespace {

enum class Levels { kCoarse, kFine };

Index coded(const Rows& rows, Levels levels) {
  Index index;
  index.matrix = normalised(rows);
  REQUIRE(Quantized::build(index.matrix, nullptr, &index.codes).ok());
  // Far enough to either side that no search of a test changes it.
  index.levels->start_from(levels == Levels::kFine ? 1e9f : -1e9f);
  return index;
}

void check_hits(const std::vector<Scored>& hits, const std::vector<Scored>& expected) {
  REQUIRE(hits.size() == expected.size());
  for (size_t i = 0; i < hits.size(); ++i) {
    CHECK(std::fabs(hits[i].score - expected[i].score) < 1e-14);
    // Equal scores may come in another order only where the oracle's rounding tells them apart.
    if (hits[i].score == expected[i].score) CHECK(hits[i].id == expected[i].id);
  }
}

void check_all_routes(const Rows& rows, const Rows& queries, size_t m) {
  const Matrix x = normalised(queries);
  std::vector<std::vector<Scored>> expected;
  for (Levels levels : {Levels::kCoarse, Levels::kFine}) {
    CAPTURE(int(levels));
    const Index index = coded(rows, levels);
    for (size_t q = expected.size(); q < queries.n; ++q)
      expected.push_back(best_rows(index.matrix, x.row(q), m));
    for (size_t threads : {1, 3}) {
      CAPTURE(threads);
      Pool pool(threads);
      const Execution execution{&pool, nullptr};
      for (size_t q = 0; q < std::min<size_t>(queries.n, 6); ++q) {
        CAPTURE(q);
        std::vector<Scored> hits;
        REQUIRE(two_level_search(index, x, q, m, execution, &hits).ok());
        check_hits(hits, expected[q]);
      }
      std::vector<std::vector<Scored>> all;
      REQUIRE(search(index, x, m, execution, &all).ok());
      for (size_t q = 0; q < queries.n; ++q) check_hits(all[q], expected[q]);
      if (!batch_pays(kPanelQueries)) continue;  // this instruction set has no panel kernel
      REQUIRE(batch_search(index, x, m, execution, &all).ok());
      for (size_t q = 0; q < queries.n; ++q) check_hits(all[q], expected[q]);
    }
  }
}

}  // namespace

TEST_CASE("search by codes: random vectors, where bounds rule out least") {
  check_all_routes(random_rows(3000, 40, 1), random_rows(5, 40, 2), 20);
}

TEST_CASE("search by codes: near-duplicates, and queries among them") {
  check_all_routes(clustered_rows(1500, 96, 30, 0.2, 3), clustered_rows(70, 96, 30, 0.2, 3), 50);
}

TEST_CASE("search by codes: exact duplicates tie in the order of their rows") {
  const Rows rows = clustered_rows(2500, 33, 5, 0, 4);
  const Index index = coded(rows, Levels::kCoarse);
  const Matrix x = normalised(clustered_rows(5, 33, 5, 0, 4));
  for (size_t q = 0; q < 5; ++q) {
    std::vector<Scored> hits;
    REQUIRE(two_level_search(index, x, q, 100, {}, &hits).ok());
    for (uint32_t i = 0; i < 100; ++i) CHECK(hits[i].id == q + 5 * i);
  }
  check_all_routes(rows, clustered_rows(9, 33, 5, 0.1, 5), 100);
}

TEST_CASE("search by codes: odd sizes") {
  for (auto [n, dim, m] : {std::tuple<size_t, size_t, size_t>{1, 1, 1},
                           {2, 3, 2},
                           {15, 16, 1},
                           {16, 64, 2},
                           {17, 65, 17},
                           {385, 7, 3},
                           {1000, 130, 1000}}) {
    CAPTURE(n);
    check_all_routes(random_rows(n, dim, n), random_rows(9, dim, n + 1), m);
  }
}

TEST_CASE("search by codes: one huge coordinate, denormals and a constant among ordinary rows") {
  Rows rows = random_rows(500, 48, 6);
  for (size_t t = 0; t < 48; ++t) {
    rows.row(7)[t] = t == 5 ? 3e38f : 1;
    rows.row(8)[t] = 1e-44f;
    rows.row(9)[t] = 1;
  }
  Rows queries = random_rows(4, 48, 7);
  for (size_t i = 0; i < 3; ++i) std::copy_n(rows.row(7 + i), 48, queries.row(i));
  check_all_routes(rows, queries, 10);
}

TEST_CASE("level choice: coarse first while few survive, with a try now and then") {
  LevelChoice choice;
  CHECK(choice.coarse_first());
  for (int i = 0; i < 20; ++i) choice.learn(0.6f);
  int tries = 0;
  for (int i = 0; i < 640; ++i) tries += choice.coarse_first();
  CHECK(tries == 10);
  for (int i = 0; i < 20; ++i) choice.learn(0.1f);
  CHECK(choice.coarse_first());
}

TEST_CASE("search: cancelled, by every route") {
  const std::atomic<bool> cancel{true};
  const Execution execution{nullptr, &cancel};
  const Index index = coded(random_rows(2000, 32, 8), Levels::kCoarse);
  std::vector<std::vector<Scored>> hits;
  for (size_t b : {1, 3, 80})
    CHECK(search(index, normalised(random_rows(b, 32, 9)), 5, execution, &hits).code ==
          Code::kCancelled);
}

TEST_CASE("search: a small index has no codes, a large one has") {
  Index small, large;
  const Rows few = random_rows(100, 32, 10), many = random_rows(70000, 16, 11);
  REQUIRE(Index::build(few.row(0), few.n, few.dim, nullptr, &small).ok());
  REQUIRE(Index::build(many.row(0), many.n, many.dim, nullptr, &large).ok());
  CHECK(small.codes.empty());
  CHECK_FALSE(large.codes.empty());
  const Matrix x = normalised(random_rows(2, 16, 12));
  std::vector<std::vector<Scored>> hits;
  REQUIRE(search(large, x, 30, {}, &hits).ok());
  for (size_t q = 0; q < 2; ++q) check_hits(hits[q], best_rows(large.matrix, x.row(q), 30));
}

}  // namespace skillspan::test
