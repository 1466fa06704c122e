// The SIMD inner loops, one table per instruction set, chosen at run time.
//
// Contract shared by all tables:
//   * Vectors are padded with zeros to a stride that is a multiple of kLanes, so no kernel has a
//   tail.
//   * float32 dots accumulate in 16 virtual lanes and reduce them in one fixed tree. A (row, query)
//     pair is therefore computed the same way wherever it stands in a block or batch, and equal
//     rows get equal scores; the sets with fused multiply-add agree bit for bit.
//   * float64 dots widen each float first and use 16 lanes too. The product of two floats is exact
//   in a double, so fusing
//     changes nothing and every instruction set, the portable one included, gives the same bits.
#pragma once

#include <cstddef>

#include "cpu.h"

namespace skillspan {

constexpr size_t kLanes = 16;
constexpr size_t kGroup = 4;  // the most rows that dot_group takes at once

constexpr size_t padded(size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

struct Kernels {
  // out[r * n_queries + q] = rows[r] . queries[q], in float32.
  // rows: n_rows x stride, queries: n_queries x stride, both contiguous.
  void (*dot_block)(const float* rows, size_t n_rows, const float* queries, size_t n_queries,
                    size_t stride, float* out);

  // out[i] = rows[i] . x, in float64. rows: n_rows pointers to stride floats each.
  void (*dot_gather)(const float* const* rows, size_t n_rows, const float* x, size_t stride,
                     double* out);

  // out[i] = rows[i] . rows[i], in float64, with the bits that dot_gather would give.
  // rows: n_rows x stride, contiguous.
  void (*square_block)(const float* rows, size_t n_rows, size_t stride, double* out);

  // squares[i] = rows[i] . rows[i] and dots[i] = rows[i] . x in one pass over the rows, with the
  // bits of square_block and dot_gather. rows: n_rows x stride, contiguous.
  void (*measure_block)(const float* rows, size_t n_rows, const float* x, size_t stride,
                        double* squares, double* dots);

  // out[c * kGroup + r] = rows[r] . columns[c], with the bits that dot_gather would give.
  // rows: n_rows <= kGroup pointers to stride floats each; columns: n_columns x stride, contiguous.
  void (*dot_group)(const float* const* rows, size_t n_rows, const double* columns,
                    size_t n_columns, size_t stride, double* out);

  // out[t] = row[t]: a column for dot_group.
  void (*widen_row)(const float* row, size_t stride, double* out);

  // Forward substitution for kGroup right-hand sides side by side, x[t * kGroup + r], continued
  // where it was left: for t from first to last - 1,
  //   x_t = (x_t - sum_{s<t} x_s lower[t * stride + s]) * inverse[t].
  // Terms are subtracted in the order of s and no product is fused, so all sets give the same bits.
  void (*substitute)(const double* lower, size_t stride, const double* inverse, size_t first,
                     size_t last, double* x);
};

const Kernels& kernels_for(Isa isa);

// The table every caller uses: SKILLSPAN_ISA if set and runnable here, else the fastest.
const Kernels& active_kernels();
Isa active_isa();

namespace detail {
extern const Kernels kPortableKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kNeonKernels;
}  // namespace detail

}  // namespace skillspan
