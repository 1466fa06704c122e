// Plain C++, for any machine; compilers turn the fixed-length loops into their baseline SIMD.
#include "kernels.h"
#include "simd_target.h"

namespace skillspan {
namespace {

struct F32 {
  float v[16];
};
struct Part {
  double v[16];
};
constexpr size_t kParts = 1;
struct F64 {
  Part v[kParts];
};

// GCC keeps one accumulator of 16 floats in registers and spills two (measured: 5.5 times slower).
constexpr size_t kTileRows = 1, kTileQueries = 1, kSoloRows = 1, kGatherRows = 1, kMeasureRows = 1;
constexpr size_t kGroupTileRows = 1, kGroupTileColumns = 1, kGroupSums = 1;

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

inline Part part(const float* p) {
  Part r;
  for (int i = 0; i < 16; ++i) r.v[i] = p[i];
  return r;
}
inline Part part(const double* p) {
  Part r;
  for (int i = 0; i < 16; ++i) r.v[i] = p[i];
  return r;
}
inline void store_part(double* p, const Part& v) {
  for (int i = 0; i < 16; ++i) p[i] = v.v[i];
}
inline Part fma_part(const Part& a, const Part& b, Part acc) {
  for (int i = 0; i < 16; ++i) acc.v[i] += a.v[i] * b.v[i];
  return acc;
}

inline F64 zero64() { return F64{}; }
inline F64 widen(const float* p) { return {{part(p)}}; }
inline F64 fma64(const F64& a, const F64& b, const F64& acc) {
  return {{fma_part(a.v[0], b.v[0], acc.v[0])}};
}
inline double sum64(const F64& a) {
  const double* lanes = a.v[0].v;
  double h[8];
  for (int i = 0; i < 8; ++i) h[i] = lanes[i] + lanes[i + 8];
  for (int i = 0; i < 4; ++i) h[i] += h[i + 4];
  return (h[0] + h[2]) + (h[1] + h[3]);
}

struct Quad {
  double v[4];
};
inline Quad quad(const double* p) { return {{p[0], p[1], p[2], p[3]}}; }
inline void store_quad(double* p, const Quad& v) {
  for (int i = 0; i < 4; ++i) p[i] = v.v[i];
}
inline Quad subtract(Quad a, const Quad& b) {
  for (int i = 0; i < 4; ++i) a.v[i] -= b.v[i];
  return a;
}
inline Quad scale(Quad a, double b) {
  for (int i = 0; i < 4; ++i) a.v[i] *= b;
  return a;
}

#include "kernels_body.inc"

}  // namespace

const Kernels detail::kPortableKernels = {dot_block, dot_gather, square_block, measure_block,
                                          dot_group, widen_row,  substitute};

}  // namespace skillspan
