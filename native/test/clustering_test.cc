#include <doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/clustering/average_linkage.h"
#include "core/clustering/bisect.h"
#include "core/clustering/components.h"
#include "core/clustering/neighbourhoods.h"
#include "core/clustering/spherical_kmeans.h"
#include "oracle.h"

namespace skillspan::test {
namespace {

using Group = std::vector<uint32_t>;

Group all_of(const Matrix& matrix) {
  Group rows(matrix.rows());
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

double distance(const Matrix& matrix, uint32_t a, uint32_t b) {
  return 1 - cosine(matrix.row(a), matrix.row(b), matrix.stride());
}

double mean_distance(const Matrix& matrix, const Group& a, const Group& b) {
  double sum = 0;
  for (uint32_t i : a)
    for (uint32_t j : b) sum += distance(matrix, i, j);
  return sum / double(a.size() * b.size());
}

struct Linked {
  std::vector<Group> groups;  // ascending, by their lowest row
  std::vector<double> heights;
};

// Joins the closest two of all groups, ties to the lower, until none are closer than the cut.
Linked linked_by_definition(const Matrix& matrix, double cut) {
  Linked linked;
  for (uint32_t i : all_of(matrix)) linked.groups.push_back({i});
  for (;;) {
    double least = cut;
    size_t a = 0, b = 0;
    for (size_t i = 0; i < linked.groups.size(); ++i)
      for (size_t j = i + 1; j < linked.groups.size(); ++j) {
        const double d = mean_distance(matrix, linked.groups[i], linked.groups[j]);
        if (d < least) {
          least = d;
          a = i;
          b = j;
        }
      }
    if (a == b) return linked;
    Group& joined = linked.groups[a];
    joined.insert(joined.end(), linked.groups[b].begin(), linked.groups[b].end());
    std::sort(joined.begin(), joined.end());
    linked.groups.erase(linked.groups.begin() + long(b));
    linked.heights.push_back(least);
  }
}

std::vector<Group> without_small(std::vector<Group> groups, size_t min_size) {
  groups.erase(std::remove_if(groups.begin(), groups.end(),
                              [&](const Group& group) { return group.size() < min_size; }),
               groups.end());
  return groups;
}

Neighbourhoods neighbourhoods_of(const Matrix& matrix, const NeighbourhoodOptions& options,
                                 size_t threads = 1) {
  Pool pool(threads);
  Execution execution;
  execution.pool = &pool;
  Neighbourhoods found;
  REQUIRE(find_neighbourhoods(matrix, options, execution, &found).ok());
  return found;
}

NeighbourhoodOptions unsplit(double cut) {
  NeighbourhoodOptions options;
  options.buckets = 1;
  options.distance = cut;
  options.max_size = 1000;
  options.min_size = 2;
  return options;
}

}  // namespace

TEST_CASE("clustering: average linkage, merge by merge, as it is defined") {
  for (uint64_t seed : {1, 2, 3}) {
    const Matrix matrix = normalised(clustered_rows(40, 12, 6, 0.5, seed));
    Distances distances(matrix.rows());
    for (uint32_t j = 0; j < matrix.rows(); ++j)
      for (uint32_t i = 0; i < j; ++i) distances.at(i, j) = distance(matrix, i, j);
    const std::vector<Merge> merges = average_linkage(std::move(distances));
    const Linked expected = linked_by_definition(matrix, 3);
    REQUIRE(merges.size() == expected.heights.size());
    for (size_t t = 0; t < merges.size(); ++t)
      CHECK(merges[t].height == doctest::Approx(expected.heights[t]).epsilon(1e-9));
    CHECK(merges.back().size == matrix.rows());
  }
}

TEST_CASE("clustering: one bucket gives exactly the clusters of average linkage") {
  for (uint64_t seed : {4, 5, 6}) {
    const Matrix matrix = normalised(clustered_rows(90, 20, 15, 0.4, seed));
    for (double cut : {0.02, 0.08, 0.15, 0.5}) {
      CAPTURE(cut);
      CHECK(neighbourhoods_of(matrix, unsplit(cut)).groups ==
            without_small(linked_by_definition(matrix, cut).groups, 2));
    }
  }
}

TEST_CASE("clustering: components are those of the graph of close rows, within each bucket") {
  const Matrix matrix = normalised(clustered_rows(150, 16, 30, 0.3, 7));
  std::vector<Group> buckets(2);
  for (uint32_t i : all_of(matrix)) buckets[i % 2].push_back(i);
  std::vector<Group> found;
  REQUIRE(close_components(
              matrix, buckets, 0.1, {}, [](double) {}, &found)
              .ok());
  std::map<uint32_t, size_t> component;
  for (size_t c = 0; c < found.size(); ++c)
    for (uint32_t i : found[c]) component[i] = c;
  CHECK(component.size() == matrix.rows());
  CHECK(found.size() > 5);

  // Reached from the lowest row by steps between close rows.
  for (const Group& group : found) {
    std::set<uint32_t> reached{group.front()};
    for (bool grows = true; grows;) {
      grows = false;
      for (uint32_t i : all_of(matrix))
        for (uint32_t from : std::set<uint32_t>(reached))
          if (i % 2 == from % 2 && distance(matrix, i, from) < 0.1)
            grows = reached.insert(i).second || grows;
    }
    CHECK(Group(reached.begin(), reached.end()) == group);
  }
}

TEST_CASE("clustering: k-means ends where every row is with the nearest mean direction") {
  const Matrix matrix = normalised(clustered_rows(300, 24, 8, 0.5, 8));
  KMeansOptions options;
  options.k = 12;
  options.iterations = 500;
  KMeans found;
  double last = 0;
  const auto on_step = [&](double share) {
    CHECK(share >= last);
    last = share;
  };
  REQUIRE(spherical_kmeans(matrix, options, {}, on_step, &found).ok());
  CHECK(last == 1);
  REQUIRE(found.k == 12);
  REQUIRE(found.iterations < options.iterations);
  std::vector<std::vector<float>> means(found.k, std::vector<float>(matrix.stride()));
  for (uint32_t i : all_of(matrix))
    for (size_t t = 0; t < matrix.stride(); ++t) means[found.assignment[i]][t] += matrix.row(i)[t];
  for (uint32_t i : all_of(matrix)) {
    const auto like = [&](size_t c) {
      return cosine(matrix.row(i), means[c].data(), matrix.stride());
    };
    for (size_t c = 0; c < found.k; ++c) CHECK(like(found.assignment[i]) >= like(c) - 1e-6);
  }
}

TEST_CASE("clustering: k-means has no more clusters than there are distinct rows") {
  const Matrix matrix = normalised(clustered_rows(60, 16, 4, 0, 9));
  KMeansOptions options;
  options.k = 50;
  KMeans found;
  REQUIRE(spherical_kmeans(
              matrix, options, {}, [](double) {}, &found)
              .ok());
  CHECK(found.k == 4);
  for (uint32_t i : all_of(matrix))
    for (uint32_t j : all_of(matrix))
      CHECK((found.assignment[i] == found.assignment[j]) == (distance(matrix, i, j) < 1e-6));
}

TEST_CASE("clustering: bisect parts two clumps, and copies into halves") {
  Rows clumps = clustered_rows(40, 16, 2, 0.05, 10);
  const Matrix matrix = normalised(clumps);
  const auto parts = bisect(matrix, all_of(matrix), 3);
  CHECK(parts.first.size() + parts.second.size() == 40);
  for (const Group& part : {parts.first, parts.second})
    for (uint32_t i : part) CHECK(distance(matrix, part.front(), i) < 0.1);

  const Matrix copies = normalised(clustered_rows(11, 16, 1, 0, 11));
  const auto halves = bisect(copies, all_of(copies), 3);
  CHECK(halves.first == Group{0, 1, 2, 3, 4});
  CHECK(halves.second == Group{5, 6, 7, 8, 9, 10});
}

TEST_CASE("clustering: large clusters are split, none of their rows is lost") {
  Rows rows = clustered_rows(500, 24, 12, 0.25, 12);
  for (size_t i = 0; i < 80; ++i) rows.copy(0, i * 3);  // a mass of copies
  const Matrix matrix = normalised(rows);
  NeighbourhoodOptions options = unsplit(0.3);
  const std::vector<Group> clusters = neighbourhoods_of(matrix, options).groups;
  CHECK(std::any_of(clusters.begin(), clusters.end(),
                    [](const Group& group) { return group.size() > 50; }));
  options.max_size = 10;
  options.min_size = 3;
  for (size_t max_linked : {4096, 40}) {
    CAPTURE(max_linked);
    options.max_linked = max_linked;
    std::vector<int> seen(matrix.rows());
    uint32_t last = 0;
    for (const Group& group : neighbourhoods_of(matrix, options).groups) {
      CHECK(group.size() >= 3);
      CHECK(group.size() <= 10);
      CHECK(std::is_sorted(group.begin(), group.end()));
      CHECK(group.front() >= last);
      last = group.front();
      for (uint32_t i : group) ++seen[i];
    }
    CHECK(*std::max_element(seen.begin(), seen.end()) == 1);
    if (max_linked == 4096)
      for (const Group& cluster : without_small(clusters, 3))
        for (uint32_t i : cluster) CHECK(seen[i] == 1);
  }
}

TEST_CASE("clustering: the same for every number of threads, and for every call") {
  Rows rows = clustered_rows(900, 40, 60, 0.4, 13);
  rows.copy(5, 6);
  const Matrix matrix = normalised(rows);
  NeighbourhoodOptions options;
  options.buckets = 9;
  std::atomic<uint32_t> thousandths{0};
  options.thousandths = &thousandths;
  const Neighbourhoods alone = neighbourhoods_of(matrix, options);
  CHECK(thousandths == 1000);
  CHECK(alone.groups.size() > 20);
  CHECK(*std::max_element(alone.bucket.begin(), alone.bucket.end()) == 8);
  for (size_t threads : {2, 3, 8}) {
    const Neighbourhoods found = neighbourhoods_of(matrix, options, threads);
    CHECK(found.groups == alone.groups);
    CHECK(found.bucket == alone.bucket);
  }
  options.seed = 2;
  CHECK(neighbourhoods_of(matrix, options).bucket != alone.bucket);
}

TEST_CASE("clustering: one row, and a job that is cancelled") {
  const Matrix one = normalised(random_rows(1, 16, 14));
  CHECK(neighbourhoods_of(one, {}).groups.empty());
  std::atomic<bool> cancel{true};
  Execution execution;
  execution.cancel = &cancel;
  Neighbourhoods found;
  CHECK(find_neighbourhoods(one, {}, execution, &found).code == Code::kCancelled);
}

}  // namespace skillspan::test
