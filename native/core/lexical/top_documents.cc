#include "top_documents.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace skillspan::lexical {
namespace {

// 16 KiB of sums: half of a first-level cache.
constexpr size_t kWindow = 4096;
// The lists that are not read may add up to this share of the bar. At 1, the textbook's choice, the
// fewest postings are read, but thousands of documents could then still reach the bar, and to score
// one exactly costs as much as to read some hundreds of postings. Measured on 80,000 skills.
constexpr double kUnread = 0.1;
// Sums are compared this many at a time; the loop over them becomes a few vector instructions.
constexpr size_t kStrip = 16;
// Whole coefficients add up to at most this, so a sum of kImpactSteps times them fits 32 bits.
constexpr double kCoefficientSteps = UINT16_MAX;
// Covers the rounding of float64, in quantising an impact and in adding up an exact score.
constexpr double kRounding = 1 - 1e-9;

struct Cursor {
  const Posting* next;
  const Posting* end;
  uint32_t coefficient;
  uint32_t most;  // coefficient times the highest impact of the list
};

struct Candidate {
  uint32_t bound;
  uint32_t row;
};

// The first posting of a document from `row` on, by galloping.
const Posting* first_beyond(const Posting* at, const Posting* end, size_t row) {
  ptrdiff_t reach = 16;
  while (end - at > reach && at[reach].document < row) {
    at += reach;
    reach *= 2;
  }
  return std::partition_point(at, at + std::min(reach, end - at),
                              [row](const Posting& posting) { return posting.document < row; });
}

// One query over one snapshot. The heap carries its threshold from segment to segment.
class TopSearch {
 public:
  TopSearch(const Snapshot& snapshot, std::vector<WeightedTerm> resolved, size_t m,
            const Allowed* allowed)
      : snapshot_(snapshot),
        terms_(std::move(resolved)),
        allowed_(allowed),
        m_(std::min(m, snapshot.size())),
        top_(m_),
        sums_(kWindow) {
    double total = 0;
    for (const WeightedTerm& term : terms_) total += term.weight;
    steps_ = (kCoefficientSteps - double(terms_.size())) / total;
  }

  Status run(const Execution& execution, std::vector<Scored>* hits) {
    if (!terms_.empty() && m_ > 0)
      for (const View& view : snapshot_.views())
        if (!scan(view, execution)) return {Code::kCancelled};
    *hits = top_.kept();
    std::sort(hits->begin(), hits->end(), better);
    return {};
  }

 private:
  bool scan(const View& view, const Execution& execution) {
    open(view);
    for (size_t first = 0; first < view.segment().rows(); first += kWindow) {
      if (execution.cancelled()) return false;
      const uint32_t bar = lowest_bound();
      if (before_.back() < bar) return true;  // nothing here can enter any more
      const size_t essential = first_essential(bar);
      const size_t n = std::min(kWindow, view.segment().rows() - first);
      add_up(essential, first, n);
      collect(view, first, n, bar, before_[essential]);
      score_candidates(view);
    }
    return true;
  }

  // Cursors by ascending bound, and what all before each could add together.
  void open(const View& view) {
    const Segment& segment = view.segment();
    const Scoring& scoring = snapshot_.scoring();
    const double growth = scoring.growth(segment.average_length(), snapshot_.average_length());
    unit_ = scoring.highest_impact() * growth / (kImpactSteps * steps_);
    cursors_.clear();
    for (const WeightedTerm& term : terms_) {
      const PostingList list = segment.list(segment.list_of(term.term));
      if (list.begin == list.end) continue;
      const auto coefficient = uint32_t(std::ceil(term.weight * steps_));
      cursors_.push_back({list.begin, list.end, coefficient, coefficient * list.highest});
    }
    std::sort(cursors_.begin(), cursors_.end(),
              [](const Cursor& a, const Cursor& b) { return a.most < b.most; });
    before_.assign(1, 0);
    for (const Cursor& cursor : cursors_) before_.push_back(before_.back() + cursor.most);
  }

  // The least bound with which a document may still enter; at least 1, which any match has.
  uint32_t lowest_bound() const {
    const double bound = std::floor(top_.threshold() / unit_ * kRounding);
    return uint32_t(std::clamp<double>(bound, 1, UINT32_MAX));
  }

  size_t first_essential(uint32_t bar) const {
    size_t i = 0;
    while (i < cursors_.size() && before_[i + 1] < bar * kUnread) ++i;
    return i;
  }

  void add_up(size_t essential, size_t first, size_t n) {
    std::fill(sums_.begin(), sums_.end(), 0);
    for (size_t i = essential; i < cursors_.size(); ++i) {
      Cursor& cursor = cursors_[i];
      const Posting* const stop = first_beyond(cursor.next, cursor.end, first + n);
      const uint32_t coefficient = cursor.coefficient;
      uint32_t* const sums = sums_.data();
      for (const Posting* at = cursor.next; at != stop; ++at)
        sums[at->document - first] += coefficient * at->impact;
      cursor.next = stop;
    }
  }

  void collect(const View& view, size_t first, size_t n, uint32_t bar, uint32_t rest) {
    candidates_.clear();
    const uint32_t least = std::max<uint32_t>(bar > rest ? bar - rest : 0, 1);
    for (size_t strip = 0; strip < n; strip += kStrip) {
      const uint32_t* sums = sums_.data() + strip;
      uint32_t highest = 0;
      for (size_t i = 0; i < kStrip; ++i) highest = std::max(highest, sums[i]);
      if (highest < least) continue;
      for (size_t i = 0; i < kStrip; ++i) {
        const size_t row = first + strip + i;
        if (sums[i] >= least && may_be_found(view, row))
          candidates_.push_back({sums[i] + rest, uint32_t(row)});
      }
    }
  }

  bool may_be_found(const View& view, size_t row) const {
    return view.is_live(row) && (!allowed_ || allowed_->has(view.segment().id(row)));
  }

  void score_candidates(const View& view) {
    auto begin = candidates_.begin();
    auto end = candidates_.end();
    while (begin != end) {
      const auto round = begin + std::min<ptrdiff_t>(end - begin, ptrdiff_t(m_));
      std::nth_element(begin, round - 1, end, [](const Candidate& a, const Candidate& b) {
        return a.bound != b.bound ? a.bound > b.bound : a.row < b.row;
      });
      for (; begin != round; ++begin)
        top_.offer({snapshot_.score(view, begin->row, terms_), view.segment().id(begin->row)});
      const uint32_t bar = lowest_bound();
      end = std::remove_if(begin, end, [bar](const Candidate& c) { return c.bound < bar; });
    }
  }

  const Snapshot& snapshot_;
  const std::vector<WeightedTerm> terms_;  // resolved, by ascending term
  const Allowed* allowed_;
  size_t m_;
  TopM top_;
  double steps_;     // whole coefficient of a coefficient of 1, before it is rounded up
  double unit_ = 1;  // the score that a bound of 1 stands for, in the segment at hand
  std::vector<Cursor> cursors_;
  std::vector<uint32_t> before_;
  std::vector<uint32_t> sums_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Status top_documents(const Snapshot& snapshot,
                     const std::vector<std::vector<WeightedTerm>>& queries, const TopQuery& options,
                     const Execution& execution, std::vector<std::vector<Scored>>* hits) {
  hits->assign(queries.size(), {});
  std::atomic<size_t> next{0};
  const auto work = [&](size_t) {
    for (size_t q; (q = next.fetch_add(1)) < queries.size();)
      if (!TopSearch(snapshot, snapshot.resolve(queries[q]), options.m[q], options.allowed)
               .run(execution, &(*hits)[q])
               .ok())
        return;
  };
  if (execution.pool) {
    execution.pool->spread(std::min(execution.threads(), queries.size()), work);
  } else {
    work(0);
  }
  return {execution.cancelled() ? Code::kCancelled : Code::kOk};
}

}  // namespace skillspan::lexical
