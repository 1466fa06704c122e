#include "segment.h"

#include <algorithm>

#include "two_level.h"

namespace skillspan {
namespace {

// Below this many numbers the float32 scan takes some 50 us, which codes cannot shorten by much.
constexpr size_t kMinNumbers = 1 << 20;

}  // namespace

size_t Segment::bytes() const {
  return rows() * (matrix.stride() * sizeof(float) + sizeof(double) + sizeof(uint32_t)) +
         codes.bytes();
}

uint32_t Segment::row_of(uint32_t id) const {
  if (ids.empty() || id < ids[0] || id > ids[rows() - 1]) return kAbsent;
  // Most segments have no gaps.
  if (ids[rows() - 1] - ids[0] == rows() - 1) return id - ids[0];
  const uint32_t* const found = std::lower_bound(ids.begin(), ids.end(), id);
  return *found == id ? uint32_t(found - ids.begin()) : kAbsent;
}

bool Segment::lacks_codes() const { return codes.empty() && rows() * matrix.dim() >= kMinNumbers; }

Status Segment::encode(Pool* pool) {
  if (!lacks_codes()) return {};
  const Status status = Quantized::build(matrix, pool, &codes);
  if (status.ok()) levels->start_from(coarse_survivors(*this));
  return status;
}

View View::without(const std::vector<uint32_t>& rows) const {
  auto dead = dead_ ? std::make_shared<std::vector<uint64_t>>(*dead_)
                    : std::make_shared<std::vector<uint64_t>>((segment_->rows() + 63) / 64);
  for (const uint32_t row : rows) (*dead)[row / 64] |= uint64_t{1} << (row % 64);
  View view = *this;
  view.dead_ = std::move(dead);
  view.live_ -= rows.size();
  return view;
}

uint32_t View::row_of(uint32_t id) const {
  const uint32_t row = segment_->row_of(id);
  return row != Segment::kAbsent && is_live(row) ? row : Segment::kAbsent;
}

}  // namespace skillspan
