// Vectors under ids that come and go while they are searched. Readers take a snapshot and keep it;
// changes make the next one and swap it in whole.
//
// A change becomes a small segment of its own and is visible at once: nothing that is there already
// is copied. What that leaves behind is tidied up later, on another thread, while searches and
// changes go on: small segments are merged as in a log-structured tree (the newest with the next
// older one while that is no bigger, so there are some log2(n) of them), large ones get their
// codes, and those of which a third was removed are written anew.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "change_line.h"
#include "snapshot.h"

namespace skillspan {

class Index {
 public:
  // Vectors to add, those with an id that is present replacing it, and ids to remove. The removals
  // come first. Of equal ids the last counts.
  struct Change {
    std::vector<uint32_t> ids;  // of the rows
    Matrix rows;
    std::vector<uint32_t> removed;  // ids that are not there do no harm
  };
  using Staged = ChangeLine<Change>::Staged;

  // Empty.
  explicit Index(size_t dim);
  // Of one segment.
  explicit Index(Segment segment);

  // The state as of the last change applied.
  std::shared_ptr<const Snapshot> snapshot() const;

  // Puts a change in line, and applies all up to it. Answers kOutOfMemory or kOk.
  std::shared_ptr<Staged> stage(Change change) { return line_.stage(std::move(change)); }
  Status apply(const std::shared_ptr<Staged>& staged);

  // Whether there is something to tidy up, and nobody at it. The caller must then call tidy().
  bool claim_tidying();
  // Tidies up until nothing is left to, on this thread alone: searches need the others. Gives up
  // where memory is short: answers stay right.
  void tidy();

 private:
  // A stretch of views to be written as one; empty if last <= first.
  struct Plan {
    size_t first = 0;
    size_t last = 0;
  };
  static Plan plan(const Snapshot& snapshot);

  Status apply_change(Change& change);
  void replace(const std::vector<View>& old, std::shared_ptr<const Segment> fresh);
  void publish(std::vector<View> views);

  const size_t dim_;
  ChangeLine<Change> line_;
  std::vector<View> at_work_;  // what tidy() reads now; guarded as changes are
  mutable std::mutex mutex_;   // guards the two below, never for long
  std::shared_ptr<const Snapshot> snapshot_;
  bool tidying_ = false;
};

}  // namespace skillspan
