// A bounded heap that keeps the M best (score, id) pairs. Ties go to the lower id, so the result
// does not depend on the order of offers, hence not on blocks or threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace skillspan {

struct Scored {
  double score;
  uint32_t id;
};

inline bool better(const Scored& a, const Scored& b) {
  return a.score > b.score || (a.score == b.score && a.id < b.id);
}

class TopM {
 public:
  explicit TopM(size_t m) : m_(m) { heap_.reserve(m); }

  size_t capacity() const { return m_; }

  // A score below this cannot enter. Callers compare first: almost every row stops there.
  double threshold() const {
    return heap_.size() < m_ ? -std::numeric_limits<double>::infinity() : heap_.front().score;
  }

  void offer(Scored candidate) {
    if (heap_.size() < m_) {
      heap_.push_back(candidate);
      std::push_heap(heap_.begin(), heap_.end(), better);
    } else if (better(candidate, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), better);
      heap_.back() = candidate;
      std::push_heap(heap_.begin(), heap_.end(), better);
    }
  }

  const std::vector<Scored>& kept() const { return heap_; }

  // Offers all that another heap has kept.
  void merge(const TopM& other) {
    for (const Scored& scored : other.heap_) offer(scored);
  }

  // The ids kept, ascending.
  std::vector<uint32_t> ids() const {
    std::vector<uint32_t> ids;
    for (const Scored& scored : heap_) ids.push_back(scored.id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  // Best first.
  std::vector<Scored> sorted() const {
    std::vector<Scored> result = heap_;
    std::sort(result.begin(), result.end(), better);
    return result;
  }

 private:
  size_t m_;
  std::vector<Scored> heap_;  // worst at the front
};

// The largest capacity of these.
inline size_t most_wanted(const std::vector<TopM>& tops) {
  size_t most = 0;
  for (const TopM& top : tops) most = std::max(most, top.capacity());
  return most;
}

}  // namespace skillspan
