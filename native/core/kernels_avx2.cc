#include "kernels.h"

#if defined(SKILLSPAN_X64)
#include <immintrin.h>

#include "simd_target.h"

namespace skillspan {
SKILLSPAN_TARGET_BEGIN("avx2,fma")
namespace {

struct F32 {
  __m256 lo, hi;
};
using Part = __m256d;
constexpr size_t kParts = 4;
struct F64 {
  Part v[kParts];
};

// 16 registers: 2 x 2 accumulators of two registers each, plus the operands.
constexpr size_t kTileRows = 2, kTileQueries = 2, kSoloRows = 4, kGatherRows = 2, kMeasureRows = 1;
constexpr size_t kGroupTileRows = 2, kGroupTileColumns = 3, kGroupSums = 12;

inline F32 zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
inline F32 load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline F32 fma(F32 a, F32 b, F32 acc) {
  return {_mm256_fmadd_ps(a.lo, b.lo, acc.lo), _mm256_fmadd_ps(a.hi, b.hi, acc.hi)};
}
inline float sum(F32 a) {
  const __m256 h8 = _mm256_add_ps(a.lo, a.hi);
  __m128 h = _mm_add_ps(_mm256_castps256_ps128(h8), _mm256_extractf128_ps(h8, 1));
  h = _mm_add_ps(h, _mm_movehl_ps(h, h));
  return _mm_cvtss_f32(_mm_add_ss(h, _mm_movehdup_ps(h)));
}

inline Part part(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
inline Part part(const double* p) { return _mm256_loadu_pd(p); }
inline void store_part(double* p, Part v) { _mm256_storeu_pd(p, v); }
inline Part fma_part(Part a, Part b, Part acc) { return _mm256_fmadd_pd(a, b, acc); }

inline F64 zero64() {
  const Part z = _mm256_setzero_pd();
  return {{z, z, z, z}};
}
inline F64 widen(const float* p) { return {{part(p), part(p + 4), part(p + 8), part(p + 12)}}; }
inline F64 fma64(F64 a, F64 b, F64 acc) {
  return {{fma_part(a.v[0], b.v[0], acc.v[0]), fma_part(a.v[1], b.v[1], acc.v[1]),
           fma_part(a.v[2], b.v[2], acc.v[2]), fma_part(a.v[3], b.v[3], acc.v[3])}};
}
inline double sum64(F64 a) {
  const __m256d lo = _mm256_add_pd(a.v[0], a.v[2]);
  const __m256d hi = _mm256_add_pd(a.v[1], a.v[3]);
  const __m256d h4 = _mm256_add_pd(lo, hi);
  const __m128d h = _mm_add_pd(_mm256_castpd256_pd128(h4), _mm256_extractf128_pd(h4, 1));
  return _mm_cvtsd_f64(_mm_add_sd(h, _mm_unpackhi_pd(h, h)));
}

using Quad = __m256d;
inline Quad quad(const double* p) { return _mm256_loadu_pd(p); }
inline void store_quad(double* p, Quad v) { _mm256_storeu_pd(p, v); }
inline Quad subtract(Quad a, Quad b) { return _mm256_sub_pd(a, b); }
inline Quad scale(Quad a, double b) { return _mm256_mul_pd(a, _mm256_set1_pd(b)); }

#include "kernels_body.inc"

}  // namespace
SKILLSPAN_TARGET_END

const Kernels detail::kAvx2Kernels = {dot_block, dot_gather, square_block, measure_block,
                                      dot_group, widen_row,  substitute};

}  // namespace skillspan
#endif
