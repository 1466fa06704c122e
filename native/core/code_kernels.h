// Integer inner loops over compact codes (quantized.h), one table per instruction set. All sums are
// whole numbers and every table gives the same ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu.h"

namespace skillspan {

// Codes are padded to this many numbers a row.
constexpr size_t kCodeLanes = 64;
constexpr size_t code_padded(size_t n) { return (n + kCodeLanes - 1) / kCodeLanes * kCodeLanes; }

// Rows that the coarse layout puts side by side.
constexpr size_t kBlockRows = 16;
constexpr size_t block_padded(size_t n_rows) {
  return (n_rows + kBlockRows - 1) / kBlockRows * kBlockRows;
}

// Queries that share a pass of the panel kernel.
constexpr size_t kPanelQueries = 64;

// A query in 15 bits a number: x_t ~ step (128 high_t + low_t), high in -127..127, low in -64..63,
// padding 0. The unsigned forms are 128 more, padding included.
struct QueryCodes {
  const int8_t* high;
  const int8_t* low;
  const uint8_t* high_unsigned;
  const uint8_t* low_unsigned;
  int32_t high_sum;
  int32_t low_sum;
  size_t stride;  // a multiple of kCodeLanes
};

// The two sums that make up x.v, up to the factor step: 128 high + low.
struct CodeDots {
  int32_t* high;
  int32_t* low;
};

// What the bounds kernel needs to know of a query.
struct BoundTerms {
  float factor, shift, base, slope, slack;
};

// What the panel kernel needs to know of its rows, one entry a row.
struct PanelRows {
  const float* scale;
  const float* residual;
  const int32_t* sums;  // of the row's codes
};

struct CodeKernels {
  // For each of n_rows rows of fine codes v: sum_t v_t high_t and sum_t v_t low_t.
  // sums[r] = sum_t v_t of rows[r].
  void (*fine)(const int8_t* const* rows, const int32_t* sums, size_t n_rows,
               const QueryCodes& query, CodeDots out);

  // For each query and each row of n_blocks consecutive coarse blocks, with v = c - 7.5 for codes
  // c: out[q][row] = 2 sum_t v_t high_t, 16 numbers a block. Codes are unpacked once for up to six
  // queries.
  //
  // A block holds 64 bytes for every 8 numbers of its 16 rows: byte 4 r + j has the codes of row r
  // for number j in its low half and for number 4 + j in its high half.
  void (*coarse)(const uint8_t* blocks, size_t n_blocks, const QueryCodes* const* queries,
                 size_t n_queries, int32_t* const* out);

  // Bit q of reaching[r] says whether, with v = rows[r] and 64 queries of 8 bits,
  //   scale[r] factor[q] (v . high_q) + residual[r] >= wanted[q].
  // rows: n_rows x stride fine codes, contiguous; packed: for every 4 numbers the 4 unsigned bytes
  // of query 0, of query 1, ... of query 63. Null where the machine has no instruction for it.
  void (*panel)(const int8_t* rows, const PanelRows& terms, size_t n_rows, size_t stride,
                const uint8_t* packed, const float* factor, const float* wanted,
                uint64_t* reaching);

  // From sums to scores (quantized.h): with xv = factor (128 high + low) + shift,
  //   score = base + scale xv,  upper = score + residual sqrt(1 - max(0, xv inverse - slope)^2) +
  //   slack.
  // n is a multiple of 16.
  void (*bounds)(const int32_t* high, const int32_t* low, const float* scale, const float* inverse,
                 const float* residual, size_t n, const BoundTerms& terms, float* score,
                 float* upper);

  // Writes the places of the values that are at least `wanted`, ascending; answers how many. n is a
  // multiple of 16; `places` has room for n + 16.
  size_t (*at_least)(const float* values, size_t n, float wanted, uint32_t* places);
};

const CodeKernels& code_kernels_for(Isa isa);
const CodeKernels& active_code_kernels();

namespace detail {
extern const CodeKernels kPortableCodeKernels;
extern const CodeKernels kAvx2CodeKernels;
extern const CodeKernels kAvx512VnniCodeKernels;
extern const CodeKernels kNeonCodeKernels;
}  // namespace detail

}  // namespace skillspan
