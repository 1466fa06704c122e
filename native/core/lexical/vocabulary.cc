#include "vocabulary.h"

#include <cstddef>

namespace skillspan::lexical {
namespace {

// The longest string of V8 on 64-bit machines.
constexpr uint64_t kMaxUnits = (uint64_t{1} << 29) - 24;

// How many bytes the character at p has; 0 where it is malformed (Unicode 16, table 3-7).
size_t character_size(const uint8_t* p, const uint8_t* end) {
  const uint8_t lead = p[0];
  if (lead < 0x80) return 1;
  const size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4 || size_t(end - p) < size) return 0;
  // No longer form of a shorter character, no surrogate, nothing beyond U+10FFFF.
  const uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (p[1] < least || p[1] > most) return 0;
  for (size_t i = 2; i < size; ++i)
    if ((p[i] & 0xC0) != 0x80) return 0;
  return size;
}

}  // namespace

bool is_well_formed(const Vocabulary& vocabulary) {
  const auto* at = reinterpret_cast<const uint8_t*>(vocabulary.text.data());
  const uint8_t* const end = at + vocabulary.text.size();
  uint64_t total = 0;
  for (const uint32_t length : vocabulary.lengths) {
    uint64_t units = 0;
    while (units < length) {
      const size_t size = at == end ? 0 : character_size(at, end);
      if (size == 0) return false;
      units += size == 4 ? 2 : 1;
      at += size;
    }
    if (units != length) return false;
    total += units;
  }
  return at == end && total <= kMaxUnits;
}

}  // namespace skillspan::lexical
