#include "kernels.h"

#if defined(SKILLSPAN_X64)
#include <immintrin.h>

#include "simd_target.h"

// GCC 12's own header starts these intrinsics from a deliberately undefined register and then warns
// about it wherever they are inlined (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace skillspan {
SKILLSPAN_TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
namespace {

using F32 = __m512;
struct F64 {
  __m512d lo, hi;
};

// 32 registers: 4 x 6 accumulators, four rows and one query.
constexpr size_t kTileRows = 4, kTileQueries = 6, kSoloRows = 8, kGatherRows = 8;

inline F32 zero() { return _mm512_setzero_ps(); }
inline F32 load(const float* p) { return _mm512_loadu_ps(p); }
inline F32 fma(F32 a, F32 b, F32 acc) { return _mm512_fmadd_ps(a, b, acc); }
inline float sum(F32 a) {
  const __m256 h8 = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  __m128 h = _mm_add_ps(_mm256_castps256_ps128(h8), _mm256_extractf128_ps(h8, 1));
  h = _mm_add_ps(h, _mm_movehl_ps(h, h));
  return _mm_cvtss_f32(_mm_add_ss(h, _mm_movehdup_ps(h)));
}

inline F64 zero64() { return {_mm512_setzero_pd(), _mm512_setzero_pd()}; }
inline F64 widen(const float* p) {
  return {_mm512_cvtps_pd(_mm256_loadu_ps(p)), _mm512_cvtps_pd(_mm256_loadu_ps(p + 8))};
}
inline F64 fma64(F64 a, F64 b, F64 acc) {
  return {_mm512_fmadd_pd(a.lo, b.lo, acc.lo), _mm512_fmadd_pd(a.hi, b.hi, acc.hi)};
}
inline double sum64(F64 a) {
  const __m512d h8 = _mm512_add_pd(a.lo, a.hi);
  const __m256d h4 = _mm256_add_pd(_mm512_castpd512_pd256(h8), _mm512_extractf64x4_pd(h8, 1));
  const __m128d h = _mm_add_pd(_mm256_castpd256_pd128(h4), _mm256_extractf128_pd(h4, 1));
  return _mm_cvtsd_f64(_mm_add_sd(h, _mm_unpackhi_pd(h, h)));
}

#include "kernels_body.inc"

}  // namespace
SKILLSPAN_TARGET_END

const Kernels detail::kAvx512Kernels = {dot_block, dot_gather, square_block};

}  // namespace skillspan
#endif
