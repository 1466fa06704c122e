#include "average_linkage.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace skillspan {
namespace {

// Clusters go by their lowest point while they are merged.
struct Found {
  uint32_t kept, gone;
  double height;
};

std::vector<Found> chains(Distances* distances) {
  const size_t n = distances->n();
  std::vector<uint32_t> size(n, 1), chain, active(n);
  std::iota(active.begin(), active.end(), 0u);
  std::vector<Found> merges;
  while (active.size() > 1) {
    if (chain.empty()) chain.push_back(active.front());
    uint32_t x = chain.back(), y = 0;
    double least = std::numeric_limits<double>::infinity();
    if (chain.size() > 1) {
      y = chain[chain.size() - 2];
      least = distances->at(x, y);
    }
    for (uint32_t i : active) {
      if (i == x || !(distances->at(x, i) < least)) continue;
      least = distances->at(x, i);
      y = i;
    }
    if (chain.size() == 1 || y != chain[chain.size() - 2]) {
      chain.push_back(y);
      continue;
    }
    chain.resize(chain.size() - 2);
    if (x > y) std::swap(x, y);
    active.erase(std::lower_bound(active.begin(), active.end(), y));
    // Lance and Williams 1967: the mean over the pairs of both.
    for (uint32_t i : active)
      if (i != x)
        distances->at(x, i) =
            (size[x] * distances->at(x, i) + size[y] * distances->at(y, i)) / (size[x] + size[y]);
    size[x] += size[y];
    merges.push_back({x, y, least});
  }
  return merges;
}

}  // namespace

std::vector<Merge> average_linkage(Distances distances) {
  const size_t n = distances.n();
  std::vector<Found> found = chains(&distances);
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.height < b.height; });

  // The node that holds a point so far: the top of a path of parents, shortened as it is walked.
  std::vector<uint32_t> parent(n + found.size()), lowest(n + found.size()), size(parent.size(), 1);
  std::iota(parent.begin(), parent.end(), 0u);
  std::iota(lowest.begin(), lowest.end(), 0u);
  const auto top = [&](uint32_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  std::vector<Merge> merges;
  for (const Found& merge : found) {
    uint32_t left = top(merge.kept), right = top(merge.gone);
    if (lowest[left] > lowest[right]) std::swap(left, right);
    const uint32_t node = uint32_t(n + merges.size());
    parent[left] = parent[right] = node;
    lowest[node] = lowest[left];
    size[node] = size[left] + size[right];
    merges.push_back({left, right, size[node], merge.height});
  }
  return merges;
}

}  // namespace skillspan
