// Groups of vectors that are easily confused (arXiv 2608.04482): spherical k-means into buckets,
// average linkage within each bucket, cut at a cosine distance, groups that are too large split.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "../execution.h"
#include "../matrix.h"

namespace skillspan {

struct NeighbourhoodOptions {
  size_t buckets = 200;      // at least 1; capped by the number of rows
  double distance = 0.15;    // groups whose mean distance 1 - cosine is below it are joined
  size_t max_size = 10;      // at least 2 min_size - 1
  size_t min_size = 3;       // at least 2; rows of smaller groups are single
  uint64_t seed = 1;         // of k-means++
  size_t max_linked = 4096;  // rows whose pairwise distances are held at once: 67 MB a thread
  std::atomic<uint32_t>* thousandths = nullptr;  // of the work that are done
};

struct Neighbourhoods {
  std::vector<std::vector<uint32_t>> groups;  // ascending, by their lowest row
  std::vector<uint32_t> bucket;               // of each row
};

// The same for every number of threads and every instruction set.
//
// 1. Buckets only bound the cost: k-means, at most 50 iterations.
// 2. Components of a bucket (components.h) of more than max_linked rows are bisected until they
// have no more; smaller ones are clustered exactly.
// 3. A cluster of more than max_size rows is split at the top of its dendrogram, and its parts
// again; where that would part fewer than min_size rows from the rest, as chains and copies make
// it, by bisect() instead, so that no row loses its neighbours for want of room.
//
// Answers kCancelled or kOk.
Status find_neighbourhoods(const Matrix& matrix, const NeighbourhoodOptions& options,
                           const Execution& execution, Neighbourhoods* result);

}  // namespace skillspan
