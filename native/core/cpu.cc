#include "cpu.h"

#if defined(SKILLSPAN_X64) && defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace skillspan {
namespace {

#if defined(SKILLSPAN_X64)
#if defined(_MSC_VER)
// MSVC has no __builtin_cpu_supports. The operating system must save the wide registers too,
// which XCR0 tells: bits 1-2 for AVX, bits 5-7 for AVX-512.
bool cpu_has(int leaf, int reg, int bit) {
  int info[4];
  __cpuidex(info, leaf, 0);
  return (info[reg] >> bit) & 1;
}
bool os_saves(unsigned long long mask) { return cpu_has(1, 2, 27) && (_xgetbv(0) & mask) == mask; }
bool has_avx2() { return os_saves(0x6) && cpu_has(1, 2, 12) && cpu_has(7, 1, 5); }
bool has_avx512() {
  return os_saves(0xe6) && cpu_has(7, 1, 16) && cpu_has(7, 1, 17) && cpu_has(7, 1, 30) &&
         cpu_has(7, 1, 31);
}
bool has_vnni() { return cpu_has(7, 2, 11); }
#else
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
bool has_vnni() { return __builtin_cpu_supports("avx512vnni"); }
#endif
#endif

}  // namespace

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return "portable";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kAvx512Vnni:
      return "avx512vnni";
    case Isa::kNeon:
      return "neon";
  }
  return "unknown";
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas{Isa::kPortable};
#if defined(SKILLSPAN_X64)
  if (has_avx2()) isas.push_back(Isa::kAvx2);
  if (has_avx2() && has_avx512()) isas.push_back(Isa::kAvx512);
  if (isas.back() == Isa::kAvx512 && has_vnni()) isas.push_back(Isa::kAvx512Vnni);
#elif defined(SKILLSPAN_ARM64)
  isas.push_back(Isa::kNeon);
#endif
  return isas;
}

bool parse_isa(const std::string& name, Isa* out) {
  const std::vector<Isa> isas = supported_isas();
  if (name.empty()) {
    *out = isas.back();
    return true;
  }
  for (Isa isa : isas) {
    if (name == isa_name(isa)) {
      *out = isa;
      return true;
    }
  }
  return false;
}

}  // namespace skillspan
