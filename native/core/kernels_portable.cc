// Plain C++, for any machine; compilers turn the fixed-length loops into their baseline SIMD.
#include "kernels.h"

namespace skillspan {
namespace {

struct F32 {
  float v[16];
};
struct F64 {
  double v[16];
};

// GCC keeps one accumulator of 16 floats in registers and spills two (measured: 5.5 times slower).
constexpr size_t kTileRows = 1, kTileQueries = 1, kSoloRows = 1, kGatherRows = 1;

inline F32 zero() { return F32{}; }
inline F32 load(const float* p) {
  F32 r;
  for (int i = 0; i < 16; ++i) r.v[i] = p[i];
  return r;
}
inline F32 fma(const F32& a, const F32& b, F32 acc) {
  for (int i = 0; i < 16; ++i) acc.v[i] += a.v[i] * b.v[i];
  return acc;
}
// Halves are added pairwise, 16 -> 8 -> 4 -> 2 -> 1: the order every other table follows.
inline float sum(const F32& a) {
  float h[8];
  for (int i = 0; i < 8; ++i) h[i] = a.v[i] + a.v[i + 8];
  for (int i = 0; i < 4; ++i) h[i] += h[i + 4];
  return (h[0] + h[2]) + (h[1] + h[3]);
}

inline F64 zero64() { return F64{}; }
inline F64 widen(const float* p) {
  F64 r;
  for (int i = 0; i < 16; ++i) r.v[i] = p[i];
  return r;
}
inline F64 fma64(const F64& a, const F64& b, F64 acc) {
  for (int i = 0; i < 16; ++i) acc.v[i] += a.v[i] * b.v[i];
  return acc;
}
inline double sum64(const F64& a) {
  double h[8];
  for (int i = 0; i < 8; ++i) h[i] = a.v[i] + a.v[i + 8];
  for (int i = 0; i < 4; ++i) h[i] += h[i + 4];
  return (h[0] + h[2]) + (h[1] + h[3]);
}

#include "kernels_body.inc"

}  // namespace

const Kernels detail::kPortableKernels = {dot_block, dot_gather, square_block};

}  // namespace skillspan
