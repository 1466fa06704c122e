// An immutable part of an index: vectors under ids and, where there are enough of them to pay,
// compact codes. A view of it leaves out the rows that were removed since.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "level_choice.h"
#include "matrix.h"
#include "quantized.h"

namespace skillspan {

struct Segment {
  static constexpr uint32_t kAbsent = UINT32_MAX;

  Array<uint32_t> ids;  // of the rows, ascending, so that ties go by row as they go by id
  Matrix matrix;
  Quantized codes;  // empty for a small segment
  std::unique_ptr<LevelChoice> levels = std::make_unique<LevelChoice>();
  std::shared_ptr<const void> lender;  // keeps a file mapped while arrays are lent by it

  size_t rows() const { return ids.size(); }
  size_t bytes() const;
  // The row of an id, or kAbsent.
  uint32_t row_of(uint32_t id) const;

  // Whether codes would pay and are not there.
  bool lacks_codes() const;
  // Makes codes if they pay. Answers kOutOfMemory or kOk.
  Status encode(Pool* pool);
};

class View {
 public:
  explicit View(std::shared_ptr<const Segment> segment)
      : segment_(std::move(segment)), live_(segment_->rows()) {}

  // The same without these rows, which must be live and distinct.
  View without(const std::vector<uint32_t>& rows) const;

  const Segment& segment() const { return *segment_; }
  const std::shared_ptr<const Segment>& pointer() const { return segment_; }
  size_t live() const { return live_; }
  bool is_live(size_t row) const { return !dead_ || !((*dead_)[row / 64] >> (row % 64) & 1); }
  // Null while all rows are live; else a bit a row, set for the removed ones.
  const std::vector<uint64_t>* dead() const { return dead_.get(); }
  // The row of a live id, or kAbsent.
  uint32_t row_of(uint32_t id) const;

 private:
  std::shared_ptr<const Segment> segment_;
  std::shared_ptr<const std::vector<uint64_t>> dead_;
  size_t live_;
};

}  // namespace skillspan
