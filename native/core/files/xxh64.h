// XXH64 (Collet, the xxHash specification, version 0.1.1) with seed 0: a checksum that runs at the
// speed of memory, and that other tools know.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skillspan {

uint64_t xxh64(const void* data, size_t bytes);

}  // namespace skillspan
