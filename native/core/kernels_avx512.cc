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
using Part = __m512d;
constexpr size_t kParts = 2;
struct F64 {
  Part v[kParts];
};

// 32 registers: 4 x 6 accumulators, four rows and one query or column.
constexpr size_t kTileRows = 4, kTileQueries = 6, kSoloRows = 8, kGatherRows = 8, kMeasureRows = 4;
constexpr size_t kGroupTileRows = 4, kGroupTileColumns = 6, kGroupSums = 24;

inline F32 zero() { return _mm512_setzero_ps(); }
inline F32 load(const float* p) { return _mm512_loadu_ps(p); }
inline F32 fma(F32 a, F32 b, F32 acc) { return _mm512_fmadd_ps(a, b, acc); }
inline float sum(F32 a) {
  const __m256 h8 = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  __m128 h = _mm_add_ps(_mm256_castps256_ps128(h8), _mm256_extractf128_ps(h8, 1));
  h = _mm_add_ps(h, _mm_movehl_ps(h, h));
  return _mm_cvtss_f32(_mm_add_ss(h, _mm_movehdup_ps(h)));
}

inline Part part(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
inline Part part(const double* p) { return _mm512_loadu_pd(p); }
inline void store_part(double* p, Part v) { _mm512_storeu_pd(p, v); }
inline Part fma_part(Part a, Part b, Part acc) { return _mm512_fmadd_pd(a, b, acc); }

inline F64 zero64() { return {{_mm512_setzero_pd(), _mm512_setzero_pd()}}; }
inline F64 widen(const float* p) { return {{part(p), part(p + 8)}}; }
inline F64 fma64(F64 a, F64 b, F64 acc) {
  return {{fma_part(a.v[0], b.v[0], acc.v[0]), fma_part(a.v[1], b.v[1], acc.v[1])}};
}
inline double sum64(F64 a) {
  const __m512d h8 = _mm512_add_pd(a.v[0], a.v[1]);
  const __m256d h4 = _mm256_add_pd(_mm512_castpd512_pd256(h8), _mm512_extractf64x4_pd(h8, 1));
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

const Kernels detail::kAvx512Kernels = {dot_block, dot_gather, square_block, measure_block,
                                        dot_group, widen_row,  substitute};

}  // namespace skillspan
#endif
