// Changes to a state that many threads read: they stand in line in the order they came, whatever
// thread comes to make them.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <new>

#include "status.h"

namespace skillspan {

template <typename Change>
class ChangeLine {
 public:
  // A change on its way.
  struct Staged {
    Change change;
    Status status;
    bool done = false;
  };

  // Puts a change in line.
  std::shared_ptr<Staged> stage(Change change) {
    auto staged = std::make_shared<Staged>();
    staged->change = std::move(change);
    std::lock_guard<std::mutex> lock(mutex_);
    line_.push_back(staged);
    return staged;
  }

  // Makes all changes in line up to this one, unless somebody has by then; answers what became of
  // this one. make(change) answers a Status; where it is not kOk it has done nothing.
  template <typename Make>
  Status apply(const std::shared_ptr<Staged>& staged, const Make& make) {
    std::lock_guard<std::mutex> writing(writing_);
    while (!staged->done) {
      std::shared_ptr<Staged> next;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        next = std::move(line_.front());
        line_.pop_front();
      }
      try {
        next->status = make(next->change);
      } catch (const std::bad_alloc&) {
        next->status = {Code::kOutOfMemory};
      }
      next->change = {};
      next->done = true;
    }
    return staged->status;
  }

  // Runs work() while no change is being made.
  template <typename Work>
  auto between_changes(const Work& work) {
    std::lock_guard<std::mutex> writing(writing_);
    return work();
  }

 private:
  std::mutex writing_;  // held by the one thread that makes the next state
  std::mutex mutex_;    // guards the line, never for long
  std::deque<std::shared_ptr<Staged>> line_;
};

}  // namespace skillspan
