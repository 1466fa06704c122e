// The state of an index between two changes. Nothing in it is ever written again, so any number of
// searches may read it while the next one is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "scoring.h"
#include "segment.h"

namespace skillspan::lexical {

// A segment less the documents that were removed from it, and what the others add up to.
class View : public SegmentView<Segment> {
 public:
  explicit View(std::shared_ptr<const Segment> segment);

  // The same without these rows, which must be live and distinct.
  View without(const std::vector<uint32_t>& rows) const;

  // The sum of the lengths of the live documents.
  double total_length() const { return total_length_; }
  // How many live documents have the term of this list.
  uint32_t df(uint32_t list) const;

  size_t bytes() const;

 private:
  std::shared_ptr<const std::vector<uint32_t>> dead_df_;  // dead documents of each list
  double total_length_;
};

class Snapshot {
 public:
  Snapshot(const Scoring& scoring, std::vector<View> views);

  const Scoring& scoring() const { return scoring_; }
  const std::vector<View>& views() const { return views_; }
  // How many live documents there are, and their average length (1 where that is 0).
  size_t size() const { return size_; }
  double average_length() const { return average_length_; }
  size_t bytes() const;

  // A query ready to be scored: terms ascending, each once, weights turned into coefficients. Terms
  // that no live document has, or of weight 0, are left out. Weights: finite, at least 0.
  std::vector<WeightedTerm> resolve(std::vector<WeightedTerm> query) const;

  // The exact score of a live document for a resolved query: float64, terms in ascending order, so
  // equal documents have equal scores.
  double score(const View& view, size_t row, const std::vector<WeightedTerm>& resolved) const;

  // The same for any ids; 0 for an id that the index does not hold.
  std::vector<double> scores_for(const std::vector<WeightedTerm>& query, const uint32_t* ids,
                                 size_t n) const;

 private:
  uint32_t df(uint32_t term) const;

  Scoring scoring_;
  std::vector<View> views_;
  size_t size_ = 0;
  double average_length_ = 1;
};

}  // namespace skillspan::lexical
