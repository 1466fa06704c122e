#include "dither.h"

#include <random>

namespace skillspan {

Array<float> drawn_dither(size_t dim) {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(),
                     device(), device(), device(), device()};
  std::mt19937_64 random(seed);
  auto dither = Array<float>::uninitialised(dim);
  for (size_t t = 0; t < dither.size(); ++t)
    dither.writable()[t] = float(random() >> 40) * 0x1p-24f - 0.5f;
  return dither;
}

}  // namespace skillspan
