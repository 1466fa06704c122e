// A corpus that changes while it is searched. Readers take a snapshot and keep it; changes make the
// next one and swap it in whole.
//
// Changes take effect in the order of their stage() calls, on whatever threads they are applied. A
// change becomes a small segment of its own, and small segments are merged as in a log-structured
// tree: the newest with the next older one while that is no bigger. So there are never more than
// some log2(n) of them, and each document is copied some log2(n) times at most.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "../change_line.h"
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

  using Staged = ChangeLine<Change>::Staged;

  explicit Index(const Scoring& scoring);

  // The state as of the last change applied.
  std::shared_ptr<const Snapshot> snapshot() const;

  // Puts a change in line, and applies all up to it. Answers kOk, or kInvalidFrequency or
  // kOutOfMemory, and then nothing of it was done.
  std::shared_ptr<Staged> stage(Change change) { return line_.stage(std::move(change)); }
  Status apply(const std::shared_ptr<Staged>& staged);

 private:
  Status apply_change(const Change& change);

  const Scoring scoring_;
  ChangeLine<Change> line_;
  mutable std::mutex mutex_;  // guards the snapshot, never for long
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace skillspan::lexical
