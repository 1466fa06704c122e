#include "core/scan.h"

#include <doctest.h>

#include <cmath>
#include <set>
#include <thread>

#include "oracle.h"

namespace skillspan::test {
namespace {

using Hits = std::vector<std::vector<Scored>>;

Segment plain(Matrix matrix) {
  Segment segment;
  segment.ids = Array<uint32_t>::uninitialised(matrix.rows());
  for (size_t i = 0; i < matrix.rows(); ++i) segment.ids.writable()[i] = uint32_t(i);
  segment.matrix = std::move(matrix);
  return segment;
}

Status scan_into(const Segment& index, const Matrix& queries, size_t m, const Execution& execution,
                 Hits* hits) {
  const RowMask all(index.rows());
  std::vector<TopM> exact(queries.rows(), TopM(m));
  const Status status = scan({index, all}, queries, execution, &exact);
  if (!status.ok()) return status;
  hits->clear();
  for (const TopM& top : exact) hits->push_back(top.sorted());
  return status;
}

Hits search_with(const Segment& index, const Matrix& queries, size_t m, Pool* pool = nullptr) {
  Execution execution;
  execution.pool = pool;
  Hits hits;
  REQUIRE(scan_into(index, queries, m, execution, &hits).ok());
  REQUIRE(hits.size() == queries.rows());
  return hits;
}

// The contract: float64 scores, best first, ties to the lower row; the rows of a float64 scan, save
// where two of its scores differ by less than 1e-6.
void check_against_scan(const Segment& index, const Matrix& queries, size_t m, const Hits& hits) {
  for (size_t q = 0; q < queries.rows(); ++q) {
    CAPTURE(q);
    const std::vector<Scored> expected = best_rows(index.matrix, queries.row(q), m);
    REQUIRE(hits[q].size() == m);
    std::set<uint32_t> ids;
    for (size_t i = 0; i < m; ++i) {
      const Scored& hit = hits[q][i];
      CHECK(ids.insert(hit.id).second);
      CHECK(std::fabs(hit.score - cosine(index.matrix.row(hit.id), queries.row(q),
                                         index.matrix.dim())) < 1e-14);
      CHECK(std::fabs(hit.score - expected[i].score) < 1e-6);
      if (i > 0) CHECK(better(hits[q][i - 1], hit));
    }
  }
}

bool same_bits(const std::vector<Scored>& a, const std::vector<Scored>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Scored& x, const Scored& y) {
    return x.id == y.id && x.score == y.score;
  });
}

}  // namespace

TEST_CASE("scan: the same rows as a float64 scan, for one row, some and all") {
  for (size_t dim : {1, 7, 16, 17, 384}) {
    CAPTURE(dim);
    const Segment index = plain(normalised(random_rows(1200, dim, dim)));
    const Matrix queries = normalised(random_rows(3, dim, dim + 1));
    for (size_t m : {size_t{1}, size_t{10}, size_t{50}, index.rows()}) {
      CAPTURE(m);
      check_against_scan(index, queries, m, search_with(index, queries, m));
    }
  }
}

TEST_CASE("scan: near-duplicates crowd the top and are still ranked as a float64 scan does") {
  const Segment index = plain(normalised(clustered_rows(2000, 64, 20, 1e-4, 1)));
  const Matrix queries = normalised(clustered_rows(20, 64, 20, 0.1, 1));
  check_against_scan(index, queries, 150, search_with(index, queries, 150));
}

TEST_CASE("scan: equal rows have equal scores and go by row, even where the cut divides them") {
  const Segment index = plain(normalised(clustered_rows(3000, 33, 30, 0, 2)));
  const Matrix queries = normalised(random_rows(5, 33, 3));
  const Hits hits = search_with(index, queries, 250);
  for (size_t q = 0; q < queries.rows(); ++q) {
    const std::vector<Scored> expected = best_rows(index.matrix, queries.row(q), 250);
    for (size_t i = 0; i < expected.size(); ++i) CHECK(hits[q][i].id == expected[i].id);
  }
}

TEST_CASE("scan: an index of one row") {
  const Segment index = plain(normalised(random_rows(1, 7, 4)));
  const Hits hits = search_with(index, index.matrix, 1);
  CHECK(hits[0][0].id == 0);
  CHECK(hits[0][0].score == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("scan: no queries, no hits") {
  const Segment index = plain(normalised(random_rows(10, 16, 5)));
  Matrix none;
  REQUIRE(Matrix::copy_normalised(nullptr, 0, 16, &none).ok());
  Pool pool(2);
  CHECK(search_with(index, none, 3).empty());
  CHECK(search_with(index, none, 3, &pool).empty());
}

TEST_CASE("scan: a query has the same hits alone as within a batch") {
  // More queries than one group of the scan (48), and groups of every remainder.
  const Segment index = plain(normalised(clustered_rows(800, 48, 40, 0.2, 6)));
  const Rows rows = random_rows(101, 48, 7);
  const Hits batch = search_with(index, normalised(rows), 20);
  for (size_t q = 0; q < rows.n; ++q) {
    const Rows one{1, 48, {rows.row(q), rows.row(q) + 48}};
    CHECK(same_bits(batch[q], search_with(index, normalised(one), 20)[0]));
  }
}

TEST_CASE("scan: the number of threads changes no bit") {
  // Enough work (2^20 multiply-adds a thread) and enough blocks for four threads to take part.
  const Segment index = plain(normalised(clustered_rows(5000, 128, 50, 0, 8)));
  const Matrix queries = normalised(random_rows(9, 128, 9));
  const Hits alone = search_with(index, queries, 40);
  for (size_t threads : {1, 2, 3, 4}) {
    CAPTURE(threads);
    Pool pool(threads);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const Hits hits = search_with(index, queries, 40, &pool);
      for (size_t q = 0; q < queries.rows(); ++q) CHECK(same_bits(hits[q], alone[q]));
    }
  }
}

TEST_CASE("scan: many searches share one pool") {
  const Segment index = plain(normalised(random_rows(3000, 128, 10)));
  const Matrix queries = normalised(random_rows(12, 128, 11));
  const Hits alone = search_with(index, queries, 10);
  Pool pool(3);
  std::vector<Hits> found(4);
  std::vector<std::thread> callers;
  for (Hits& hits : found)
    callers.emplace_back([&] { scan_into(index, queries, 10, Execution{&pool}, &hits); });
  for (std::thread& caller : callers) caller.join();
  for (const Hits& hits : found)
    for (size_t q = 0; q < queries.rows(); ++q) CHECK(same_bits(hits[q], alone[q]));
}

TEST_CASE("scan: a cancelled search says so and leaves the hits alone") {
  const Segment index = plain(normalised(random_rows(2000, 32, 12)));
  const Matrix queries = normalised(random_rows(2, 32, 13));
  const std::atomic<bool> cancel{true};
  Pool pool(2);
  for (Pool* used : {static_cast<Pool*>(nullptr), &pool}) {
    Hits hits(1);
    CHECK(scan_into(index, queries, 5, Execution{used, &cancel}, &hits).code == Code::kCancelled);
    CHECK(hits.size() == 1);
  }
}

TEST_CASE("scan: a search cancelled on its way ends, complete or cancelled") {
  const Segment index = plain(normalised(random_rows(20000, 64, 14)));
  const Matrix queries = normalised(random_rows(16, 64, 15));
  Pool pool(2);
  std::atomic<bool> cancel{false};
  std::thread caller([&] { cancel = true; });
  Hits hits;
  const Status status = scan_into(index, queries, 5, Execution{&pool, &cancel}, &hits);
  caller.join();
  CHECK((status.ok() ? hits.size() == queries.rows() : status.code == Code::kCancelled));
}

}  // namespace skillspan::test
