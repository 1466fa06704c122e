#include "pool.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#if defined(__linux__)
#include <sched.h>
#endif

namespace skillspan {

Pool::Pool(size_t threads) : limit_(std::max<size_t>(threads, 1)) {}

Pool::~Pool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Pool::loop() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      ++idle_;
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      --idle_;
      if (queue_.empty()) return;
      job = std::move(queue_.front());
      queue_.pop_front();
    }
    job();
  }
}

void Pool::submit(std::function<void()> job) {
  std::unique_lock<std::mutex> lock(mutex_);
  queue_.push_back(std::move(job));
  // Once the destructor has begun it alone touches the list of workers; those that run, the one
  // that submits among them, empty the queue before they leave.
  if (!stopping_ && queue_.size() > idle_ && workers_.size() < limit_) start_worker();
  if (workers_.empty()) {
    job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    return job();
  }
  lock.unlock();
  wake_.notify_one();
}

void Pool::start_worker() {
  try {
    workers_.emplace_back([this] { loop(); });
  } catch (const std::system_error&) {
    // The limit on processes is reached: make do with the threads there are.
  }
}

namespace {

// Shared by the caller of spread() and its helpers. A helper that starts after the caller has
// closed the group does nothing, so the caller never waits for one that is still queued.
struct Group {
  std::mutex mutex;
  std::condition_variable idle;
  size_t running = 0;
  bool closed = false;
};

}  // namespace

void Pool::spread(size_t threads, const std::function<void(size_t)>& work) {
  threads = std::min(threads, limit_);
  if (threads <= 1) return work(0);
  auto group = std::make_shared<Group>();
  for (size_t slot = 1; slot < threads; ++slot) {
    submit([group, slot, &work] {
      {
        std::lock_guard<std::mutex> lock(group->mutex);
        if (group->closed) return;
        ++group->running;
      }
      work(slot);
      std::lock_guard<std::mutex> lock(group->mutex);
      if (--group->running == 0) group->idle.notify_all();
    });
  }
  work(0);
  std::unique_lock<std::mutex> lock(group->mutex);
  group->closed = true;
  group->idle.wait(lock, [&] { return group->running == 0; });
}

namespace {

// Whole CPUs of quota in the cgroup (version 2, then version 1), or 0 where there is no limit.
size_t cgroup_cpus() {
  double quota = 0, period = 0;
  std::string word;
  if (std::ifstream max("/sys/fs/cgroup/cpu.max"); max >> word >> period) {
    if (word == "max") return 0;
    quota = std::atof(word.c_str());
  } else if (std::ifstream q("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
             p("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
             !(q >> quota) || !(p >> period)) {
    return 0;
  }
  if (quota <= 0 || period <= 0) return 0;
  return std::max<size_t>(1, size_t(quota / period));
}

}  // namespace

size_t available_threads() {
  size_t cpus = std::max(1u, std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) cpus = size_t(CPU_COUNT(&allowed));
#endif
  if (const size_t quota = cgroup_cpus()) cpus = std::min(cpus, quota);
  if (const char* wanted = std::getenv("SKILLSPAN_THREADS")) {
    const long n = std::atol(wanted);
    if (n > 0) cpus = std::min(cpus, size_t(n));
  }
  return cpus;
}

}  // namespace skillspan
