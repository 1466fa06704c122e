#include "row_mask.h"

#include <algorithm>
#include <bitset>

namespace skillspan {
namespace {

// The allowed ones among n <= 64 ascending ids. Mostly they follow one another without a gap.
uint64_t allowed_bits(const Allowed& allowed, const uint32_t* ids, size_t n) {
  const uint64_t present = n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
  if (ids[n - 1] - ids[0] == n - 1) return allowed.sixty_four(ids[0]) & present;
  uint64_t bits = 0;
  for (size_t i = 0; i < n; ++i) bits |= uint64_t{allowed.has(ids[i])} << i;
  return bits;
}

}  // namespace

RowMask::RowMask(const View& view, const Allowed* allowed) : RowMask(view.segment().rows()) {
  if (!allowed && !view.dead()) return;
  words_.resize((n_rows_ + 63) / 64);
  count_ = 0;
  for (size_t w = 0; w < words_.size(); ++w) {
    const size_t n = std::min<size_t>(64, n_rows_ - 64 * w);
    uint64_t bits = n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
    if (allowed) bits = allowed_bits(*allowed, view.segment().ids.data() + 64 * w, n);
    if (view.dead()) bits &= ~(*view.dead())[w];
    words_[w] = bits;
    count_ += std::bitset<64>(bits).count();
  }
}

bool RowMask::any(size_t first, size_t n) const {
  if (all()) return n > 0;
  return std::any_of(words_.begin() + ptrdiff_t(first / 64),
                     words_.begin() + ptrdiff_t((first + n + 63) / 64),
                     [](uint64_t bits) { return bits != 0; });
}

std::vector<uint32_t> RowMask::rows() const {
  std::vector<uint32_t> rows;
  rows.reserve(count_);
  for (size_t row = 0; row < n_rows_; ++row) {
    if (!all() && row % 64 == 0 && words_[row / 64] == 0) {
      row += 63;
      continue;
    }
    if (has(row)) rows.push_back(uint32_t(row));
  }
  return rows;
}

}  // namespace skillspan
