// An immutable part of the corpus: its documents, and the inverted file over them.
//
// A posting is the quantised impact of a term in a document. It is rounded up, so it bounds the
// impact from above: postings say which documents may be worth a look, and the documents themselves
// (exact frequencies, float64 arithmetic) say what they score.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

  // At most kMaxDocuments documents. average_length: of the whole corpus, as it is now.
  Segment(Documents documents, const Scoring& scoring, double average_length);

  const Documents& documents() const { return documents_; }
  size_t size() const { return documents_.size(); }
  const std::vector<double>& lengths() const { return lengths_; }
  // The average length under which the impacts were computed.
  double average_length() const { return average_length_; }

  // Postings of the list with this number (see list_of).
  PostingList list(uint32_t number) const;
  // The number of a term's list, or TermTable::kAbsent.
  uint32_t list_of(uint32_t term) const { return terms_.find(term); }
  size_t lists() const { return terms_.size(); }

  size_t bytes() const;

 private:
  Documents documents_;
  std::vector<double> lengths_;
  double average_length_;
  TermTable terms_;
  std::vector<uint64_t> starts_;  // where each list begins; one more at the end
  std::vector<uint16_t> highest_;
  std::vector<Posting> postings_;
};

}  // namespace skillspan::lexical
