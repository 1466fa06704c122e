#include "segment.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace skillspan::lexical {

Segment::Segment(Documents documents, const Scoring& scoring, double average_length)
    : documents_(std::move(documents)), average_length_(average_length) {
  const size_t n = documents_.size();
  // First pass: how long each list will be.
  std::vector<uint32_t> numbers(documents_.postings());
  std::vector<uint32_t> list_terms;
  std::vector<uint64_t> counts;
  size_t at = 0;
  for (size_t row = 0; row < n; ++row) {
    const uint32_t* terms = documents_.terms(row);
    for (size_t i = 0; i < documents_.row_size(row); ++i) {
      const uint32_t number = numbers[at++] = terms_.number(terms[i]);
      if (number == counts.size()) {
        counts.push_back(0);
        list_terms.push_back(terms[i]);
      }
      ++counts[number];
    }
  }
  std::vector<uint64_t> starts{0};
  for (const uint64_t count : counts) starts.push_back(starts.back() + count);

  // Second pass: documents come in ascending order, so every list does too.
  std::vector<double> lengths(n);
  std::vector<Posting> postings(documents_.postings());
  std::vector<uint16_t> highest(counts.size());
  std::vector<uint64_t> ends(starts.begin(), starts.end() - 1);
  const double steps = kImpactSteps / scoring.highest_impact();
  at = 0;
  for (size_t row = 0; row < n; ++row) {
    const float* frequencies = documents_.frequencies(row);
    lengths[row] = scoring.length(frequencies, documents_.row_size(row));
    const DocumentImpact impact = scoring.impact(lengths[row], average_length_);
    for (size_t i = 0; i < documents_.row_size(row); ++i) {
      const uint32_t number = numbers[at++];
      const double bound =
          std::min<double>(std::ceil(impact(frequencies[i]) * steps), kImpactSteps);
      postings[ends[number]++] = {uint16_t(row), uint16_t(bound)};
      highest[number] = std::max(highest[number], uint16_t(bound));
    }
  }
  lengths_ = Array<double>::of(std::move(lengths));
  list_terms_ = Array<uint32_t>::of(std::move(list_terms));
  starts_ = Array<uint64_t>::of(std::move(starts));
  highest_ = Array<uint16_t>::of(std::move(highest));
  postings_ = Array<Posting>::of(std::move(postings));
}

PostingList Segment::list(uint32_t number) const {
  if (number == TermTable::kAbsent) return {};
  const Posting* postings = postings_.data();
  return {postings + starts_[number], postings + starts_[number + 1], highest_[number]};
}

size_t Segment::bytes() const {
  size_t sum = terms_.bytes();
  if (lender_) return sum;
  each_array(*this, shape(), [&](const char*, const auto& array, size_t) {
    sum += array.size() * sizeof(array[0]);
  });
  return sum;
}

}  // namespace skillspan::lexical
