#include "segment.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skillspan::lexical {

Segment::Segment(Documents documents, const Scoring& scoring, double average_length)
    : documents_(std::move(documents)), average_length_(average_length) {
  const size_t n = documents_.size();
  lengths_.resize(n);
  // First pass: how long each list will be.
  std::vector<uint32_t> numbers(documents_.postings());
  std::vector<uint64_t> counts;
  size_t at = 0;
  for (size_t row = 0; row < n; ++row) {
    const uint32_t* terms = documents_.terms(row);
    for (size_t i = 0; i < documents_.row_size(row); ++i) {
      const uint32_t number = numbers[at++] = terms_.number(terms[i]);
      if (number == counts.size()) counts.push_back(0);
      ++counts[number];
    }
  }
  starts_.assign(1, 0);
  for (const uint64_t count : counts) starts_.push_back(starts_.back() + count);

  // Second pass: documents come in ascending order, so every list does too.
  postings_.resize(documents_.postings());
  highest_.resize(terms_.size());
  std::vector<uint64_t> ends(starts_.begin(), starts_.end() - 1);
  const double steps = kImpactSteps / scoring.highest_impact();
  at = 0;
  for (size_t row = 0; row < n; ++row) {
    const float* frequencies = documents_.frequencies(row);
    lengths_[row] = scoring.length(frequencies, documents_.row_size(row));
    const DocumentImpact impact = scoring.impact(lengths_[row], average_length_);
    for (size_t i = 0; i < documents_.row_size(row); ++i) {
      const uint32_t number = numbers[at++];
      const double bound =
          std::min<double>(std::ceil(impact(frequencies[i]) * steps), kImpactSteps);
      postings_[ends[number]++] = {uint16_t(row), uint16_t(bound)};
      highest_[number] = std::max(highest_[number], uint16_t(bound));
    }
  }
}

PostingList Segment::list(uint32_t number) const {
  if (number == TermTable::kAbsent) return {};
  const Posting* postings = postings_.data();
  return {postings + starts_[number], postings + starts_[number + 1], highest_[number]};
}

size_t Segment::bytes() const {
  return documents_.bytes() + lengths_.size() * sizeof(double) + terms_.bytes() +
         starts_.size() * sizeof(uint64_t) + highest_.size() * sizeof(uint16_t) +
         postings_.size() * sizeof(Posting);
}

}  // namespace skillspan::lexical
