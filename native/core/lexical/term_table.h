// Numbers the distinct terms of a segment 0, 1, 2 ... in the order they first come. Open addressing
// with linear probing, at most half full: building a segment asks once for every posting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skillspan::lexical {

class TermTable {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  TermTable() : slots_(16) {}

  // The number of a term, which is given one if it has none.
  uint32_t number(uint32_t term);
  // The number of a term, or kAbsent.
  uint32_t find(uint32_t term) const { return slots_[slot_of(term)].number; }

  size_t size() const { return size_; }
  size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t term = 0;
    uint32_t number = kAbsent;
  };

  // Where the term is, or would be put.
  size_t slot_of(uint32_t term) const;
  void grow();

  std::vector<Slot> slots_;  // a power of two of them
  size_t size_ = 0;
};

}  // namespace skillspan::lexical
