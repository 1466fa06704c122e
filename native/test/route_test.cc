#include "core/route.h"

#include <doctest.h>

#include "oracle.h"

namespace skillspan::test {
namespace {

RouteOptions options(Method method) {
  RouteOptions options;
  options.candidates = 40;
  options.select.method = method;
  options.select.k = 8;
  options.select.lambda = 0.7;
  options.select.explain = true;
  return options;
}

Snapshot indexed(const Rows& rows) {
  std::vector<Segment> segments;
  segments.push_back(segment_of(rows, Levels::kCoarse));
  return snapshot_of(std::move(segments));
}

void check_same(const Routed& a, const Routed& b) {
  REQUIRE(a.candidates.size() == b.candidates.size());
  for (size_t i = 0; i < a.candidates.size(); ++i) {
    CHECK(a.candidates[i].id == b.candidates[i].id);
    CHECK(a.candidates[i].score == b.candidates[i].score);
  }
  CHECK(a.selection.order == b.selection.order);
  CHECK(a.selection.gains == b.selection.gains);
  CHECK(a.selection.filled == b.selection.filled);
  CHECK(a.selection.ranked == b.selection.ranked);
  CHECK(a.selection.overlaps.nearest == b.selection.overlaps.nearest);
  CHECK(a.selection.overlaps.overlap == b.selection.overlaps.overlap);
}

// The same by its parts: search, then relevance and selection of each query's own candidates.
Routed step_by_step(const Snapshot& index, const Rows& query, const RouteOptions& options) {
  Routed routed;
  std::vector<std::vector<Scored>> hits;
  const Matrix x = normalised(query);
  REQUIRE(search(index, x, top_of_each(x, options.candidates), Execution{}, &hits).ok());
  routed.candidates = hits[0];
  const Matrix& matrix = index.views()[0].segment().matrix;
  Rows rows{hits[0].size(), matrix.dim(), {}};
  std::vector<double> relevance;
  for (const Scored& hit : hits[0]) {
    rows.values.insert(rows.values.end(), matrix.row(hit.id), matrix.row(hit.id) + matrix.dim());
    relevance.push_back(
        relevance_of(options.select.method, hit.score, hits[0][0].score, options.sharpness));
  }
  routed.selection = select(OwnedCandidates(rows, query, relevance).view(), options.select);
  return routed;
}

}  // namespace

TEST_CASE("route: search and selection in one, by every method and number of threads") {
  const Snapshot index = indexed(clustered_rows(2000, 96, 60, 0.3, 1));
  const Rows queries = clustered_rows(30, 96, 60, 0.5, 1);
  for (Method method : {Method::kDsr, Method::kDppCosine, Method::kMmr, Method::kTopK}) {
    const RouteOptions chosen = options(method);
    std::vector<Routed> alone;
    REQUIRE(route(index, normalised(queries), chosen, {}, &alone).ok());
    REQUIRE(alone.size() == queries.n);
    for (size_t q = 0; q < queries.n; ++q) {
      CAPTURE(q);
      const Rows query{1, 96, {queries.row(q), queries.row(q) + 96}};
      check_same(alone[q], step_by_step(index, query, chosen));
    }
    for (size_t threads : {1, 2, 3, 4}) {
      CAPTURE(threads);
      Pool pool(threads);
      std::vector<Routed> spread;
      REQUIRE(route(index, normalised(queries), chosen, {&pool, nullptr}, &spread).ok());
      REQUIRE(spread.size() == queries.n);
      for (size_t q = 0; q < queries.n; ++q) check_same(spread[q], alone[q]);
    }
  }
}

TEST_CASE("route: a pool of every row, and a shortlist of every candidate") {
  const Snapshot index = indexed(random_rows(25, 16, 2));
  RouteOptions all = options(Method::kDsr);
  all.candidates = all.select.k = 25;
  std::vector<Routed> routed;
  REQUIRE(route(index, index.views()[0].segment().matrix, all, {}, &routed).ok());
  for (const Routed& one : routed) {
    CHECK(one.candidates.size() == 25);
    CHECK(one.selection.ranked.size() == 25);
    // Relevance falls with the similarity, so the ranked shortlist is the pool in its own order.
    for (uint32_t i = 0; i < 25; ++i) CHECK(one.selection.ranked[i] == i);
  }
}

TEST_CASE("route: fewer allowed than the shortlist would have, and none") {
  const Snapshot index = indexed(random_rows(60, 16, 4));
  RouteOptions few = options(Method::kDsr);
  std::vector<Routed> routed;
  few.allowed = std::make_shared<const Allowed>(Allowed{{0x90, 0x2}});
  REQUIRE(route(index, normalised(random_rows(2, 16, 5)), few, {}, &routed).ok());
  for (const Routed& one : routed) {
    CHECK(one.candidates.size() == 3);
    CHECK(one.selection.ranked.size() == 3);
  }
  few.allowed = std::make_shared<const Allowed>();
  REQUIRE(route(index, normalised(random_rows(2, 16, 5)), few, {}, &routed).ok());
  for (const Routed& one : routed) CHECK(one.selection.ranked.empty());
}

TEST_CASE("route: cancelled") {
  const Snapshot index = indexed(random_rows(100, 16, 3));
  const std::atomic<bool> cancel{true};
  std::vector<Routed> routed;
  CHECK(route(index, index.views()[0].segment().matrix, options(Method::kDsr), {nullptr, &cancel},
              &routed)
            .code == Code::kCancelled);
}

}  // namespace skillspan::test
