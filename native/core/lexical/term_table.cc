#include "term_table.h"

namespace skillspan::lexical {

size_t TermTable::slot_of(uint32_t term) const {
  // Fibonacci hashing: neighbouring term numbers, the usual case, land far apart.
  const size_t mask = slots_.size() - 1;
  size_t at = size_t((uint64_t(term) * 0x9E3779B97F4A7C15ull) >> 32) & mask;
  while (slots_[at].number != kAbsent && slots_[at].term != term) at = (at + 1) & mask;
  return at;
}

uint32_t TermTable::number(uint32_t term) {
  size_t at = slot_of(term);
  if (slots_[at].number != kAbsent) return slots_[at].number;
  if (2 * (size_ + 1) > slots_.size()) {
    grow();
    at = slot_of(term);
  }
  slots_[at] = {term, uint32_t(size_)};
  return uint32_t(size_++);
}

void TermTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.number != kAbsent) slots_[slot_of(slot.term)] = slot;
}

}  // namespace skillspan::lexical
