// Documents as rows of (term, frequency), terms ascending: what exact scores are computed from, and
// all that is needed to build, merge or take away from an inverted file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../array.h"
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

  uint32_t id(size_t row) const { return ids_[row]; }
  const Array<uint32_t>& ids() const { return ids_; }
  // Where each row begins among all postings; one more at the end.
  const Array<uint64_t>& offsets() const { return offsets_; }
  size_t row_size(size_t row) const { return offsets_[row + 1] - offsets_[row]; }
  const uint32_t* terms(size_t row) const { return terms_.data() + offsets_[row]; }
  const float* frequencies(size_t row) const { return frequencies_.data() + offsets_[row]; }

  // Calls visit(name, array, size) for every array that n documents are made of, whether they are
  // there already or to be filled in: what a file holds of them.
  template <typename Self, typename Visit>
  static void each_array(Self& self, size_t n, size_t postings, const Visit& visit) {
    visit("ids", self.ids_, n);
    visit("offsets", self.offsets_, n + 1);
    visit("terms", self.terms_, postings);
    visit("freqs", self.frequencies_, postings);
  }

 private:
  friend class DocumentsBuilder;

  Array<uint32_t> ids_;
  Array<uint64_t> offsets_;
  Array<uint32_t> terms_;
  Array<float> frequencies_;
};

// Documents in the making. Rows must be appended by ascending id.
class DocumentsBuilder {
 public:
  // Room for so many, so that nothing moves.
  DocumentsBuilder(size_t rows, size_t postings);

  // A row of other documents.
  void append(const Documents& from, size_t row);
  // A row by ascending term, of which equal ones are added up.
  void append(uint32_t id, const std::vector<std::pair<uint32_t, float>>& row);

  bool ends_with(uint32_t id) const { return !ids_.empty() && ids_.back() == id; }
  Documents finish();

 private:
  std::vector<uint32_t> ids_;
  std::vector<uint64_t> offsets_{0};
  std::vector<uint32_t> terms_;
  std::vector<float> frequencies_;
};

}  // namespace skillspan::lexical
