// A segment less the rows that were removed from it since, whatever the rows are. A Segment has
// rows(), id(row), ascending, and row_of(id).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "array.h"

namespace skillspan {

constexpr uint32_t kAbsentRow = UINT32_MAX;

// The row of an id, or kAbsentRow. ids: ascending.
inline uint32_t row_of_id(const Array<uint32_t>& ids, uint32_t id) {
  const size_t n = ids.size();
  if (n == 0 || id < ids[0] || id > ids[n - 1]) return kAbsentRow;
  // Most segments have no gaps.
  if (ids[n - 1] - ids[0] == n - 1) return id - ids[0];
  const uint32_t* const found = std::lower_bound(ids.begin(), ids.end(), id);
  return *found == id ? uint32_t(found - ids.begin()) : kAbsentRow;
}

template <typename Segment>
class SegmentView {
 public:
  explicit SegmentView(std::shared_ptr<const Segment> segment)
      : segment_(std::move(segment)), live_(segment_->rows()) {}

  // The same without these rows, which must be live and distinct.
  SegmentView without(const std::vector<uint32_t>& rows) const {
    auto dead = dead_ ? std::make_shared<std::vector<uint64_t>>(*dead_)
                      : std::make_shared<std::vector<uint64_t>>((segment_->rows() + 63) / 64);
    for (const uint32_t row : rows) (*dead)[row / 64] |= uint64_t{1} << (row % 64);
    SegmentView view = *this;
    view.dead_ = std::move(dead);
    view.live_ -= rows.size();
    return view;
  }

  const Segment& segment() const { return *segment_; }
  const std::shared_ptr<const Segment>& pointer() const { return segment_; }
  size_t live() const { return live_; }
  bool is_live(size_t row) const { return !dead_ || !((*dead_)[row / 64] >> (row % 64) & 1); }
  // Null while all rows are live; else a bit a row, set for the removed ones.
  const std::vector<uint64_t>* dead() const { return dead_.get(); }
  // The row of a live id, or kAbsentRow.
  uint32_t row_of(uint32_t id) const {
    const uint32_t row = segment_->row_of(id);
    return row != kAbsentRow && is_live(row) ? row : kAbsentRow;
  }

 private:
  std::shared_ptr<const Segment> segment_;
  std::shared_ptr<const std::vector<uint64_t>> dead_;
  size_t live_;
};

}  // namespace skillspan
