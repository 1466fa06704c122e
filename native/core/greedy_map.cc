#include "greedy_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace skillspan {
namespace {

// Gains closer than this are equal up to rounding, and ties go to the lower index.
constexpr double kTie = 1e-12;

struct Bound {
  double gain;  // of the candidate when it was last evaluated: at least its gain now
  uint32_t id;
};

// The order of a max-heap: higher gain first, then the lower id.
bool later(const Bound& a, const Bound& b) {
  return a.gain < b.gain || (a.gain == b.gain && a.id > b.id);
}

class GreedyMap {
 public:
  GreedyMap(ResidualKernel& kernel, const double* log_quality, size_t k)
      : kernel_(kernel),
        log_quality_(log_quality),
        k_(k),
        variance_(kernel.size(), 1.0),
        columns_(kernel.size(), 0),
        factor_(new double[kernel.size() * k]) {
    for (size_t i = 0; i < kernel.size(); ++i)
      if (log_quality[i] > -std::numeric_limits<double>::infinity())
        heap_.push_back({2 * log_quality[i], uint32_t(i)});
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  // Moves the candidate of highest gain to *best; false when none is left.
  bool next(Bound* best) {
    tied_.clear();
    while (!heap_.empty() && (tied_.empty() || heap_.front().gain >= tied_[0].gain - kTie)) {
      Bound bound = pop();
      if (columns_[bound.id] == chosen_.size()) {
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
    chosen_.push_back(best->id);
    return true;
  }

 private:
  double* row(size_t i) { return factor_.get() + i * k_; }

  // Adds the columns that candidate i's Cholesky row lacks. False when i has become redundant.
  bool evaluate(Bound* bound) {
    const size_t i = bound->id;
    double* own = row(i);
    const size_t done = columns_[i];
    kernel_.entries(i, chosen_.data() + done, chosen_.size() - done, own + done);
    for (size_t t = done; t < chosen_.size(); ++t) {
      const double* other = row(chosen_[t]);
      double value = own[t];
      for (size_t s = 0; s < t; ++s) value -= own[s] * other[s];
      own[t] = value / std::sqrt(variance_[chosen_[t]]);
      variance_[i] -= own[t] * own[t];
    }
    columns_[i] = chosen_.size();
    if (variance_[i] < kRedundancyFloor) return false;
    bound->gain = 2 * log_quality_[i] + std::log(variance_[i]);
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

  ResidualKernel& kernel_;
  const double* log_quality_;
  size_t k_;
  std::vector<double> variance_;      // d_i^2 given the first columns_[i] choices
  std::vector<size_t> columns_;       // how many choices candidate i has been evaluated against
  std::unique_ptr<double[]> factor_;  // M x k; row i holds columns_[i] numbers
  std::vector<uint32_t> chosen_;
  std::vector<Bound> heap_;
  std::vector<Bound> tied_;
};

}  // namespace

void greedy_map(ResidualKernel& kernel, const double* log_quality, size_t k, Selection* selection) {
  GreedyMap greedy(kernel, log_quality, k);
  for (Bound best; selection->order.size() < k && greedy.next(&best);) {
    selection->order.push_back(best.id);
    selection->gains.push_back(best.gain);
  }
}

}  // namespace skillspan
