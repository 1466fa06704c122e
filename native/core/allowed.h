// Which ids a search may find: bit (id % 32) of word (id / 32). Ids beyond it are not allowed, so
// an empty one allows nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skillspan {

struct Allowed {
  std::vector<uint32_t> words;

  bool has(uint32_t id) const {
    return id / 32 < words.size() && (words[id / 32] >> (id % 32) & 1);
  }
  // The bits of ids first to first + 63.
  uint64_t sixty_four(uint32_t first) const {
    const size_t at = first / 32;
    const auto word = [this](size_t i) { return i < words.size() ? uint64_t{words[i]} : 0; };
    const uint64_t low = word(at) | word(at + 1) << 32;
    return first % 32 == 0 ? low : low >> (first % 32) | word(at + 2) << (64 - first % 32);
  }
};

}  // namespace skillspan
