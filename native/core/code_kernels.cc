#include "code_kernels.h"

#include "kernels.h"

namespace skillspan {

const CodeKernels& code_kernels_for(Isa isa) {
  switch (isa) {
#if defined(SKILLSPAN_X64)
    case Isa::kAvx2:
    case Isa::kAvx512:  // without VNNI, wider registers gain nothing here
      return detail::kAvx2CodeKernels;
    case Isa::kAvx512Vnni:
      return detail::kAvx512VnniCodeKernels;
#elif defined(SKILLSPAN_ARM64)
    case Isa::kNeon:
      return detail::kNeonCodeKernels;
#endif
    default:
      return detail::kPortableCodeKernels;
  }
}

const CodeKernels& active_code_kernels() {
  static const CodeKernels& kernels = code_kernels_for(active_isa());
  return kernels;
}

}  // namespace skillspan
