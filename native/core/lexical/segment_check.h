// Whether arrays that come from outside, such as a file, are a segment: all that searching,
// changing and merging it rely on. Postings may still name other documents than the ones that have
// the term, or too low an impact: then a search misses something, and no more.
#pragma once

#include <cstdint>
#include <vector>

#include "segment.h"

namespace skillspan::lexical {

class SegmentCheck {
 public:
  // Of segments whose terms are numbers below this.
  explicit SegmentCheck(size_t n_terms) : left_(n_terms) {}

  // What was expected of a segment that is none; null where it is one.
  const char* flaw(const Segment& segment);

 private:
  const char* flaw_of_lists(const Segment& segment);
  const char* flaw_of_documents(const Segment& segment);

  // How many documents are still to come that have a term. Zeros between two segments.
  std::vector<uint32_t> left_;
};

// Whether no id is in two segments.
bool have_distinct_ids(const std::vector<std::shared_ptr<const Segment>>& segments);

}  // namespace skillspan::lexical
