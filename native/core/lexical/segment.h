// An immutable part of the corpus: its documents, and the inverted file over them.
//
// A posting is the quantised impact of a term in a document. It is rounded up, so it bounds the
// impact from above: postings say which documents may be worth a look, and the documents themselves
// (exact frequencies, float64 arithmetic) say what they score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../segment_view.h"
#include "documents.h"
#include "scoring.h"
#include "term_table.h"

namespace skillspan::lexical {

struct Posting {
  uint16_t document;  // row in the segment
  uint16_t impact;    // in steps of highest_impact / kImpactSteps
};

constexpr uint32_t kImpactSteps = UINT16_MAX;

// The postings of one term, by ascending document. Empty for a term the segment lacks.
struct PostingList {
  const Posting* begin = nullptr;
  const Posting* end = nullptr;
  uint16_t highest = 0;  // the greatest impact in it
};

class Segment {
 public:
  // So that a document's row fits 16 bits.
  static constexpr size_t kMaxDocuments = size_t{1} << 16;

  // How much there is of everything.
  struct Shape {
    uint64_t documents;
    uint64_t postings;
    uint64_t lists;
  };

  // At most kMaxDocuments documents. average_length: of the whole corpus, as it is now.
  Segment(Documents documents, const Scoring& scoring, double average_length);

  // Of arrays that were built before: take(name, array, size) fills each of each_array's, which
  // `lender` keeps in place. What they say must be checked (segment_check.h) before it is used.
  template <typename Take>
  Segment(const Shape& shape, double average_length, std::shared_ptr<const void> lender,
          const Take& take)
      : average_length_(average_length), lender_(std::move(lender)) {
    each_array(*this, shape, take);
    for (const uint32_t term : list_terms_) terms_.number(term);
  }

  const Documents& documents() const { return documents_; }
  size_t rows() const { return documents_.size(); }
  uint32_t id(size_t row) const { return documents_.id(row); }
  // The row of an id, or kAbsentRow.
  uint32_t row_of(uint32_t id) const { return row_of_id(documents_.ids(), id); }
  const Array<double>& lengths() const { return lengths_; }
  // The average length under which the impacts were computed.
  double average_length() const { return average_length_; }

  // Postings of the list with this number (see list_of).
  PostingList list(uint32_t number) const;
  // The number of a term's list, or TermTable::kAbsent.
  uint32_t list_of(uint32_t term) const { return terms_.find(term); }
  size_t lists() const { return list_terms_.size(); }
  const Array<uint32_t>& list_terms() const { return list_terms_; }
  // Where each list begins among all postings; one more at the end.
  const Array<uint64_t>& starts() const { return starts_; }

  Shape shape() const { return {documents_.size(), postings_.size(), lists()}; }
  // How much memory it holds, but for what a file lends.
  size_t bytes() const;

  // As Documents::each_array.
  template <typename Self, typename Visit>
  static void each_array(Self& self, const Shape& shape, const Visit& visit) {
    Documents::each_array(self.documents_, shape.documents, shape.postings, visit);
    visit("lengths", self.lengths_, shape.documents);
    visit("lists", self.list_terms_, shape.lists);
    visit("starts", self.starts_, shape.lists + 1);
    visit("highest", self.highest_, shape.lists);
    visit("postings", self.postings_, shape.postings);
  }

 private:
  Documents documents_;
  Array<double> lengths_;
  double average_length_;
  TermTable terms_;  // finds the number of a term's list
  Array<uint32_t> list_terms_;
  Array<uint64_t> starts_;
  Array<uint16_t> highest_;
  Array<Posting> postings_;
  std::shared_ptr<const void> lender_;  // keeps a file mapped while it lends the arrays
};

}  // namespace skillspan::lexical
