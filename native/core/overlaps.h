// Why a candidate was left out: which chosen one covers it.
#pragma once

#include "residual_kernel.h"
#include "selection.h"

namespace skillspan {

// O(k M d) for k chosen candidates: more than choosing them costs, hence only on demand.
Overlaps find_overlaps(ResidualKernel& kernel, const std::vector<uint32_t>& chosen);

}  // namespace skillspan
