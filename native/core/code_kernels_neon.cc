#include "code_kernels.h"

#if defined(SKILLSPAN_ARM64)
#include <arm_neon.h>

#include <cstring>

namespace skillspan {
namespace {

// The sums of four neighbouring products, added to four running sums.
inline int32x4_t dot(int8x16_t a, int8x16_t b, int32x4_t sum) {
  const int32x4_t first = vpaddlq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(b)));
  const int32x4_t second = vpaddlq_s16(vmull_high_s8(a, b));
  return vaddq_s32(sum, vpaddq_s32(first, second));
}

void fine(const int8_t* const* rows, const int32_t*, size_t n_rows, const QueryCodes& query,
          CodeDots out) {
  for (size_t r = 0; r < n_rows; ++r) {
    int32x4_t high = vdupq_n_s32(0), low = high;
    for (size_t t = 0; t < query.stride; t += 16) {
      const int8x16_t codes = vld1q_s8(rows[r] + t);
      high = dot(codes, vld1q_s8(query.high + t), high);
      low = dot(codes, vld1q_s8(query.low + t), low);
    }
    out.high[r] = vaddvq_s32(high);
    out.low[r] = vaddvq_s32(low);
  }
}

inline int8x16_t broadcast(const int8_t* p) {
  int32_t four;
  std::memcpy(&four, p, 4);
  return vreinterpretq_s8_s32(vdupq_n_s32(four));
}

inline void store(int32_t* out, int32x4_t dots, int32_t query_sum) {
  vst1q_s32(out, vsubq_s32(vshlq_n_s32(dots, 1), vdupq_n_s32(15 * query_sum)));
}

void coarse(const uint8_t* blocks, size_t n_blocks, const QueryCodes* const* queries,
            size_t n_queries, int32_t* const* out) {
  for (size_t quarter = 0; quarter < 4 * n_blocks; ++quarter) {  // 4 rows at a time
    const uint8_t* bytes = blocks + (quarter / 4) * 8 * queries[0]->stride + (quarter % 4) * 16;
    for (size_t q = 0; q < n_queries; ++q) {
      const QueryCodes& query = *queries[q];
      int32x4_t sum = vdupq_n_s32(0);
      for (size_t t = 0; t < query.stride; t += 8) {
        const uint8x16_t pairs = vld1q_u8(bytes + 8 * t);
        const int8x16_t first = vreinterpretq_s8_u8(vandq_u8(pairs, vdupq_n_u8(15)));
        const int8x16_t second = vreinterpretq_s8_u8(vshrq_n_u8(pairs, 4));
        sum = dot(first, broadcast(query.high + t), sum);
        sum = dot(second, broadcast(query.high + t + 4), sum);
      }
      store(out[q] + quarter * 4, sum, query.high_sum);
    }
  }
}

void bounds(const int32_t* high, const int32_t* low, const float* scale, const float* inverse,
            const float* residual, size_t n, const BoundTerms& terms, float* score, float* upper) {
  const float32x4_t zero = vdupq_n_f32(0), one = vdupq_n_f32(1);
  for (size_t i = 0; i < n; i += 4) {
    const float32x4_t h = vcvtq_f32_s32(vld1q_s32(high + i));
    const float32x4_t l = vcvtq_f32_s32(vld1q_s32(low + i));
    const float32x4_t sum = vaddq_f32(vmulq_f32(vdupq_n_f32(128), h), l);
    const float32x4_t xv =
        vaddq_f32(vmulq_f32(vdupq_n_f32(terms.factor), sum), vdupq_n_f32(terms.shift));
    const float32x4_t cosine = vmulq_f32(xv, vld1q_f32(inverse + i));
    const float32x4_t along = vmaxq_f32(vsubq_f32(cosine, vdupq_n_f32(terms.slope)), zero);
    const float32x4_t across = vsqrtq_f32(vmaxq_f32(vsubq_f32(one, vmulq_f32(along, along)), zero));
    const float32x4_t s = vaddq_f32(vdupq_n_f32(terms.base), vmulq_f32(vld1q_f32(scale + i), xv));
    const float32x4_t error = vmulq_f32(vld1q_f32(residual + i), across);
    vst1q_f32(score + i, s);
    vst1q_f32(upper + i, vaddq_f32(vaddq_f32(s, error), vdupq_n_f32(terms.slack)));
  }
}

size_t at_least(const float* values, size_t n, float wanted, uint32_t* places) {
  const float32x4_t least = vdupq_n_f32(wanted);
  size_t count = 0;
  for (size_t i = 0; i < n; i += 4) {
    if (vmaxvq_u32(vcgeq_f32(vld1q_f32(values + i), least)) == 0) continue;
    for (size_t j = i; j < i + 4; ++j)
      if (values[j] >= wanted) places[count++] = uint32_t(j);
  }
  return count;
}

}  // namespace

const CodeKernels detail::kNeonCodeKernels = {fine, coarse, nullptr, bounds, at_least};

}  // namespace skillspan
#endif
