// Agglomerative clustering by average linkage (UPGMA; Sokal and Michener 1958), exactly, by chains
// of nearest neighbours (Murtagh 1983), which need O(n^2) time and the distances of all pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace skillspan {

// The distances of n points, each pair once.
class Distances {
 public:
  explicit Distances(size_t n) : n_(n), values_(n * (n - 1) / 2) {}
  size_t n() const { return n_; }
  // i and j must differ.
  double& at(size_t i, size_t j) {
    if (i > j) std::swap(i, j);
    return values_[i * n_ - i * (i + 1) / 2 + (j - i - 1)];
  }

 private:
  size_t n_;
  std::vector<double> values_;
};

// Points are the nodes 0 to n - 1; node n + t is made by merge t.
struct Merge {
  uint32_t left;   // the child that holds the lower point
  uint32_t right;  // the other one
  uint32_t size;   // points below the node
  double height;   // mean distance between the points of the two
};

// The n - 1 merges of n >= 1 points, by height, ties in the order in which chains found them. Of
// several nearest neighbours a chain takes the one it came from, else the lowest. Uses the
// distances up.
std::vector<Merge> average_linkage(Distances distances);

}  // namespace skillspan
