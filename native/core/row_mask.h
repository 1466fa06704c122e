// Which rows of a segment one search may find: those that are live and allowed.
#pragma once

#include <cstdint>
#include <vector>

#include "allowed.h"
#include "segment.h"

namespace skillspan {

class RowMask {
 public:
  // Every row of a segment.
  explicit RowMask(size_t n_rows) : n_rows_(n_rows), count_(n_rows) {}
  // allowed: null for every id.
  RowMask(const View& view, const Allowed* allowed);

  bool all() const { return words_.empty(); }
  size_t count() const { return count_; }
  bool has(size_t row) const { return all() || (words_[row / 64] >> (row % 64) & 1); }
  // Whether any of n rows is in it. first: a multiple of 64.
  bool any(size_t first, size_t n) const;
  // The rows in it, ascending.
  std::vector<uint32_t> rows() const;

 private:
  size_t n_rows_;
  size_t count_;
  std::vector<uint64_t> words_;  // empty: all rows
};

// What a search looks at.
struct Scope {
  const Segment& segment;
  const RowMask& mask;
};

}  // namespace skillspan
