#include "snapshot.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace skillspan::lexical {
namespace {

constexpr ptrdiff_t kStrip = 16;

// The first term from `at` on that is not below this one. A row is cold and short, so walking it
// beats a binary search, whose every step waits for memory; counting needs no branch.
const uint32_t* seek(const uint32_t* at, const uint32_t* end, uint32_t term) {
  while (end - at >= kStrip && at[kStrip - 1] < term) at += kStrip;
  const uint32_t* const last = end - at < kStrip ? end : at + kStrip;
  return at + std::count_if(at, last, [term](uint32_t held) { return held < term; });
}

}  // namespace

View::View(std::shared_ptr<const Segment> whole) : SegmentView(std::move(whole)) {
  const Array<double>& lengths = segment().lengths();
  total_length_ = std::accumulate(lengths.begin(), lengths.end(), 0.0);
}

View View::without(const std::vector<uint32_t>& rows) const {
  View view = *this;
  static_cast<SegmentView&>(view) = SegmentView::without(rows);
  auto dead_df = dead_df_ ? std::make_shared<std::vector<uint32_t>>(*dead_df_)
                          : std::make_shared<std::vector<uint32_t>>(segment().lists());
  const Documents& documents = segment().documents();
  for (const uint32_t row : rows)
    for (size_t i = 0; i < documents.row_size(row); ++i)
      ++(*dead_df)[segment().list_of(documents.terms(row)[i])];
  view.dead_df_ = std::move(dead_df);
  // Summed anew, not subtracted: rounding errors must not pile up over many removals.
  view.total_length_ = 0;
  for (size_t row = 0; row < segment().rows(); ++row)
    if (view.is_live(row)) view.total_length_ += segment().lengths()[row];
  return view;
}

uint32_t View::df(uint32_t list) const {
  if (list == TermTable::kAbsent) return 0;
  const PostingList postings = segment().list(list);
  return uint32_t(postings.end - postings.begin) - (dead_df_ ? (*dead_df_)[list] : 0);
}

size_t View::bytes() const {
  return segment().bytes() + (dead() ? dead()->size() * sizeof(uint64_t) : 0) +
         (dead_df_ ? dead_df_->size() * sizeof(uint32_t) : 0);
}

Snapshot::Snapshot(const Scoring& scoring, std::vector<View> views)
    : scoring_(scoring), views_(std::move(views)) {
  double total = 0;
  for (const View& view : views_) {
    size_ += view.live();
    total += view.total_length();
  }
  if (total > 0) average_length_ = total / double(size_);
}

size_t Snapshot::bytes() const {
  size_t sum = 0;
  for (const View& view : views_) sum += view.bytes();
  return sum;
}

uint32_t Snapshot::df(uint32_t term) const {
  uint32_t sum = 0;
  for (const View& view : views_) sum += view.df(view.segment().list_of(term));
  return sum;
}

std::vector<WeightedTerm> Snapshot::resolve(std::vector<WeightedTerm> query) const {
  // Stable, so that the weights of a repeated term are added up in the order they came.
  std::stable_sort(query.begin(), query.end(),
                   [](const WeightedTerm& a, const WeightedTerm& b) { return a.term < b.term; });
  std::vector<WeightedTerm> terms;
  std::vector<uint32_t> dfs;
  for (const WeightedTerm& term : query) {
    if (term.weight <= 0) continue;
    if (!terms.empty() && terms.back().term == term.term) {
      terms.back().weight += term.weight;
    } else if (const uint32_t found = df(term.term); found > 0) {
      terms.push_back(term);
      dfs.push_back(found);
    }
  }
  scoring_.resolve(dfs, size_, &terms);
  return terms;
}

double Snapshot::score(const View& view, size_t row,
                       const std::vector<WeightedTerm>& resolved) const {
  const Documents& documents = view.segment().documents();
  const DocumentImpact impact = scoring_.impact(view.segment().lengths()[row], average_length_);
  const uint32_t* const begin = documents.terms(row);
  const uint32_t* const end = begin + documents.row_size(row);
  const float* const frequencies = documents.frequencies(row);
  double sum = 0;
  const uint32_t* at = begin;
  for (const WeightedTerm& term : resolved) {
    at = seek(at, end, term.term);
    if (at == end) break;
    if (*at == term.term) sum += term.weight * impact(frequencies[at - begin]);
  }
  return sum;
}

std::vector<double> Snapshot::scores_for(const std::vector<WeightedTerm>& query,
                                         const uint32_t* ids, size_t n) const {
  const std::vector<WeightedTerm> resolved = resolve(query);
  std::vector<double> scores(n);
  for (size_t i = 0; i < n; ++i) {
    for (const View& view : views_) {
      const uint32_t row = view.row_of(ids[i]);
      if (row == kAbsentRow) continue;
      scores[i] = score(view, row, resolved);
      break;
    }
  }
  return scores;
}

}  // namespace skillspan::lexical
