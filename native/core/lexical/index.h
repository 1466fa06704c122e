// A corpus that changes while it is searched. Readers take a snapshot and keep it; changes make the
// next one and swap it in whole.
//
// Changes take effect in the order of their stage() calls, on whatever threads they are applied. A
// change becomes a small segment of its own, and small segments are merged as in a log-structured
// tree: the newest with the next older one while that is no bigger. So there are never more than
// some log2(n) of them, and each document is copied some log2(n) times at most.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "../status.h"
#include "documents.h"
#include "snapshot.h"

namespace skillspan::lexical {

class Index {
 public:
  // Documents to add, those with an id that is present replacing it, and ids to remove. The
  // removals come first.
  struct Change {
    Rows added;
    std::vector<uint32_t> removed;  // ids that are not there do no harm
  };

  // A change on its way.
  struct Staged {
    Change change;
    Status status;
    bool done = false;
  };

  explicit Index(const Scoring& scoring);

  // The state as of the last change applied.
  std::shared_ptr<const Snapshot> snapshot() const;

  // Puts a change in line.
  std::shared_ptr<Staged> stage(Change change);
  // Applies all that is in line up to this one, unless somebody has by then; answers what became of
  // this one: kOk, or kInvalidFrequency or kOutOfMemory, and then nothing of it was done.
  Status apply(const std::shared_ptr<Staged>& staged);

 private:
  Status apply_change(const Change& change);

  const Scoring scoring_;
  std::mutex writing_;        // held by the one thread that makes the next snapshot
  mutable std::mutex mutex_;  // guards the two below, never for long
  std::deque<std::shared_ptr<Staged>> line_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace skillspan::lexical
