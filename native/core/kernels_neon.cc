#include "kernels.h"

#if defined(SKILLSPAN_ARM64)
#include <arm_neon.h>

#include "simd_target.h"

namespace skillspan {
namespace {

struct F32 {
  float32x4_t v[4];
};
using Part = float64x2_t;
constexpr size_t kParts = 8;
struct F64 {
  Part v[kParts];
};

// 32 registers: 2 x 2 accumulators of four registers each, plus the operands.
constexpr size_t kTileRows = 2, kTileQueries = 2, kSoloRows = 4, kGatherRows = 2, kMeasureRows = 1;
constexpr size_t kGroupTileRows = 4, kGroupTileColumns = 6, kGroupSums = 24;

inline F32 zero() {
  const float32x4_t z = vdupq_n_f32(0);
  return {{z, z, z, z}};
}
inline F32 load(const float* p) {
  return {{vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}};
}
inline F32 fma(F32 a, F32 b, F32 acc) {
  for (int i = 0; i < 4; ++i) acc.v[i] = vfmaq_f32(acc.v[i], a.v[i], b.v[i]);
  return acc;
}
inline float sum(F32 a) {
  const float32x4_t lo = vaddq_f32(a.v[0], a.v[2]);
  const float32x4_t hi = vaddq_f32(a.v[1], a.v[3]);
  const float32x4_t h = vaddq_f32(lo, hi);
  const float32x2_t pair = vadd_f32(vget_low_f32(h), vget_high_f32(h));
  return vget_lane_f32(pair, 0) + vget_lane_f32(pair, 1);
}

inline Part part(const float* p) { return vcvt_f64_f32(vld1_f32(p)); }
inline Part part(const double* p) { return vld1q_f64(p); }
inline void store_part(double* p, Part v) { vst1q_f64(p, v); }
inline Part fma_part(Part a, Part b, Part acc) { return vfmaq_f64(acc, a, b); }

inline F64 zero64() {
  const Part z = vdupq_n_f64(0);
  return {{z, z, z, z, z, z, z, z}};
}
inline F64 widen(const float* p) {
  F64 r;
  for (int i = 0; i < 4; ++i) {
    const float32x4_t q = vld1q_f32(p + 4 * i);
    r.v[2 * i] = vcvt_f64_f32(vget_low_f32(q));
    r.v[2 * i + 1] = vcvt_high_f64_f32(q);
  }
  return r;
}
inline F64 fma64(F64 a, F64 b, F64 acc) {
  for (int i = 0; i < 8; ++i) acc.v[i] = fma_part(a.v[i], b.v[i], acc.v[i]);
  return acc;
}
inline double sum64(F64 a) {
  float64x2_t h[4];
  for (int i = 0; i < 4; ++i) h[i] = vaddq_f64(a.v[i], a.v[i + 4]);
  const float64x2_t s = vaddq_f64(vaddq_f64(h[0], h[2]), vaddq_f64(h[1], h[3]));
  return vgetq_lane_f64(s, 0) + vgetq_lane_f64(s, 1);
}

struct Quad {
  float64x2_t lo, hi;
};
inline Quad quad(const double* p) { return {vld1q_f64(p), vld1q_f64(p + 2)}; }
inline void store_quad(double* p, Quad v) {
  vst1q_f64(p, v.lo);
  vst1q_f64(p + 2, v.hi);
}
inline Quad subtract(Quad a, Quad b) { return {vsubq_f64(a.lo, b.lo), vsubq_f64(a.hi, b.hi)}; }
inline Quad scale(Quad a, double b) { return {vmulq_n_f64(a.lo, b), vmulq_n_f64(a.hi, b)}; }

#include "kernels_body.inc"

}  // namespace

const Kernels detail::kNeonKernels = {dot_block, dot_gather, square_block, measure_block,
                                      dot_group, widen_row,  substitute};

}  // namespace skillspan
#endif
