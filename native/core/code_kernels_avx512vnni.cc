#include "code_kernels.h"

#if defined(SKILLSPAN_X64)
#include <immintrin.h>

#include <cstring>

#include "simd_target.h"

// See kernels_avx512.cc.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace skillspan {
SKILLSPAN_TARGET_BEGIN("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni,avx2,fma,popcnt")
namespace {

// sum + the dots of unsigned and signed groups of four bytes. GCC 12 copies a sum before and after
// the intrinsic, which halves the speed of the loops below; written out, it leaves the sum where it
// is.
inline __m512i dpbusd(__m512i sum, __m512i u, __m512i s) {
#if defined(__GNUC__) && !defined(__clang__)
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(u), "v"(s));
  return sum;
#else
  return _mm512_dpbusd_epi32(sum, u, s);
#endif
}

// vpdpbusd multiplies unsigned by signed bytes. Here the query is the unsigned side, 128 too large:
// sum v (q + 128) = sum v q + 128 sum v.
template <size_t R>
inline void fine_tile(const int8_t* const* rows, const int32_t* sums, const QueryCodes& query,
                      int32_t* high, int32_t* low) {
  __m512i h[R], l[R];
  SKILLSPAN_UNROLL
  for (size_t r = 0; r < R; ++r) h[r] = l[r] = _mm512_setzero_si512();
  for (size_t t = 0; t < query.stride; t += 64) {
    const __m512i qh = _mm512_loadu_si512(query.high_unsigned + t);
    const __m512i ql = _mm512_loadu_si512(query.low_unsigned + t);
    SKILLSPAN_UNROLL
    for (size_t r = 0; r < R; ++r) {
      const __m512i codes = _mm512_loadu_si512(rows[r] + t);
      h[r] = dpbusd(h[r], qh, codes);
      l[r] = dpbusd(l[r], ql, codes);
    }
  }
  SKILLSPAN_UNROLL
  for (size_t r = 0; r < R; ++r) {
    high[r] = _mm512_reduce_add_epi32(h[r]) - 128 * sums[r];
    low[r] = _mm512_reduce_add_epi32(l[r]) - 128 * sums[r];
  }
}

void fine(const int8_t* const* rows, const int32_t* sums, size_t n_rows, const QueryCodes& query,
          CodeDots out) {
  size_t r = 0;
  for (; r + 4 <= n_rows; r += 4)
    fine_tile<4>(rows + r, sums + r, query, out.high + r, out.low + r);
  for (; r < n_rows; ++r) fine_tile<1>(rows + r, sums + r, query, out.high + r, out.low + r);
}

inline __m512i broadcast(const int8_t* p) {
  int32_t four;
  std::memcpy(&four, p, 4);
  return _mm512_set1_epi32(four);
}

inline void store(int32_t* out, __m512i dots, int32_t query_sum) {
  const __m512i doubled = _mm512_slli_epi32(dots, 1);
  _mm512_storeu_si512(out, _mm512_sub_epi32(doubled, _mm512_set1_epi32(15 * query_sum)));
}

// B blocks share each broadcast of a query and Q queries the unpacking of each block; together they
// keep enough sums in flight to hide the latency.
template <size_t B, size_t Q>
void coarse_tile(const uint8_t* blocks, const QueryCodes* const* queries, int32_t* const* out,
                 size_t at) {
  const __m512i mask = _mm512_set1_epi8(15);
  const size_t stride = queries[0]->stride;
  const int8_t* codes[Q];
  __m512i sums[Q][B];
  SKILLSPAN_UNROLL
  for (size_t q = 0; q < Q; ++q) {
    codes[q] = queries[q]->high;
    SKILLSPAN_UNROLL
    for (size_t b = 0; b < B; ++b) sums[q][b] = _mm512_setzero_si512();
  }
  for (size_t t = 0; t < stride; t += 8) {
    SKILLSPAN_UNROLL
    for (size_t b = 0; b < B; ++b) {
      const __m512i pairs = _mm512_loadu_si512(blocks + 8 * (b * stride + t));
      const __m512i first = _mm512_and_si512(pairs, mask);
      const __m512i second = _mm512_and_si512(_mm512_srli_epi16(pairs, 4), mask);
      SKILLSPAN_UNROLL
      for (size_t q = 0; q < Q; ++q) {
        sums[q][b] = dpbusd(sums[q][b], first, broadcast(codes[q] + t));
        sums[q][b] = dpbusd(sums[q][b], second, broadcast(codes[q] + t + 4));
      }
    }
  }
  SKILLSPAN_UNROLL
  for (size_t q = 0; q < Q; ++q) {
    SKILLSPAN_UNROLL
    for (size_t b = 0; b < B; ++b)
      store(out[q] + at + b * kBlockRows, sums[q][b], queries[q]->high_sum);
  }
}

template <size_t B, size_t Q>
void coarse_rows(const uint8_t* blocks, size_t n_blocks, const QueryCodes* const* queries,
                 int32_t* const* out) {
  const size_t block_bytes = 8 * queries[0]->stride;
  size_t b = 0;
  for (; b + B <= n_blocks; b += B)
    coarse_tile<B, Q>(blocks + b * block_bytes, queries, out, b * kBlockRows);
  for (; b < n_blocks; ++b)
    coarse_tile<1, Q>(blocks + b * block_bytes, queries, out, b * kBlockRows);
}

void coarse(const uint8_t* blocks, size_t n_blocks, const QueryCodes* const* queries,
            size_t n_queries, int32_t* const* out) {
  size_t q = 0;
  for (; q + 6 <= n_queries; q += 6) coarse_rows<4, 6>(blocks, n_blocks, queries + q, out + q);
  queries += q;
  out += q;
  switch (n_queries - q) {
    case 1:
      return coarse_rows<8, 1>(blocks, n_blocks, queries, out);
    case 2:
      return coarse_rows<4, 2>(blocks, n_blocks, queries, out);
    case 3:
      return coarse_rows<4, 3>(blocks, n_blocks, queries, out);
    case 4:
      return coarse_rows<4, 4>(blocks, n_blocks, queries, out);
    case 5:
      return coarse_rows<4, 5>(blocks, n_blocks, queries, out);
  }
}

// Each broadcast of four codes of a row meets all 64 queries; R rows keep 4 R sums in registers.
template <size_t R>
inline void panel_tile(const int8_t* rows, const PanelRows& terms, size_t first, size_t stride,
                       const uint8_t* packed, const float* factor, const float* wanted,
                       uint64_t* reaching) {
  __m512i sums[R][4];
  SKILLSPAN_UNROLL
  for (size_t r = 0; r < R; ++r) {
    // The queries are unsigned, 128 too large.
    const __m512i start = _mm512_set1_epi32(-128 * terms.sums[first + r]);
    SKILLSPAN_UNROLL
    for (size_t j = 0; j < 4; ++j) sums[r][j] = start;
  }
  for (size_t t = 0; t < stride; t += 4) {
    __m512i queries[4];
    SKILLSPAN_UNROLL
    for (size_t j = 0; j < 4; ++j)
      queries[j] = _mm512_loadu_si512(packed + kPanelQueries * t + 64 * j);
    SKILLSPAN_UNROLL
    for (size_t r = 0; r < R; ++r) {
      const __m512i codes = broadcast(rows + r * stride + t);
      SKILLSPAN_UNROLL
      for (size_t j = 0; j < 4; ++j) sums[r][j] = dpbusd(sums[r][j], queries[j], codes);
    }
  }
  SKILLSPAN_UNROLL
  for (size_t r = 0; r < R; ++r) {
    const __m512 scale = _mm512_set1_ps(terms.scale[first + r]);
    const __m512 residual = _mm512_set1_ps(terms.residual[first + r]);
    uint64_t bits = 0;
    SKILLSPAN_UNROLL
    for (size_t j = 0; j < 4; ++j) {
      const __m512 scaled = _mm512_mul_ps(scale, _mm512_loadu_ps(factor + 16 * j));
      const __m512 upper = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[r][j]), scaled, residual);
      const __mmask16 mask =
          _mm512_cmp_ps_mask(upper, _mm512_loadu_ps(wanted + 16 * j), _CMP_GE_OQ);
      bits |= uint64_t(mask) << (16 * j);
    }
    reaching[first + r] = bits;
  }
}

void panel(const int8_t* rows, const PanelRows& terms, size_t n_rows, size_t stride,
           const uint8_t* packed, const float* factor, const float* wanted, uint64_t* reaching) {
  size_t r = 0;
  for (; r + 6 <= n_rows; r += 6)
    panel_tile<6>(rows + r * stride, terms, r, stride, packed, factor, wanted, reaching);
  for (; r < n_rows; ++r)
    panel_tile<1>(rows + r * stride, terms, r, stride, packed, factor, wanted, reaching);
}

void bounds(const int32_t* high, const int32_t* low, const float* scale, const float* inverse,
            const float* residual, size_t n, const BoundTerms& terms, float* score, float* upper) {
  const __m512 zero = _mm512_setzero_ps(), one = _mm512_set1_ps(1);
  for (size_t i = 0; i < n; i += 16) {
    const __m512 h = _mm512_cvtepi32_ps(_mm512_loadu_si512(high + i));
    const __m512 l = _mm512_cvtepi32_ps(_mm512_loadu_si512(low + i));
    const __m512 sum = _mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(128), h), l);
    const __m512 xv =
        _mm512_fmadd_ps(_mm512_set1_ps(terms.factor), sum, _mm512_set1_ps(terms.shift));
    const __m512 cosine = _mm512_mul_ps(xv, _mm512_loadu_ps(inverse + i));
    const __m512 along = _mm512_max_ps(_mm512_sub_ps(cosine, _mm512_set1_ps(terms.slope)), zero);
    const __m512 across =
        _mm512_sqrt_ps(_mm512_max_ps(_mm512_sub_ps(one, _mm512_mul_ps(along, along)), zero));
    const __m512 s =
        _mm512_add_ps(_mm512_set1_ps(terms.base), _mm512_mul_ps(_mm512_loadu_ps(scale + i), xv));
    const __m512 error = _mm512_mul_ps(_mm512_loadu_ps(residual + i), across);
    _mm512_storeu_ps(score + i, s);
    _mm512_storeu_ps(upper + i,
                     _mm512_add_ps(_mm512_add_ps(s, error), _mm512_set1_ps(terms.slack)));
  }
}

size_t at_least(const float* values, size_t n, float wanted, uint32_t* places) {
  const __m512 least = _mm512_set1_ps(wanted);
  __m512i here = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  size_t count = 0;
  for (size_t i = 0; i < n; i += 16, here = _mm512_add_epi32(here, _mm512_set1_epi32(16))) {
    const __mmask16 reaches = _mm512_cmp_ps_mask(_mm512_loadu_ps(values + i), least, _CMP_GE_OQ);
    if (reaches == 0) continue;
    _mm512_storeu_si512(places + count, _mm512_maskz_compress_epi32(reaches, here));
    count += size_t(_mm_popcnt_u32(reaches));
  }
  return count;
}

}  // namespace
SKILLSPAN_TARGET_END

const CodeKernels detail::kAvx512VnniCodeKernels = {fine, coarse, panel, bounds, at_least};

}  // namespace skillspan
#endif
