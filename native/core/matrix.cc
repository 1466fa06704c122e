#include "matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace skillspan {
namespace {

// A unit vector rounded to float32 has a squared norm within 2^-23 of 1.
constexpr double kUnitSquared = 1e-6;
constexpr size_t kBatch = 64;  // rows copied and then measured while still in the cache

}  // namespace

Status Matrix::copy_normalised(const float* values, size_t n_rows, size_t dim, Matrix* out) {
  Matrix matrix;
  matrix.rows_ = n_rows;
  matrix.dim_ = dim;
  const size_t stride = matrix.stride();
  matrix.values_ = aligned_array<float>(n_rows * stride);
  matrix.norms_ = aligned_array<double>(n_rows);
  if (!matrix.values_ || !matrix.norms_) return {Code::kOutOfMemory};

  for (size_t first = 0; first < n_rows; first += kBatch) {
    const size_t n = std::min(kBatch, n_rows - first);
    float* rows = matrix.values_.get() + first * stride;
    double* norms = matrix.norms_.get() + first;
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(rows + i * stride, values + (first + i) * dim, dim * sizeof(float));
      std::memset(rows + i * stride + dim, 0, (stride - dim) * sizeof(float));
    }
    // The squared norm of finite floats cannot overflow a double, nor can that of a non-zero vector
    // vanish: it is NaN, infinite or 0 exactly when the row is bad.
    active_kernels().square_block(rows, n, stride, norms);
    for (size_t i = 0; i < n; ++i) {
      if (!std::isfinite(norms[i])) return {Code::kNotFinite, first + i};
      if (norms[i] == 0) return {Code::kZeroVector, first + i};
      if (std::fabs(norms[i] - 1) > kUnitSquared) {
        float* row = rows + i * stride;
        const double scale = 1 / std::sqrt(norms[i]);
        for (size_t t = 0; t < dim; ++t) row[t] = float(row[t] * scale);
        active_kernels().square_block(row, 1, stride, norms + i);
      }
      norms[i] = std::sqrt(norms[i]);
    }
  }
  *out = std::move(matrix);
  return {};
}

}  // namespace skillspan
