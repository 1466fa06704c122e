// The strings of an index's terms, in the order of their numbers. Searching never needs them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skillspan::lexical {

struct Vocabulary {
  std::string text;               // UTF-8, one term after another
  std::vector<uint32_t> lengths;  // of each term in UTF-16 code units, as JavaScript counts
};

// Whether the text is well-formed UTF-8, the lengths divide it, never within a character, and
// JavaScript can hold it in one string.
bool is_well_formed(const Vocabulary& vocabulary);

}  // namespace skillspan::lexical
