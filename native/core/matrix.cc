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

// Turns squared norms into norms.
Status finish_norms(Array<double>* norms) {
  for (size_t i = 0; i < norms->size(); ++i) {
    if (const Code code = check((*norms)[i]); code != Code::kOk) return {code, i};
    norms->writable()[i] = std::sqrt((*norms)[i]);
  }
  return {};
}

}  // namespace

Status Matrix::copy_normalised(const float* values, size_t n_rows, size_t dim, Matrix* out) {
  const size_t stride = padded(dim);
  auto copied = Array<float>::uninitialised(n_rows * stride);
  auto norms = Array<double>::uninitialised(n_rows);
  if (copied.size() != n_rows * stride || norms.size() != n_rows) return {Code::kOutOfMemory};

  for (size_t first = 0; first < n_rows; first += kBatch) {
    const size_t n = std::min(kBatch, n_rows - first);
    float* rows = copied.writable() + first * stride;
    double* squares = norms.writable() + first;
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(rows + i * stride, values + (first + i) * dim, dim * sizeof(float));
      std::memset(rows + i * stride + dim, 0, (stride - dim) * sizeof(float));
    }
    active_kernels().square_block(rows, n, stride, squares);
    for (size_t i = 0; i < n; ++i) {
      if (const Code code = check(squares[i]); code != Code::kOk) return {code, first + i};
      if (std::fabs(squares[i] - 1) > kUnitSquared) {
        float* row = rows + i * stride;
        const double scale = 1 / std::sqrt(squares[i]);
        for (size_t t = 0; t < dim; ++t) row[t] = float(row[t] * scale);
        active_kernels().square_block(row, 1, stride, squares + i);
      }
      squares[i] = std::sqrt(squares[i]);
    }
  }
  *out = assembled(dim, std::move(copied), std::move(norms));
  return {};
}

Status Matrix::borrow(const float* values, size_t n_rows, size_t dim, Matrix* out) {
  auto norms = Array<double>::uninitialised(n_rows);
  if (norms.size() != n_rows) return {Code::kOutOfMemory};
  active_kernels().square_block(values, n_rows, dim, norms.writable());
  const Status status = finish_norms(&norms);
  if (status.ok())
    *out = assembled(dim, Array<float>::lent(values, n_rows * dim), std::move(norms));
  return status;
}

Status Matrix::borrow_with_cosines(const float* values, size_t n_rows, size_t dim,
                                   const Matrix& query, Matrix* out, std::vector<double>* cosines) {
  auto norms = Array<double>::uninitialised(n_rows);
  if (norms.size() != n_rows) return {Code::kOutOfMemory};
  cosines->resize(n_rows);
  active_kernels().measure_block(values, n_rows, query.row(0), dim, norms.writable(),
                                 cosines->data());
  const Status status = finish_norms(&norms);
  if (!status.ok()) return status;
  for (size_t i = 0; i < n_rows; ++i) (*cosines)[i] /= norms[i] * query.norms_[0];
  *out = assembled(dim, Array<float>::lent(values, n_rows * dim), std::move(norms));
  return {};
}

Matrix Matrix::assembled(size_t dim, Array<float> values, Array<double> norms) {
  Matrix matrix;
  matrix.dim_ = dim;
  matrix.values_ = std::move(values);
  matrix.norms_ = std::move(norms);
  return matrix;
}

std::vector<double> Matrix::cosines(const Matrix& query) const {
  const size_t n = rows();
  std::vector<const float*> pointers(n);
  for (size_t i = 0; i < n; ++i) pointers[i] = row(i);
  std::vector<double> cosines(n);
  active_kernels().dot_gather(pointers.data(), n, query.row(0), stride(), cosines.data());
  for (size_t i = 0; i < n; ++i) cosines[i] /= norms_[i] * query.norms_[0];
  return cosines;
}

}  // namespace skillspan
