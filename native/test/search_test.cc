// Search through codes against a full float64 scan: every route that search() can take.
#include "core/search.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>

#include "core/batch_search.h"
#include "core/code_kernels.h"
#include "core/scan.h"
#include "core/two_level.h"
#include "oracle.h"

namespace skillspan::test {
namespace {

void check_hits(const std::vector<Scored>& hits, const std::vector<Scored>& expected) {
  REQUIRE(hits.size() == expected.size());
  for (size_t i = 0; i < hits.size(); ++i) {
    CHECK(std::fabs(hits[i].score - expected[i].score) < 1e-14);
    // Equal scores may come in another order only where the oracle's rounding tells them apart.
    if (hits[i].score == expected[i].score) CHECK(hits[i].id == expected[i].id);
  }
}

std::vector<std::vector<Scored>> sorted(const std::vector<TopM>& tops) {
  std::vector<std::vector<Scored>> hits;
  for (const TopM& top : tops) hits.push_back(top.sorted());
  return hits;
}

// The best of what the mask has, by the plain route.
std::vector<Scored> best_of(const Segment& segment, const RowMask& mask, const float* x, size_t m) {
  std::vector<Scored> best;
  for (const Scored& row : best_rows(segment.matrix, x, segment.rows()))
    if (mask.has(row.id) && best.size() < m) best.push_back({row.score, segment.ids[row.id]});
  return best;
}

// Every way through one segment, for every number of threads.
void check_segment(const Segment& segment, const RowMask& mask, const Matrix& x, size_t m) {
  std::vector<std::vector<Scored>> expected;
  for (size_t q = 0; q < x.rows(); ++q) expected.push_back(best_of(segment, mask, x.row(q), m));
  for (size_t threads : {1, 3}) {
    CAPTURE(threads);
    Pool pool(threads);
    for (auto way : {scan, two_level_search, gather_search, batch_search}) {
      if (way == batch_search && !batch_pays(kPanelQueries)) continue;  // no panel kernel here
      std::vector<TopM> exact(x.rows(), TopM(m));
      REQUIRE(way({segment, mask}, x, {&pool, nullptr}, &exact).ok());
      const auto hits = sorted(exact);
      for (size_t q = 0; q < x.rows(); ++q) {
        CAPTURE(q);
        check_hits(hits[q], expected[q]);
      }
    }
  }
}

void check_all_routes(const Rows& rows, const Rows& queries, size_t m) {
  const Matrix x = normalised(queries);
  for (Levels levels : {Levels::kCoarse, Levels::kDithered, Levels::kFine}) {
    CAPTURE(int(levels));
    const Segment segment = segment_of(rows, levels);
    check_segment(segment, RowMask(rows.n), x, m);
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
  const Segment segment = segment_of(rows, Levels::kCoarse);
  const RowMask all(rows.n);
  const Matrix x = normalised(clustered_rows(5, 33, 5, 0, 4));
  std::vector<TopM> exact(5, TopM(100));
  REQUIRE(two_level_search({segment, all}, x, {}, &exact).ok());
  for (size_t q = 0; q < 5; ++q) {
    const std::vector<Scored> hits = exact[q].sorted();
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

TEST_CASE("search: masks of every density, with runs, gaps and odd ends") {
  const Rows rows = clustered_rows(1500, 40, 30, 0.3, 21);
  const Matrix x = normalised(clustered_rows(20, 40, 30, 0.3, 22));
  Random random(23);
  for (double share : {0.0005, 0.01, 0.3, 0.97}) {
    CAPTURE(share);
    for (uint32_t step : {1, 3}) {
      for (uint32_t first : {0, 7, 1000}) {
        Allowed allowed{std::vector<uint32_t>((first + 1400 * step) / 32)};
        for (uint32_t& word : allowed.words)
          for (int bit = 0; bit < 32; ++bit) word |= uint32_t(random.uniform() < share) << bit;
        allowed.words.back() |= 1;
        Segment segment = segment_of(rows, Levels::kCoarse, first, step);
        const View view(std::make_shared<const Segment>(std::move(segment)));
        const View thinned = view.without({0, 63, 64, 700, 1499});
        const RowMask mask(thinned, &allowed);
        size_t count = 0;
        for (uint32_t i = 0; i < rows.n; ++i) {
          const bool dead = i == 0 || i == 63 || i == 64 || i == 700 || i == 1499;
          const bool expected = !dead && allowed.has(first + i * step);
          CHECK(mask.has(i) == expected);
          count += expected;
        }
        REQUIRE(mask.count() == count);
        CHECK(mask.rows().size() == count);
        if (count > 0) check_segment(thinned.segment(), mask, x, 9);
      }
    }
  }
}

TEST_CASE("search: several segments answer as one, filtered or not") {
  const Rows rows = clustered_rows(3000, 48, 50, 0.3, 31);
  const auto part = [&](size_t first, size_t n) {
    return Rows{n, 48, {rows.row(first), rows.row(first) + n * 48}};
  };
  std::vector<Segment> segments;
  segments.push_back(segment_of(part(0, 2000), Levels::kCoarse));
  segments.push_back(segment_of(part(2000, 900), Levels::kFine, 2000));
  segments.push_back(segment_of(part(2900, 99), Levels::kNone, 2900));
  segments.push_back(segment_of(part(2999, 1), Levels::kNone, 2999));
  const Snapshot snapshot = snapshot_of(std::move(segments));
  CHECK(snapshot.size() == 3000);
  const Matrix all = normalised(rows), x = normalised(clustered_rows(30, 48, 50, 0.4, 32));
  for (uint32_t mask : {0xffffffffu, 0x80020001u, 0u}) {
    for (size_t b : {1, 5, 30}) {
      std::vector<std::vector<Scored>> hits;
      const Matrix queries = normalised(Rows{b, 48, {x.row(0), x.row(0) + b * 48}});
      SearchOptions options{{},
                            std::make_shared<Allowed>(Allowed{std::vector<uint32_t>(94, mask)})};
      for (size_t q = 0; q < b; ++q) options.m.push_back(q % 3 == 1 ? 3 : 60);
      REQUIRE(search(snapshot, queries, options, {}, &hits).ok());
      REQUIRE(hits.size() == b);
      for (size_t q = 0; q < b; ++q) {
        std::vector<Scored> expected;
        for (const Scored& row : best_rows(all, queries.row(q), 3000))
          if (options.allowed->has(row.id) && expected.size() < options.m[q])
            expected.push_back(row);
        check_hits(hits[q], expected);
      }
    }
  }
}

TEST_CASE("search: more wanted than there are") {
  std::vector<Segment> segments;
  segments.push_back(segment_of(random_rows(20, 16, 33), Levels::kCoarse));
  segments.push_back(segment_of(random_rows(5, 16, 34), Levels::kNone, 20));
  std::vector<std::vector<Scored>> hits;
  const Matrix one = normalised(random_rows(1, 16, 35)), two = normalised(random_rows(2, 16, 35));
  REQUIRE(
      search(snapshot_of(std::move(segments)), one, top_of_each(one, 4000000000), {}, &hits).ok());
  CHECK(hits[0].size() == 25);
  REQUIRE(search(Snapshot(16, {}), two, top_of_each(two, 10), {}, &hits).ok());
  CHECK(hits.size() == 2);
  CHECK(hits[1].empty());
}

TEST_CASE("scores for ids: those of a search, over all segments; NaN for an id that is not there") {
  const Rows rows = random_rows(90, 20, 41);
  std::vector<Segment> segments;
  segments.push_back(segment_of({60, 20, {rows.row(0), rows.row(60)}}, Levels::kNone));
  segments.push_back(segment_of({30, 20, {rows.row(60), rows.row(0) + 1800}}, Levels::kNone, 60));
  const Snapshot snapshot = snapshot_of(std::move(segments));
  const Matrix x = normalised(random_rows(3, 20, 42));
  std::vector<std::vector<Scored>> hits;
  REQUIRE(search(snapshot, x, top_of_each(x, 90), {}, &hits).ok());
  for (size_t q = 0; q < 3; ++q) {
    std::vector<uint32_t> ids;
    for (const Scored& hit : hits[q]) ids.push_back(hit.id);
    ids[7] = 90;
    const std::vector<double> scores = scores_for(snapshot, x, ids);
    REQUIRE(scores.size() == 270);
    for (size_t i = 0; i < 90; ++i) {
      if (i == 7) {
        CHECK(std::isnan(scores[q * 90 + i]));
      } else {
        CHECK(scores[q * 90 + i] == hits[q][i].score);
      }
    }
  }
}

TEST_CASE("search: cancelled, by every route") {
  const std::atomic<bool> cancel{true};
  const Execution execution{nullptr, &cancel};
  std::vector<Segment> segments;
  segments.push_back(segment_of(random_rows(2000, 32, 8), Levels::kCoarse));
  const Snapshot index = snapshot_of(std::move(segments));
  std::vector<std::vector<Scored>> hits;
  for (uint32_t mask : {0xffffffffu, 1u})
    for (size_t b : {1, 3, 80}) {
      const Matrix queries = normalised(random_rows(b, 32, 9));
      const SearchOptions options = top_of_each(
          queries, 5, std::make_shared<Allowed>(Allowed{std::vector<uint32_t>(63, mask)}));
      CHECK(search(index, queries, options, execution, &hits).code == Code::kCancelled);
    }
}

TEST_CASE("segment: a small one has no codes, a large one has") {
  Segment small = segment_of(random_rows(100, 32, 10), Levels::kNone);
  Segment large = segment_of(random_rows(70000, 16, 11), Levels::kNone);
  CHECK_FALSE(small.lacks_codes());
  CHECK(large.lacks_codes());
  REQUIRE(small.encode(Exactness::kCertain, nullptr).ok());
  REQUIRE(large.encode(Exactness::kCertain, nullptr).ok());
  CHECK(small.codes.empty());
  CHECK_FALSE(large.codes.empty());
  const Matrix x = normalised(random_rows(2, 16, 12));
  std::vector<std::vector<Scored>> expected, hits;
  for (size_t q = 0; q < 2; ++q) expected.push_back(best_rows(large.matrix, x.row(q), 30));
  std::vector<Segment> segments;
  segments.push_back(std::move(large));
  REQUIRE(search(snapshot_of(std::move(segments)), x, top_of_each(x, 30), {}, &hits).ok());
  for (size_t q = 0; q < 2; ++q) check_hits(hits[q], expected[q]);
}

}  // namespace skillspan::test
