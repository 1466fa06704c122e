// Cosines between rows of a matrix, tile by tile, in float64: every instruction set gives the same
// bits, and so the same clusters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../matrix.h"

namespace skillspan {

// Rows held as float64 columns for dot_group. 32 of 1,024 numbers share the second-level cache with
// the rows that stream past them.
class Columns {
 public:
  static constexpr size_t kMost = 32;

  explicit Columns(size_t stride) : stride_(stride), values_(kMost * stride) {}

  // Takes rows[0] to rows[n - 1], n <= kMost.
  void take(const Matrix& matrix, const uint32_t* rows, size_t n) {
    n_ = n;
    for (size_t c = 0; c < n; ++c)
      active_kernels().widen_row(matrix.row(rows[c]), stride_, values_.data() + c * stride_);
  }

  // Calls visit(r, c, cosine) for each of rows[0] to rows[n - 1] and each column taken.
  template <typename Visit>
  void visit(const Matrix& matrix, const uint32_t* rows, size_t n, const uint32_t* column_rows,
             const Visit& visit) const {
    for (size_t first = 0; first < n; first += kGroup) {
      const size_t count = std::min(kGroup, n - first);
      const float* pointers[kGroup];
      for (size_t r = 0; r < count; ++r) pointers[r] = matrix.row(rows[first + r]);
      double dots[kMost * kGroup];
      active_kernels().dot_group(pointers, count, values_.data(), n_, stride_, dots);
      for (size_t c = 0; c < n_; ++c)
        for (size_t r = 0; r < count; ++r)
          visit(
              first + r, c,
              dots[c * kGroup + r] / (matrix.norm(rows[first + r]) * matrix.norm(column_rows[c])));
    }
  }

 private:
  size_t stride_;
  size_t n_ = 0;
  std::vector<double> values_;
};

// Calls visit(i, j, cosine) for all positions i < j of `rows` with j from `first` to
// `first + n - 1`, n <= Columns::kMost.
template <typename Visit>
void visit_pairs(const Matrix& matrix, const std::vector<uint32_t>& rows, size_t first, size_t n,
                 Columns* columns, const Visit& visit) {
  columns->take(matrix, rows.data() + first, n);
  columns->visit(matrix, rows.data(), first + n, rows.data() + first,
                 [&](size_t i, size_t c, double cosine) {
                   if (i < first + c) visit(i, first + c, cosine);
                 });
}

}  // namespace skillspan
