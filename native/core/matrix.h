// Row-major float32 vectors, zero-padded to whole SIMD registers.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "kernels.h"
#include "status.h"

namespace skillspan {

struct AlignedDelete {
  void operator()(void* p) const { ::operator delete(p, std::align_val_t{64}); }
};

template <typename T>
using AlignedArray = std::unique_ptr<T[], AlignedDelete>;

// Uninitialised; null when memory is short.
template <typename T>
AlignedArray<T> aligned_array(size_t n) {
  return AlignedArray<T>(
      static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64}, std::nothrow)));
}

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

  size_t rows() const { return rows_; }
  size_t dim() const { return dim_; }
  size_t stride() const { return padded(dim_); }
  const float* row(size_t i) const { return values_ + i * stride(); }
  // The norm of a row as it is stored: 1 up to float32 rounding, but for borrowed rows.
  double norm(size_t i) const { return norms_[i]; }
  const double* norms() const { return norms_.get(); }
  // The cosine of each row with the first row of another matrix of the same dim.
  std::vector<double> cosines(const Matrix& query) const;

 private:
  // Borrows rows whose squared norms are still to be written to norms_; false without memory.
  bool point_at(const float* values, size_t n_rows, size_t dim);
  // Turns squared norms into norms.
  Status finish_norms();

  size_t rows_ = 0;
  size_t dim_ = 0;
  const float* values_ = nullptr;
  AlignedArray<float> owned_;
  AlignedArray<double> norms_;
};

}  // namespace skillspan
