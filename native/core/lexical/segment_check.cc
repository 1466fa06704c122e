#include "segment_check.h"

#include <algorithm>
#include <cmath>

namespace skillspan::lexical {
namespace {

// Wider than any length or average of float32 frequencies, and far from where float64 overflows.
constexpr double kShortest = 1e-60;
constexpr double kLongest = 1e60;

bool is_length(double x) { return x >= kShortest && x <= kLongest; }

template <typename T>
bool rises(const Array<T>& numbers) {
  return std::adjacent_find(numbers.begin(), numbers.end(), [](T a, T b) { return a >= b; }) ==
         numbers.end();
}

// Whether these are the beginnings of stretches that make up a whole, and its end.
bool divides(const Array<uint64_t>& bounds, size_t total) {
  return bounds[0] == 0 && bounds[bounds.size() - 1] == total &&
         std::is_sorted(bounds.begin(), bounds.end());
}

}  // namespace

const char* SegmentCheck::flaw(const Segment& segment) {
  const Documents& documents = segment.documents();
  if (!rises(documents.ids())) return "ids in ascending order";
  if (!divides(documents.offsets(), documents.postings()) ||
      !divides(segment.starts(), documents.postings()))
    return "rows and lists that divide the postings among them";
  if (!is_length(segment.average_length())) return "an average length above 0";
  const char* const flaw = flaw_of_lists(segment);
  return flaw ? flaw : flaw_of_documents(segment);
}

const char* SegmentCheck::flaw_of_lists(const Segment& segment) {
  for (uint32_t number = 0; number < segment.lists(); ++number) {
    const uint32_t term = segment.list_terms()[number];
    const PostingList list = segment.list(number);
    if (term >= left_.size() || left_[term] != 0 || list.begin == list.end)
      return "one list of postings for each term of the vocabulary that a document has";
    left_[term] = uint32_t(list.end - list.begin);
    uint16_t highest = 0;
    bool ascending = list.end[-1].document < segment.rows();
    for (const Posting* at = list.begin; at != list.end; ++at) {
      highest = std::max(highest, at->impact);
      ascending &= at == list.begin || at[-1].document < at->document;
    }
    if (!ascending || highest != list.highest)
      return "postings by ascending document, and their highest impact";
  }
  return nullptr;
}

// Every term of a document is counted off against its list. Lists and documents have as many
// postings in all, so where no list falls short none has any left.
const char* SegmentCheck::flaw_of_documents(const Segment& segment) {
  const Documents& documents = segment.documents();
  for (size_t row = 0; row < documents.size(); ++row) {
    const uint32_t* const terms = documents.terms(row);
    const float* const frequencies = documents.frequencies(row);
    const size_t n = documents.row_size(row);
    for (size_t i = 0; i < n; ++i) {
      if (terms[i] >= left_.size() || left_[terms[i]]-- == 0 || (i > 0 && terms[i - 1] >= terms[i]))
        return "documents of ascending terms, each as often as its list is long";
      if (!(frequencies[i] > 0) || !std::isfinite(frequencies[i])) return "frequencies above 0";
    }
    const double length = segment.lengths()[row];
    if (n > 0 ? !is_length(length) : length != 0) return "lengths above 0";
  }
  return nullptr;
}

bool have_distinct_ids(const std::vector<std::shared_ptr<const Segment>>& segments) {
  if (segments.size() < 2) return true;  // within a segment they ascend
  std::vector<uint32_t> ids;
  for (const auto& segment : segments)
    ids.insert(ids.end(), segment->documents().ids().begin(), segment->documents().ids().end());
  std::sort(ids.begin(), ids.end());
  return std::adjacent_find(ids.begin(), ids.end()) == ids.end();
}

}  // namespace skillspan::lexical
