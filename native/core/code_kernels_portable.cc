// Plain C++, for any machine.
#include <cmath>

#include "code_kernels.h"

namespace skillspan {
namespace {

void fine(const int8_t* const* rows, const int32_t*, size_t n_rows, const QueryCodes& query,
          CodeDots out) {
  for (size_t r = 0; r < n_rows; ++r) {
    const int8_t* row = rows[r];
    int32_t high = 0, low = 0;
    for (size_t t = 0; t < query.stride; ++t) {
      high += int32_t(row[t]) * query.high[t];
      low += int32_t(row[t]) * query.low[t];
    }
    out.high[r] = high;
    out.low[r] = low;
  }
}

void coarse(const uint8_t* blocks, size_t n_blocks, const QueryCodes* const* queries,
            size_t n_queries, int32_t* const* out) {
  for (size_t q = 0; q < n_queries; ++q) {
    const QueryCodes& query = *queries[q];
    for (size_t row = 0; row < n_blocks * kBlockRows; ++row) {
      const uint8_t* bytes = blocks + row / kBlockRows * 8 * query.stride + 4 * (row % kBlockRows);
      int32_t sum = 0;
      for (size_t t = 0; t < query.stride; t += 8)
        for (size_t j = 0; j < 4; ++j) {
          const uint8_t pair = bytes[8 * t + j];
          sum += (pair & 15) * query.high[t + j] + (pair >> 4) * query.high[t + 4 + j];
        }
      out[q][row] = 2 * sum - 15 * query.high_sum;
    }
  }
}

void bounds(const int32_t* high, const int32_t* low, const float* scale, const float* inverse,
            const float* residual, size_t n, const BoundTerms& terms, float* score, float* upper) {
  for (size_t i = 0; i < n; ++i) {
    const float xv = terms.factor * (128.0f * float(high[i]) + float(low[i])) + terms.shift;
    const float along = std::fmax(xv * inverse[i] - terms.slope, 0.0f);
    const float across = std::sqrt(std::fmax(1.0f - along * along, 0.0f));
    score[i] = terms.base + scale[i] * xv;
    upper[i] = score[i] + residual[i] * across + terms.slack;
  }
}

size_t at_least(const float* values, size_t n, float wanted, uint32_t* places) {
  size_t count = 0;
  for (size_t i = 0; i < n; ++i)
    if (values[i] >= wanted) places[count++] = uint32_t(i);
  return count;
}

}  // namespace

const CodeKernels detail::kPortableCodeKernels = {fine, coarse, nullptr, bounds, at_least};

}  // namespace skillspan
