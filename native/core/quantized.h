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
//   bytes to scan, worth it where few rows survive its bound (level_choice.h). Where an index may
//   be wrong with a small probability, these are rounded with a dither z and v is c - z (dither.h).
#pragma once

#include <cstdint>
#include <vector>

#include "code_kernels.h"
#include "dither.h"
#include "matrix.h"
#include "pool.h"

namespace skillspan {

// What turns x.v into a score and its bound; one entry a row.
struct CodeScales {
  Array<float> scale;     // s
  Array<float> inverse;   // 1 / |v|
  Array<float> residual;  // |rho|, rounded up; with a dither, the least of that and of its bound
};

class Quantized {
 public:
  // Empty until built. Needs about 1.5 bytes a number while it lasts. dither: empty, or z.
  static Status build(const Matrix& matrix, Array<float> dither, Pool* pool, Quantized* out);

  // Of arrays that were built before: take(name, array, size) fills each of each_array's.
  template <typename Take>
  static Quantized of_arrays(size_t n, size_t dim, bool dithered, const Take& take) {
    Quantized quantized;
    quantized.stride_ = code_padded(dim);
    each_array(quantized, n, dim, dithered, take);
    return quantized;
  }

  bool empty() const { return fine_.empty(); }
  size_t stride() const { return stride_; }
  size_t bytes() const;

  const int8_t* fine(size_t row) const { return fine_.data() + row * stride_; }
  // The block of rows 16 b to 16 b + 15; rows beyond the last are zeros.
  const uint8_t* coarse(size_t block) const { return coarse_.data() + block * 8 * stride_; }
  const CodeScales& fine_scales() const { return fine_scales_; }
  const CodeScales& coarse_scales() const { return coarse_scales_; }
  // The sums of each row's fine codes, which unsigned query codes need (code_kernels.h).
  const int32_t* fine_sums() const { return fine_sums_.data(); }

  const Array<float>& mean() const { return mean_; }
  bool dithered() const { return !dither_.empty(); }
  const Array<float>& dither() const { return dither_; }
  // The largest s |v|, and |e - mu|: what an error in the query can be multiplied by.
  double radius() const { return radius_[0]; }

  // Calls visit(name, array, size) for every array that codes of n rows are made of, whether they
  // are there already or to be filled in: what a file holds of them.
  template <typename Self, typename Visit>
  static void each_array(Self& self, size_t n, size_t dim, bool dithered, const Visit& visit);

 private:
  // Both answer the largest s |v|.
  double make_fine(const Matrix& matrix, Pool* pool);
  double make_coarse(const Matrix& matrix, Pool* pool);

  size_t stride_ = 0;
  Array<float> mean_;
  Array<float> dither_;   // empty, or a number for each of a row
  Array<double> radius_;  // one number
  Array<int8_t> fine_;
  Array<uint8_t> coarse_;
  CodeScales fine_scales_, coarse_scales_;
  Array<int32_t> fine_sums_;
};

template <typename Self, typename Visit>
void Quantized::each_array(Self& self, size_t n, size_t dim, bool dithered, const Visit& visit) {
  const size_t padded_rows = block_padded(n);  // so that bounds can be computed 16 rows at a time
  visit("mean", self.mean_, dim);
  visit("dither", self.dither_, dithered ? dim : 0);
  visit("radius", self.radius_, size_t{1});
  visit("fine", self.fine_, n * code_padded(dim));
  visit("coarse", self.coarse_, padded_rows * code_padded(dim) / 2);
  visit("finesum", self.fine_sums_, padded_rows);
  visit("finescl", self.fine_scales_.scale, padded_rows);
  visit("fineinv", self.fine_scales_.inverse, padded_rows);
  visit("fineres", self.fine_scales_.residual, padded_rows);
  visit("coarscl", self.coarse_scales_.scale, padded_rows);
  visit("coarinv", self.coarse_scales_.inverse, padded_rows);
  visit("coarres", self.coarse_scales_.residual, padded_rows);
}

}  // namespace skillspan
