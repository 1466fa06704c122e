// A small pool of threads, started when first needed. One job may spread over all of them, or many
// jobs run one on each. The thread that calls spread() works too, so it always makes progress.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace skillspan {

class Pool {
 public:
  // threads: how many may compute at once, the caller included; at least 1.
  explicit Pool(size_t threads);
  // Finishes what is queued, then joins.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  size_t threads() const { return limit_; }

  // Queues a job for a pool thread and returns at once. Where the system grants no thread at all,
  // the job is done here and now.
  void submit(std::function<void()> job);

  // Calls work(slot) on up to `threads` threads at once, the caller's included, and returns when
  // all have finished. Slots are distinct numbers below `threads`. Which slots run is not fixed:
  // work must share out its tasks itself, through an atomic counter, until none is left.
  void spread(size_t threads, const std::function<void(size_t slot)>& work);

 private:
  void loop();
  void start_worker();

  size_t limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

// How many threads this process may use: the CPUs it may run on, capped by the cgroup's quota, and
// by SKILLSPAN_THREADS if that is a positive number.
size_t available_threads();

}  // namespace skillspan
