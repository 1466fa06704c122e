#include "matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace skillspan {
namespace {

// A unit vector rounded to float32 has a squared norm within 2^-23 of 1.
constexpr double kUnitSquared = 1e-6;
constexpr size_t kBatch = 64;  // rows copied and then measured while still in the cache

// The squared norm of finite floats cannot overflow a double, nor can that of a non-zero vector
// vanish: it is NaN, infinite or 0 exactly when the row is bad.
Code check(double squared) {
  if (!std::isfinite(squared)) return Code::kNotFinite;
  return squared == 0 ? Code::kZeroVector : Code::kOk;
}

}  // namespace

Status Matrix::copy_normalised(const float* values, size_t n_rows, size_t dim, Matrix* out) {
  Matrix matrix;
  matrix.rows_ = n_rows;
  matrix.dim_ = dim;
  const size_t stride = matrix.stride();
  matrix.owned_ = aligned_array<float>(n_rows * stride);
  matrix.norms_ = aligned_array<double>(n_rows);
  if (!matrix.owned_ || !matrix.norms_) return {Code::kOutOfMemory};
  matrix.values_ = matrix.owned_.get();

  for (size_t first = 0; first < n_rows; first += kBatch) {
    const size_t n = std::min(kBatch, n_rows - first);
    float* rows = matrix.owned_.get() + first * stride;
    double* norms = matrix.norms_.get() + first;
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(rows + i * stride, values + (first + i) * dim, dim * sizeof(float));
      std::memset(rows + i * stride + dim, 0, (stride - dim) * sizeof(float));
    }
    active_kernels().square_block(rows, n, stride, norms);
    for (size_t i = 0; i < n; ++i) {
      if (const Code code = check(norms[i]); code != Code::kOk) return {code, first + i};
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

bool Matrix::point_at(const float* values, size_t n_rows, size_t dim) {
  rows_ = n_rows;
  dim_ = dim;
  values_ = values;
  norms_ = aligned_array<double>(n_rows);
  return bool(norms_);
}

Status Matrix::finish_norms() {
  for (size_t i = 0; i < rows_; ++i) {
    if (const Code code = check(norms_[i]); code != Code::kOk) return {code, i};
    norms_[i] = std::sqrt(norms_[i]);
  }
  return {};
}

Status Matrix::borrow(const float* values, size_t n_rows, size_t dim, Matrix* out) {
  Matrix matrix;
  if (!matrix.point_at(values, n_rows, dim)) return {Code::kOutOfMemory};
  active_kernels().square_block(values, n_rows, dim, matrix.norms_.get());
  const Status status = matrix.finish_norms();
  if (status.ok()) *out = std::move(matrix);
  return status;
}

Status Matrix::borrow_with_cosines(const float* values, size_t n_rows, size_t dim,
                                   const Matrix& query, Matrix* out, std::vector<double>* cosines) {
  Matrix matrix;
  if (!matrix.point_at(values, n_rows, dim)) return {Code::kOutOfMemory};
  cosines->resize(n_rows);
  active_kernels().measure_block(values, n_rows, query.row(0), dim, matrix.norms_.get(),
                                 cosines->data());
  const Status status = matrix.finish_norms();
  if (!status.ok()) return status;
  for (size_t i = 0; i < n_rows; ++i) (*cosines)[i] /= matrix.norms_[i] * query.norms_[0];
  *out = std::move(matrix);
  return {};
}

std::vector<double> Matrix::cosines(const Matrix& query) const {
  std::vector<const float*> rows(rows_);
  for (size_t i = 0; i < rows_; ++i) rows[i] = row(i);
  std::vector<double> cosines(rows_);
  active_kernels().dot_gather(rows.data(), rows_, query.row(0), stride(), cosines.data());
  for (size_t i = 0; i < rows_; ++i) cosines[i] /= norms_[i] * query.norms_[0];
  return cosines;
}

}  // namespace skillspan
