#include "overlaps.h"

namespace skillspan {

Overlaps find_overlaps(ResidualKernel& kernel, const std::vector<uint32_t>& chosen) {
  const size_t m = kernel.size();
  Overlaps found{std::vector<int32_t>(m, -1), std::vector<float>(m, 0)};
  std::vector<uint32_t> others;
  std::vector<double> phi(m);
  for (const uint32_t j : chosen) {
    others.clear();
    for (uint32_t i = 0; i < m; ++i)
      if (i != j) others.push_back(i);
    kernel.entries(j, others.data(), others.size(), phi.data());
    for (size_t n = 0; n < others.size(); ++n) {
      const uint32_t i = others[n];
      if (found.nearest[i] >= 0 && float(phi[n]) <= found.overlap[i]) continue;
      found.nearest[i] = int32_t(j);
      found.overlap[i] = float(phi[n]);
    }
  }
  return found;
}

}  // namespace skillspan
