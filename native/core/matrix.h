// Row-major float32 vectors, zero-padded to whole SIMD registers.
#pragma once

#include <cstddef>
#include <vector>

#include "array.h"
#include "kernels.h"
#include "status.h"

namespace skillspan {

class Matrix {
 public:
  // Copies n_rows x dim floats. A row whose norm is off 1 by more than float32 rounding is scaled
  // to norm 1; the others keep their bits. Answers kNotFinite or kZeroVector with the first bad
  // row, and then leaves *out as it was.
  static Status copy_normalised(const float* values, size_t n_rows, size_t dim, Matrix* out);

  // Reads the caller's rows in place, neither copied nor scaled, where their layout needs no
  // padding: dim must be a multiple of kLanes. The values must outlive the matrix. Same answers.
  static Status borrow(const float* values, size_t n_rows, size_t dim, Matrix* out);

  // The same, with the cosine of each row with the first row of `query`, a matrix of the same dim,
  // in one pass over the rows.
  static Status borrow_with_cosines(const float* values, size_t n_rows, size_t dim,
                                    const Matrix& query, Matrix* out, std::vector<double>* cosines);

  // Rows that are padded and measured already: n_rows x padded(dim) floats and their norms.
  static Matrix assembled(size_t dim, Array<float> values, Array<double> norms);

  size_t rows() const { return norms_.size(); }
  size_t dim() const { return dim_; }
  size_t stride() const { return padded(dim_); }
  const float* row(size_t i) const { return values_.data() + i * stride(); }
  // The norm of a row as it is stored: 1 up to float32 rounding, but for borrowed rows.
  double norm(size_t i) const { return norms_[i]; }
  const double* norms() const { return norms_.data(); }
  const Array<float>& values() const { return values_; }
  // The cosine of each row with the first row of another matrix of the same dim.
  std::vector<double> cosines(const Matrix& query) const;

 private:
  size_t dim_ = 0;
  Array<float> values_;
  Array<double> norms_;
};

}  // namespace skillspan
