// Documents as rows of (term, frequency), terms ascending: what exact scores are computed from, and
// all that is needed to build, merge or take away from an inverted file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../status.h"

namespace skillspan::lexical {

// Documents as they come from a caller: in any order, ids and the terms of a row may repeat.
struct Rows {
  std::vector<uint32_t> ids;
  std::vector<uint32_t> offsets;  // row i is terms[offsets[i]] up to terms[offsets[i + 1]]
  std::vector<uint32_t> terms;
  std::vector<float> frequencies;
};

class Documents {
 public:
  // Of rows with one id the last counts; frequencies of one term in a row are added up.
  // Answers kInvalidFrequency with the first row that has one not positive and finite.
  static Status from_rows(const Rows& rows, Documents* out);

  size_t size() const { return ids_.size(); }
  size_t postings() const { return terms_.size(); }
  size_t bytes() const;

  uint32_t id(size_t row) const { return ids_[row]; }
  const std::vector<uint32_t>& ids() const { return ids_; }
  size_t row_size(size_t row) const { return offsets_[row + 1] - offsets_[row]; }
  const uint32_t* terms(size_t row) const { return terms_.data() + offsets_[row]; }
  const float* frequencies(size_t row) const { return frequencies_.data() + offsets_[row]; }

  void reserve(size_t rows, size_t postings);
  // Appends a row of other documents. Ids must be appended in ascending order.
  void append(const Documents& from, size_t row);
  // Rows first up to last, themselves in ascending order of ids.
  Documents slice(size_t first, size_t last) const;

 private:
  void append_sorted(uint32_t id, const std::vector<std::pair<uint32_t, float>>& row);

  std::vector<uint32_t> ids_;
  std::vector<uint64_t> offsets_{0};
  std::vector<uint32_t> terms_;
  std::vector<float> frequencies_;
};

}  // namespace skillspan::lexical
