#include "code_kernels.h"

#if defined(SKILLSPAN_X64)
#include <immintrin.h>

#include <cstring>

#include "simd_target.h"

namespace skillspan {
SKILLSPAN_TARGET_BEGIN("avx2,fma")
namespace {

inline int32_t sum(__m256i v) {
  __m128i h = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  h = _mm_add_epi32(h, _mm_shuffle_epi32(h, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(h, _mm_shuffle_epi32(h, 0xb1)));
}

inline __m256i widen(const int8_t* p) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

void fine(const int8_t* const* rows, const int32_t*, size_t n_rows, const QueryCodes& query,
          CodeDots out) {
  for (size_t r = 0; r < n_rows; ++r) {
    const int8_t* row = rows[r];
    __m256i high = _mm256_setzero_si256(), low = high;
    for (size_t t = 0; t < query.stride; t += 16) {
      const __m256i codes = widen(row + t);
      high = _mm256_add_epi32(high, _mm256_madd_epi16(codes, widen(query.high + t)));
      low = _mm256_add_epi32(low, _mm256_madd_epi16(codes, widen(query.low + t)));
    }
    out.high[r] = sum(high);
    out.low[r] = sum(low);
  }
}

inline __m256i broadcast(const int8_t* p) {
  int32_t four;
  std::memcpy(&four, p, 4);
  return _mm256_set1_epi32(four);
}

// Codes are at most 15, so the pairwise sums of maddubs stay far below 2^15.
inline __m256i dot(__m256i codes, __m256i query, __m256i sum) {
  const __m256i pairs = _mm256_maddubs_epi16(codes, query);
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

inline void store(int32_t* out, __m256i dots, int32_t query_sum) {
  const __m256i doubled = _mm256_slli_epi32(dots, 1);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                      _mm256_sub_epi32(doubled, _mm256_set1_epi32(15 * query_sum)));
}

// Q queries share the unpacking of 8 rows.
template <size_t Q>
void coarse_tile(const uint8_t* bytes, const QueryCodes* const* queries, int32_t* const* out,
                 size_t at) {
  const __m256i mask = _mm256_set1_epi8(15);
  __m256i sums[Q];
  SKILLSPAN_UNROLL
  for (size_t q = 0; q < Q; ++q) sums[q] = _mm256_setzero_si256();
  for (size_t t = 0; t < queries[0]->stride; t += 8) {
    const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 8 * t));
    const __m256i first = _mm256_and_si256(pairs, mask);
    const __m256i second = _mm256_and_si256(_mm256_srli_epi16(pairs, 4), mask);
    SKILLSPAN_UNROLL
    for (size_t q = 0; q < Q; ++q) {
      sums[q] = dot(first, broadcast(queries[q]->high + t), sums[q]);
      sums[q] = dot(second, broadcast(queries[q]->high + t + 4), sums[q]);
    }
  }
  SKILLSPAN_UNROLL
  for (size_t q = 0; q < Q; ++q) store(out[q] + at, sums[q], queries[q]->high_sum);
}

void coarse(const uint8_t* blocks, size_t n_blocks, const QueryCodes* const* queries,
            size_t n_queries, int32_t* const* out) {
  for (size_t half = 0; half < 2 * n_blocks; ++half) {
    const uint8_t* bytes = blocks + (half / 2) * 8 * queries[0]->stride + (half % 2) * 32;
    size_t q = 0;
    for (; q + 4 <= n_queries; q += 4) coarse_tile<4>(bytes, queries + q, out + q, half * 8);
    for (; q < n_queries; ++q) coarse_tile<1>(bytes, queries + q, out + q, half * 8);
  }
}

void bounds(const int32_t* high, const int32_t* low, const float* scale, const float* inverse,
            const float* residual, size_t n, const BoundTerms& terms, float* score, float* upper) {
  const __m256 zero = _mm256_setzero_ps(), one = _mm256_set1_ps(1);
  for (size_t i = 0; i < n; i += 8) {
    const __m256 h =
        _mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(high + i)));
    const __m256 l =
        _mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(low + i)));
    const __m256 sum = _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(128), h), l);
    const __m256 xv = _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(terms.factor), sum),
                                    _mm256_set1_ps(terms.shift));
    const __m256 cosine = _mm256_mul_ps(xv, _mm256_loadu_ps(inverse + i));
    const __m256 along = _mm256_max_ps(_mm256_sub_ps(cosine, _mm256_set1_ps(terms.slope)), zero);
    const __m256 across =
        _mm256_sqrt_ps(_mm256_max_ps(_mm256_sub_ps(one, _mm256_mul_ps(along, along)), zero));
    const __m256 s =
        _mm256_add_ps(_mm256_set1_ps(terms.base), _mm256_mul_ps(_mm256_loadu_ps(scale + i), xv));
    const __m256 error = _mm256_mul_ps(_mm256_loadu_ps(residual + i), across);
    _mm256_storeu_ps(score + i, s);
    _mm256_storeu_ps(upper + i,
                     _mm256_add_ps(_mm256_add_ps(s, error), _mm256_set1_ps(terms.slack)));
  }
}

size_t at_least(const float* values, size_t n, float wanted, uint32_t* places) {
  const __m256 least = _mm256_set1_ps(wanted);
  size_t count = 0;
  for (size_t i = 0; i < n; i += 8) {
    const __m256 reaches = _mm256_cmp_ps(_mm256_loadu_ps(values + i), least, _CMP_GE_OQ);
    unsigned bits = unsigned(_mm256_movemask_ps(reaches));
    for (uint32_t place = uint32_t(i); bits != 0; bits >>= 1, ++place)
      if (bits & 1) places[count++] = place;
  }
  return count;
}

}  // namespace
SKILLSPAN_TARGET_END

const CodeKernels detail::kAvx2CodeKernels = {fine, coarse, nullptr, bounds, at_least};

}  // namespace skillspan
#endif
