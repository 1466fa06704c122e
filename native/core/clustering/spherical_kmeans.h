// Spherical k-means (Dhillon and Modha 2001): unit vectors, centroids scaled to norm 1, similarity
// by cosine. Seeded by k-means++ (Arthur and Vassilvitskii 2007), whose squared distance between
// unit vectors is 2 - 2 cos.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "../execution.h"
#include "../matrix.h"

namespace skillspan {

struct KMeansOptions {
  size_t k = 200;  // at least 1; fewer clusters come of fewer distinct vectors
  uint64_t seed = 1;
  size_t iterations = 50;  // at most so many
};

struct KMeans {
  std::vector<uint32_t> assignment;  // of each row, below k; a row ties to the lower centroid
  size_t k = 0;
  size_t iterations = 0;  // done; fewer than allowed where no row changed its centroid
};

// The same whatever the number of threads. on_step(share) is called on the calling thread with the
// share of the work that is done, in [0, 1]. Answers kCancelled or kOk.
Status spherical_kmeans(const Matrix& matrix, const KMeansOptions& options,
                        const Execution& execution, const std::function<void(double)>& on_step,
                        KMeans* result);

}  // namespace skillspan
