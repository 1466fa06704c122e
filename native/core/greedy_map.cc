#include "greedy_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grouped_factor.h"

namespace skillspan {
namespace {

// Gains closer than this are equal up to rounding, and ties go to the lower index.
constexpr double kTie = 1e-12;

struct Bound {
  double gain;  // of the candidate when it was last evaluated: at least its gain now
  uint32_t id;
  uint32_t choices;  // how many there were then
};

// The order of a max-heap: higher gain first, then the lower id.
bool later(const Bound& a, const Bound& b) {
  return a.gain < b.gain || (a.gain == b.gain && a.id > b.id);
}

class GreedyMap {
 public:
  GreedyMap(const ResidualKernel& kernel, const double* log_quality,
            const std::vector<uint32_t>& by_quality, size_t k)
      : log_quality_(log_quality), factor_(kernel, by_quality, k) {
    heap_.reserve(kernel.size());
    // Sorted as they are, they already make a heap.
    for (uint32_t i : by_quality)
      if (log_quality[i] > -std::numeric_limits<double>::infinity())
        heap_.push_back({2 * log_quality[i], i, 0});
  }

  // Moves the candidate of highest gain to *best; false when none is left.
  bool next(Bound* best) {
    tied_.clear();
    while (!heap_.empty() && (tied_.empty() || heap_.front().gain >= tied_[0].gain - kTie)) {
      Bound bound = pop();
      if (bound.choices == choices_) {
        tied_.push_back(bound);
      } else if (evaluate(&bound)) {
        push(bound);
      }
    }
    if (tied_.empty()) return false;
    const auto lowest = std::min_element(
        tied_.begin(), tied_.end(), [](const Bound& a, const Bound& b) { return a.id < b.id; });
    *best = *lowest;
    for (const Bound& bound : tied_)
      if (bound.id != best->id) push(bound);
    factor_.choose(best->id);
    ++choices_;
    return true;
  }

 private:
  // The gain given all choices. False when the candidate has become redundant.
  bool evaluate(Bound* bound) {
    const double variance = factor_.variance(bound->id);
    if (variance < kRedundancyFloor) {
      factor_.drop(bound->id);
      return false;
    }
    bound->gain = 2 * log_quality_[bound->id] + std::log(variance);
    bound->choices = choices_;
    return true;
  }

  Bound pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Bound top = heap_.back();
    heap_.pop_back();
    return top;
  }

  void push(const Bound& bound) {
    heap_.push_back(bound);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  const double* log_quality_;
  GroupedFactor factor_;
  uint32_t choices_ = 0;
  std::vector<Bound> heap_;
  std::vector<Bound> tied_;
};

}  // namespace

void greedy_map(const ResidualKernel& kernel, const double* log_quality,
                const std::vector<uint32_t>& by_quality, size_t k, Selection* selection) {
  GreedyMap greedy(kernel, log_quality, by_quality, k);
  for (Bound best; selection->order.size() < k && greedy.next(&best);) {
    selection->order.push_back(best.id);
    selection->gains.push_back(best.gain);
  }
}

}  // namespace skillspan
