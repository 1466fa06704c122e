#include "kernels.h"

#include <cstdlib>

namespace skillspan {

const Kernels& kernels_for(Isa isa) {
  switch (isa) {
#if defined(SKILLSPAN_X64)
    case Isa::kAvx2:
      return detail::kAvx2Kernels;
    case Isa::kAvx512:
    case Isa::kAvx512Vnni:
      return detail::kAvx512Kernels;
#elif defined(SKILLSPAN_ARM64)
    case Isa::kNeon:
      return detail::kNeonKernels;
#endif
    default:
      return detail::kPortableKernels;
  }
}

Isa active_isa() {
  static const Isa isa = [] {
    const char* wanted = std::getenv("SKILLSPAN_ISA");
    Isa chosen;
    // A set this machine cannot run is refused when the addon loads; here the fastest one serves.
    if (!parse_isa(wanted ? wanted : "", &chosen)) parse_isa("", &chosen);
    return chosen;
  }();
  return isa;
}

const Kernels& active_kernels() {
  static const Kernels& kernels = kernels_for(active_isa());
  return kernels;
}

}  // namespace skillspan
