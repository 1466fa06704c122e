// Vectors to test on. Seeds are fixed, so a failure repeats.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/candidates.h"
#include "core/matrix.h"
#include "core/residual_kernel.h"
#include "core/snapshot.h"

namespace skillspan::test {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  double gauss() { return std::normal_distribution<double>()(engine_); }
  double uniform() { return std::uniform_real_distribution<double>()(engine_); }
  // A whole number from first to last, both included.
  int between(int first, int last) {
    return std::uniform_int_distribution<int>(first, last)(engine_);
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

// Row-major, without padding; rows are not normalised.
struct Rows {
  size_t n;
  size_t dim;
  std::vector<float> values;

  const float* row(size_t i) const { return values.data() + i * dim; }
  float* row(size_t i) { return values.data() + i * dim; }
  void copy(size_t from, size_t to);
};

Rows random_rows(size_t n, size_t dim, uint64_t seed);
// Rows gathered around a few directions, as near-duplicate skills are; spread 0 gives exact copies.
Rows clustered_rows(size_t n, size_t dim, size_t clusters, double spread, uint64_t seed);

// The rows scaled to norm 1, as the package holds them.
Matrix normalised(const Rows& rows);

// The rows as a segment of an index, under ids first, first + step, first + 2 step ...
enum class Levels { kNone, kCoarse, kDithered, kFine };
// The dither of these is the same every time.
Array<float> dither_of(size_t dim, uint64_t seed);
Segment segment_of(const Rows& rows, Levels levels, uint32_t first = 0, uint32_t step = 1);
// An index of one or more such segments.
Snapshot snapshot_of(std::vector<Segment> segments);

// A candidate pool that owns what Candidates only points to.
class OwnedCandidates {
 public:
  OwnedCandidates(const Rows& rows, const Rows& query, std::vector<double> relevance);

  Candidates view() const;
  size_t size() const { return rows_.rows(); }
  const Matrix& rows() const { return rows_; }
  const Matrix& query() const { return query_; }
  const std::vector<double>& relevance() const { return relevance_; }

 private:
  Matrix rows_;
  Matrix query_;
  std::vector<double> relevance_;
  std::vector<const float*> pointers_;
  std::vector<double> cosines_;
};

// Every candidate by relevance, ties to the lower one.
std::vector<uint32_t> by_relevance(const OwnedCandidates& candidates);

// phi_ij for all i; phi_jj, which the kernel does not compute, is 1.
std::vector<double> kernel_row(ResidualKernel& kernel, uint32_t j);

// log q_i of qualities drawn evenly from (0, 1].
std::vector<double> random_log_quality(size_t n, uint64_t seed);

}  // namespace skillspan::test
