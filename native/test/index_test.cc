// Vectors that come and go, against a plain map of what should be there.
#include "core/index.h"

#include <doctest.h>

#include <cmath>
#include <map>
#include <thread>

#include "core/search.h"
#include "oracle.h"

namespace skillspan::test {
namespace {

constexpr size_t kDim = 24;

using Vector = std::vector<float>;

Vector vector_of(Random& random) {
  Vector values(kDim);
  for (float& value : values) value = float(random.gauss());
  return values;
}

Index::Change change_of(const std::vector<std::pair<uint32_t, Vector>>& added,
                        std::vector<uint32_t> removed) {
  Index::Change change;
  Rows rows{added.size(), kDim, {}};
  for (const auto& [id, values] : added) {
    change.ids.push_back(id);
    rows.values.insert(rows.values.end(), values.begin(), values.end());
  }
  if (rows.n > 0) change.rows = normalised(rows);
  change.removed = std::move(removed);
  return change;
}

// Every vector is there once, under its id, and is found.
void check_holds(const Index& index, const std::map<uint32_t, Vector>& expected, Random& random) {
  const auto snapshot = index.snapshot();
  REQUIRE(snapshot->size() == expected.size());
  Rows rows{expected.size(), kDim, {}};
  std::vector<uint32_t> ids;
  for (const auto& [id, values] : expected) {
    rows.values.insert(rows.values.end(), values.begin(), values.end());
    ids.push_back(id);
  }
  if (ids.empty()) return;
  const Matrix all = normalised(rows), x = normalised({1, kDim, vector_of(random)});
  std::vector<std::vector<Scored>> hits;
  REQUIRE(search(*snapshot, x, top_of_each(x, 12), {}, &hits).ok());
  const std::vector<Scored> best = best_rows(all, x.row(0), std::min<size_t>(12, ids.size()));
  REQUIRE(hits[0].size() == best.size());
  for (size_t i = 0; i < best.size(); ++i) {
    CHECK(hits[0][i].id == ids[best[i].id]);
    CHECK(std::fabs(hits[0][i].score - best[i].score) < 1e-12);
  }
  for (size_t i = 0; i < ids.size(); i += 7) {
    const Snapshot::Place place = snapshot->locate(ids[i]);
    REQUIRE(place.segment != nullptr);
    CHECK(std::equal(all.row(i), all.row(i) + kDim, place.segment->matrix.row(place.row)));
  }
  CHECK(snapshot->locate(4000000000u).segment == nullptr);
}

}  // namespace

TEST_CASE("index: random changes, tidied up now and then") {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Index index(kDim, Exactness::kCertain);
    std::map<uint32_t, Vector> expected;
    for (int step = 0; step < 150; ++step) {
      std::vector<std::pair<uint32_t, Vector>> added;
      std::vector<uint32_t> removed;
      for (int i = random.between(0, step % 10 == 0 ? 300 : 5); i > 0; --i)
        added.emplace_back(random.between(0, 2000), vector_of(random));
      for (int i = random.between(0, step % 7 == 0 ? 500 : 3); i > 0; --i)
        removed.push_back(uint32_t(random.between(0, 2000)));
      for (uint32_t id : removed) expected.erase(id);
      for (const auto& [id, values] : added) expected[id] = values;
      REQUIRE(index.apply(index.stage(change_of(added, removed))).ok());
      if (step % 3 == 0) check_holds(index, expected, random);
      if (step % 5 == 0 && index.claim_tidying()) {
        CHECK_FALSE(index.claim_tidying());
        index.tidy();
        check_holds(index, expected, random);
        CHECK_FALSE(index.claim_tidying());
      }
    }
    // Logarithmically few segments remain, and few dead rows in them.
    size_t rows = 0;
    for (const View& view : index.snapshot()->views()) rows += view.segment().rows();
    CHECK(index.snapshot()->views().size() <= 12);
    CHECK(rows <= 2 * expected.size() + 512);
  }
}

TEST_CASE("index: changes apply in the order of stage(), of equal ids the last counts") {
  Index index(kDim, Exactness::kCertain);
  Random random(1);
  const Vector a = vector_of(random), b = vector_of(random), c = vector_of(random);
  const auto first = index.stage(change_of({{5, a}, {9, b}, {5, c}}, {}));
  const auto second = index.stage(change_of({{9, a}}, {5}));
  REQUIRE(index.apply(second).ok());  // and the first before it
  REQUIRE(index.apply(first).ok());
  check_holds(index, {{9, a}}, random);
}

TEST_CASE("index: a snapshot stays what it was, and nothing of it is copied") {
  Random random(2);
  Index index(segment_of(random_rows(5000, kDim, 3), Levels::kNone), Exactness::kCertain);
  const auto before = index.snapshot();
  const float* rows = before->views()[0].segment().matrix.row(0);
  REQUIRE(
      index.apply(index.stage(change_of({{7, vector_of(random)}, {6000, vector_of(random)}}, {8})))
          .ok());
  CHECK(before->size() == 5000);
  CHECK(before->views()[0].is_live(7));
  CHECK(index.snapshot()->size() == 5000);
  CHECK(index.snapshot()->views()[0].segment().matrix.row(0) == rows);
  CHECK_FALSE(index.snapshot()->views()[0].is_live(7));
  CHECK_FALSE(index.claim_tidying());
}

TEST_CASE("index: codes are made while tidying up, over the same rows") {
  for (const Exactness exactness : {Exactness::kCertain, Exactness::kProbable}) {
    Index index(64, exactness);
    Index::Change change;
    const Rows rows = random_rows(17000, 64, 4);
    change.rows = normalised(rows);
    for (uint32_t i = 0; i < rows.n; ++i) change.ids.push_back(i);
    REQUIRE(index.apply(index.stage(std::move(change))).ok());
    const auto before = index.snapshot();
    CHECK(before->views()[0].segment().codes.empty());
    REQUIRE(index.claim_tidying());
    index.tidy();
    const Segment& segment = index.snapshot()->views()[0].segment();
    CHECK_FALSE(segment.codes.empty());
    CHECK(segment.codes.dithered() == (exactness == Exactness::kProbable));
    CHECK(segment.matrix.row(0) == before->views()[0].segment().matrix.row(0));
  }
}

TEST_CASE("index: searched and changed while it is tidied up") {
  Index index(segment_of(random_rows(3000, kDim, 5), Levels::kNone), Exactness::kCertain);
  std::map<uint32_t, Vector> expected;
  const Rows rows = random_rows(3000, kDim, 5);
  for (uint32_t i = 0; i < rows.n; ++i) expected[i] = {rows.row(i), rows.row(i) + kDim};
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    const Matrix x = normalised(random_rows(1, kDim, 6));
    while (!stop) {
      const auto snapshot = index.snapshot();
      std::vector<std::vector<Scored>> hits;
      REQUIRE(search(*snapshot, x, top_of_each(x, 20), {}, &hits).ok());
      CHECK(hits[0].size() == 20);
    }
  });
  std::thread cleaner([&] {
    while (!stop)
      if (index.claim_tidying()) index.tidy();
  });
  Random random(7);
  for (int step = 0; step < 400; ++step) {
    const auto id = uint32_t(random.between(0, 4000));
    const Vector values = vector_of(random);
    const auto gone = uint32_t(random.between(0, 4000));
    expected.erase(gone);
    expected[id] = values;
    REQUIRE(index.apply(index.stage(change_of({{id, values}}, {gone}))).ok());
  }
  stop = true;
  reader.join();
  cleaner.join();
  check_holds(index, expected, random);
}

}  // namespace skillspan::test
