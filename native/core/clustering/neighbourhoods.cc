#include "neighbourhoods.h"

#include <algorithm>

#include "average_linkage.h"
#include "bisect.h"
#include "columns.h"
#include "components.h"
#include "spherical_kmeans.h"

namespace skillspan {
namespace {

using Rows = std::vector<uint32_t>;

// Shares of the work, about as they are for 80,000 rows in 200 buckets.
constexpr double kBucketsUpTo = 0.8, kComponentsUpTo = 0.95;

// Splits one component into groups of at most max_size rows.
class Splitter {
 public:
  Splitter(const Matrix& matrix, const NeighbourhoodOptions& options, std::vector<Rows>* groups)
      : matrix_(matrix), options_(options), groups_(groups) {}

  void split_component(const Rows& rows) {
    if (rows.size() < options_.min_size) return;
    if (rows.size() > options_.max_linked) {
      const auto parts = bisect(matrix_, rows, options_.min_size);
      split_component(parts.first);
      split_component(parts.second);
      return;
    }
    const std::vector<Merge> merges = average_linkage(distances_of(rows));
    // Nodes that no merge below the cut has taken in are the clusters.
    const size_t below = size_t(std::lower_bound(merges.begin(), merges.end(), options_.distance,
                                                 [](const Merge& merge, double distance) {
                                                   return merge.height < distance;
                                                 }) -
                                merges.begin());
    std::vector<char> is_part(rows.size() + merges.size());
    for (size_t t = 0; t < below; ++t) is_part[merges[t].left] = is_part[merges[t].right] = 1;
    for (size_t t = 0; t < below; ++t)
      if (!is_part[rows.size() + t]) split_node(rows, merges, uint32_t(rows.size() + t));
  }

 private:
  Distances distances_of(const Rows& rows) const {
    Distances distances(rows.size());
    Columns columns(matrix_.stride());
    for (size_t first = 0; first < rows.size(); first += Columns::kMost)
      visit_pairs(matrix_, rows, first, std::min(Columns::kMost, rows.size() - first), &columns,
                  [&](size_t i, size_t j, double cosine) { distances.at(i, j) = 1 - cosine; });
    return distances;
  }

  void split_node(const Rows& rows, const std::vector<Merge>& merges, uint32_t top) {
    std::vector<uint32_t> nodes{top};
    while (!nodes.empty()) {
      const uint32_t node = nodes.back();
      nodes.pop_back();
      const auto size = [&](uint32_t child) {
        return child < rows.size() ? 1 : merges[child - rows.size()].size;
      };
      const Merge* merge = node < rows.size() ? nullptr : &merges[node - rows.size()];
      if (size(node) > options_.max_size && size(merge->left) >= options_.min_size &&
          size(merge->right) >= options_.min_size) {
        nodes.push_back(merge->left);
        nodes.push_back(merge->right);
      } else {
        halve(leaves(rows, merges, node));
      }
    }
  }

  static Rows leaves(const Rows& rows, const std::vector<Merge>& merges, uint32_t top) {
    Rows found;
    std::vector<uint32_t> nodes{top};
    while (!nodes.empty()) {
      const uint32_t node = nodes.back();
      nodes.pop_back();
      if (node < rows.size()) {
        found.push_back(rows[node]);
      } else {
        nodes.push_back(merges[node - rows.size()].left);
        nodes.push_back(merges[node - rows.size()].right);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  // Until no part has more than max_size rows.
  void halve(Rows rows) {
    if (rows.size() > options_.max_size) {
      auto parts = bisect(matrix_, rows, options_.min_size);
      halve(std::move(parts.first));
      halve(std::move(parts.second));
    } else if (rows.size() >= options_.min_size) {
      groups_->push_back(std::move(rows));
    }
  }

  const Matrix& matrix_;
  const NeighbourhoodOptions& options_;
  std::vector<Rows>* groups_;
};

}  // namespace

Status find_neighbourhoods(const Matrix& matrix, const NeighbourhoodOptions& options,
                           const Execution& execution, Neighbourhoods* result) {
  const auto report = [&](double from, double to, double share) {
    if (options.thousandths) *options.thousandths = uint32_t(1000 * (from + (to - from) * share));
  };
  KMeans kmeans;
  KMeansOptions kmeans_options;
  kmeans_options.k = options.buckets;
  kmeans_options.seed = options.seed;
  Status status = spherical_kmeans(
      matrix, kmeans_options, execution, [&](double share) { report(0, kBucketsUpTo, share); },
      &kmeans);
  if (!status.ok()) return status;
  std::vector<Rows> buckets(kmeans.k);
  for (size_t i = 0; i < matrix.rows(); ++i) buckets[kmeans.assignment[i]].push_back(uint32_t(i));

  std::vector<Rows> components;
  status = close_components(
      matrix, buckets, options.distance, execution,
      [&](double share) { report(kBucketsUpTo, kComponentsUpTo, share); }, &components);
  if (!status.ok()) return status;

  // The largest first, so that no thread is left alone with it.
  std::stable_sort(components.begin(), components.end(),
                   [](const Rows& a, const Rows& b) { return a.size() > b.size(); });
  std::vector<std::vector<Rows>> groups(components.size());
  std::atomic<size_t> next{0}, done{0};
  spread(execution, std::min(execution.threads(), components.size()), [&](size_t) {
    for (size_t c; (c = next.fetch_add(1)) < components.size() && !execution.cancelled();) {
      Splitter(matrix, options, &groups[c]).split_component(components[c]);
      done += components[c].size();
      report(kComponentsUpTo, 1, double(done) / double(matrix.rows()));
    }
  });
  if (execution.cancelled()) return {Code::kCancelled};

  result->groups.clear();
  for (auto& some : groups)
    for (Rows& group : some) result->groups.push_back(std::move(group));
  std::sort(result->groups.begin(), result->groups.end(),
            [](const Rows& a, const Rows& b) { return a.front() < b.front(); });
  result->bucket = std::move(kmeans.assignment);
  return {};
}

}  // namespace skillspan
