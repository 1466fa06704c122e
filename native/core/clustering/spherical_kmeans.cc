#include "spherical_kmeans.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace skillspan {
namespace {

constexpr size_t kBlock = 256;  // rows that a thread takes at a time

// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every machine.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}

  // In [0, 1), with 53 bits.
  double next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

class Clustering {
 public:
  Clustering(const Matrix& matrix, const KMeansOptions& options, const Execution& execution)
      : matrix_(matrix), options_(options), execution_(execution), assignment_(matrix.rows(), 0) {}

  // Chooses the first centroids among the rows; fewer than k where all others equal one of them.
  void seed(const std::function<void(double)>& on_step) {
    Numbers numbers(options_.seed);
    const size_t n = matrix_.rows(), k = std::min(options_.k, n);
    std::vector<double> distance(n, 2);
    add_centroid(std::min(n - 1, size_t(numbers.next() * double(n))));
    while (k_ < k && !execution_.cancelled()) {
      shorten(&distance);
      double total = 0;
      for (double d : distance) total += d;
      if (total <= 0) break;
      double left = numbers.next() * total;
      // Rounding may leave a little over: then it is the last row that is no centroid yet.
      size_t chosen = 0;
      for (size_t i = 0; i < n && left >= 0; ++i) {
        if (distance[i] <= 0) continue;
        chosen = i;
        left -= distance[i];
      }
      add_centroid(chosen);
      on_step(double(k_) / double(k));
    }
  }

  // Answers whether a row changed its centroid.
  bool assign() {
    std::atomic<bool> changed{false};
    over_blocks([&](size_t first, size_t n, std::vector<double>* dots) {
      dots->resize(k_ * kGroup);
      for (size_t i = first; i < first + n; i += kGroup) {
        const size_t count = std::min(kGroup, first + n - i);
        const float* rows[kGroup];
        for (size_t r = 0; r < count; ++r) rows[r] = matrix_.row(i + r);
        active_kernels().dot_group(rows, count, centroids_.data(), k_, matrix_.stride(),
                                   dots->data());
        for (size_t r = 0; r < count; ++r) {
          size_t best = 0;
          for (size_t c = 1; c < k_; ++c)
            if ((*dots)[c * kGroup + r] > (*dots)[best * kGroup + r]) best = c;
          if (assignment_[i + r] == best) continue;
          assignment_[i + r] = uint32_t(best);
          changed.store(true, std::memory_order_relaxed);
        }
      }
    });
    return changed;
  }

  // Each centroid becomes the direction of the sum of its rows, added in their order. One without
  // rows, or whose rows cancel out, stays where it is.
  void update() {
    std::vector<std::vector<uint32_t>> members(k_);
    for (size_t i = 0; i < assignment_.size(); ++i) members[assignment_[i]].push_back(uint32_t(i));
    std::atomic<size_t> next{0};
    spread(execution_, execution_.threads(), [&](size_t) {
      std::vector<double> sum(matrix_.stride());
      for (size_t c; (c = next.fetch_add(1)) < k_ && !execution_.cancelled();) {
        std::fill(sum.begin(), sum.end(), 0);
        for (uint32_t i : members[c]) {
          const float* row = matrix_.row(i);
          for (size_t t = 0; t < sum.size(); ++t) sum[t] += row[t];
        }
        double squared = 0;
        for (double s : sum) squared += s * s;
        if (squared == 0) continue;
        const double scale = 1 / std::sqrt(squared);
        for (size_t t = 0; t < sum.size(); ++t) centroids_[c * sum.size() + t] = sum[t] * scale;
      }
    });
  }

  size_t k() const { return k_; }
  std::vector<uint32_t> take_assignment() { return std::move(assignment_); }

 private:
  // work(first row, number of rows, scratch of the thread)
  void over_blocks(const std::function<void(size_t, size_t, std::vector<double>*)>& work) {
    const size_t n = matrix_.rows();
    std::atomic<size_t> next{0};
    spread(execution_, std::min(execution_.threads(), (n + kBlock - 1) / kBlock), [&](size_t) {
      std::vector<double> scratch;
      for (size_t i; (i = next.fetch_add(kBlock)) < n && !execution_.cancelled();)
        work(i, std::min(kBlock, n - i), &scratch);
    });
  }

  void add_centroid(size_t row) {
    const size_t stride = matrix_.stride();
    centroids_.resize((k_ + 1) * stride);
    double* centroid = centroids_.data() + k_ * stride;
    active_kernels().widen_row(matrix_.row(row), stride, centroid);
    for (size_t t = 0; t < stride; ++t) centroid[t] /= matrix_.norm(row);
    newest_ = row;
    ++k_;
  }

  // distance[i] becomes the least over the centroids, knowing what it was before the newest.
  void shorten(std::vector<double>* distance) {
    over_blocks([&](size_t first, size_t n, std::vector<double>* dots) {
      dots->resize(n);
      const float* rows[kBlock];
      for (size_t i = 0; i < n; ++i) rows[i] = matrix_.row(first + i);
      active_kernels().dot_gather(rows, n, matrix_.row(newest_), matrix_.stride(), dots->data());
      for (size_t i = 0; i < n; ++i) {
        const double cosine = (*dots)[i] / (matrix_.norm(first + i) * matrix_.norm(newest_));
        // Equal rows must not be chosen again because of rounding.
        const double d = cosine > 1 - 1e-12 ? 0 : 1 - cosine;
        (*distance)[first + i] = std::min((*distance)[first + i], d);
      }
    });
  }

  const Matrix& matrix_;
  const KMeansOptions& options_;
  const Execution& execution_;
  std::vector<uint32_t> assignment_;
  std::vector<double> centroids_;  // k x stride
  size_t k_ = 0;
  size_t newest_ = 0;
};

// Seeding costs about as much as so many iterations.
constexpr double kSeeding = 4;

}  // namespace

Status spherical_kmeans(const Matrix& matrix, const KMeansOptions& options,
                        const Execution& execution, const std::function<void(double)>& on_step,
                        KMeans* result) {
  const double all = kSeeding + double(options.iterations);
  Clustering clustering(matrix, options, execution);
  clustering.seed([&](double share) { on_step(share * kSeeding / all); });
  size_t done = 0;
  for (bool changed = true; changed && done < options.iterations && !execution.cancelled();) {
    changed = clustering.assign();
    if (changed) clustering.update();
    ++done;
    on_step((kSeeding + double(done)) / all);
  }
  if (execution.cancelled()) return {Code::kCancelled};
  on_step(1);
  result->k = clustering.k();
  result->iterations = done;
  result->assignment = clustering.take_assignment();
  return {};
}

}  // namespace skillspan
