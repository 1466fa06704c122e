// Compact codes of an index's rows, and what each of them leaves out.
//
// With mu the mean of all rows, a row is e = mu + s v + rho: v a vector of small integers (or
// halves), s = (e - mu).v / v.v, so that the residual rho is orthogonal to v. For any query x of
// norm 1
//   x.e = x.mu + s x.v + x.rho,   |x.rho| <= |rho| sqrt(1 - (x.v / |v|)^2)        (Cauchy-Schwarz),
// since only the part of x that is orthogonal to v can meet rho. Scores from codes therefore come
// with a bound that holds for certain, and the rows that it rules out need never be read.
//
// Two levels:
//   fine: 8 bits a number, row after row; v in -127..127.
//   coarse: 4 bits a number, 16 rows side by side (see code_kernels.h); v + 7.5 in 0..15. Half the
//   bytes to scan, worth it where few rows survive its bound (level_choice.h).
#pragma once

#include <cstdint>
#include <vector>

#include "matrix.h"
#include "pool.h"

namespace skillspan {

// What turns x.v into a score and its bound; one entry a row.
struct CodeScales {
  std::vector<float> scale;     // s
  std::vector<float> inverse;   // 1 / |v|
  std::vector<float> residual;  // |rho|, rounded up
};

class Quantized {
 public:
  // Empty until built. Needs about 1.5 bytes a number while it lasts.
  static Status build(const Matrix& matrix, Pool* pool, Quantized* out);

  bool empty() const { return fine_ == nullptr; }
  size_t stride() const { return stride_; }
  size_t bytes() const;

  const int8_t* fine(size_t row) const { return fine_.get() + row * stride_; }
  // The block of rows 16 b to 16 b + 15; rows beyond the last are zeros.
  const uint8_t* coarse(size_t block) const { return coarse_.get() + block * 8 * stride_; }
  const CodeScales& fine_scales() const { return fine_scales_; }
  const CodeScales& coarse_scales() const { return coarse_scales_; }
  // The sums of each row's fine codes, which unsigned query codes need (code_kernels.h).
  const int32_t* fine_sums() const { return fine_sums_.data(); }

  const std::vector<float>& mean() const { return mean_; }
  // The largest |e - mu|: what an error in the query can be multiplied by.
  double radius() const { return radius_; }

 private:
  Status make_fine(const Matrix& matrix, Pool* pool);
  Status make_coarse(const Matrix& matrix, Pool* pool);

  size_t stride_ = 0;
  std::vector<float> mean_;
  double radius_ = 0;
  AlignedArray<int8_t> fine_;
  AlignedArray<uint8_t> coarse_;
  CodeScales fine_scales_, coarse_scales_;
  std::vector<int32_t> fine_sums_;
};

}  // namespace skillspan
