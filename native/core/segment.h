// An immutable part of an index: vectors under ids and, where there are enough of them to pay,
// compact codes.
#pragma once

#include <cstdint>
#include <memory>

#include "level_choice.h"
#include "matrix.h"
#include "quantized.h"
#include "segment_view.h"

namespace skillspan {

struct Segment {
  static constexpr uint32_t kAbsent = kAbsentRow;

  Array<uint32_t> ids;  // of the rows, ascending, so that ties go by row as they go by id
  Matrix matrix;
  Quantized codes;  // empty for a small segment
  std::unique_ptr<LevelChoice> levels = std::make_unique<LevelChoice>();
  std::shared_ptr<const void> lender;  // keeps a file mapped while arrays are lent by it

  size_t rows() const { return ids.size(); }
  size_t bytes() const;
  uint32_t id(size_t row) const { return ids[row]; }
  // The row of an id, or kAbsent.
  uint32_t row_of(uint32_t id) const { return row_of_id(ids, id); }

  // Whether codes would pay and are not there.
  bool lacks_codes() const;
  // Makes codes if they pay. Answers kOutOfMemory or kOk.
  Status encode(Exactness exactness, Pool* pool);
};

using View = SegmentView<Segment>;

}  // namespace skillspan
