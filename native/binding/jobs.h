// One operation, two forms: at once on the calling thread, or on the pool with a promise.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "../core/execution.h"
#include "../core/status.h"
#include "addon.h"

namespace skillspan {

// Inputs are copied when a job is made and results belong to it, so compute() touches nothing of
// JavaScript's and may run on any thread.
class Job {
 public:
  virtual ~Job() = default;
  virtual Status compute(const Execution& execution) = 0;
  // What an error says it is about.
  virtual std::string subject() const { return "native"; }
  // About how many multiply-adds that takes.
  virtual size_t products() const = 0;
  // Called on the JavaScript thread once compute() has answered kOk.
  virtual Napi::Value result(Napi::Env env) = 0;
};

// Runs the job here and now, spread over the pool where that pays.
Napi::Value run_now(Napi::Env env, Job& job);

// Runs the job on the pool, or at once where it takes less time than waking a thread and coming
// back. Returns { promise, cancel }: the promise resolves to the job's result, to undefined if
// cancel() stopped it, or rejects with a SkillspanError.
Napi::Value run_later(Napi::Env env, std::unique_ptr<Job> job);

// Brings finished jobs back to the environment's own thread.
//
// 1. A pool thread reaches the thread-safe function only through finish(), under the mutex, and
// only
//    while the environment is open. close() takes the same mutex, so no call can arrive late.
// 2. close() runs as a cleanup hook, before Node frees the thread-safe function: it was registered
//    after that function was made, and hooks run last to first.
// 3. The function keeps the event loop alive only while jobs are pending.
// 4. A job whose environment has closed is dropped on the pool thread; its promise never settles,
//    since there is nobody left to tell.
class Completions : public std::enable_shared_from_this<Completions> {
 public:
  struct Pending {
    std::unique_ptr<Job> job;
    Napi::Promise::Deferred deferred;
    std::shared_ptr<std::atomic<bool>> cancelled;
    Status status;
  };

  explicit Completions(Napi::Env env);
  void start(Napi::Env env, Pool& pool, std::unique_ptr<Pending> pending);
  void close();

 private:
  void finish(std::unique_ptr<Pending> pending);
  static void settle(napi_env env, napi_value, void* context, void* data);

  std::mutex mutex_;
  bool open_ = true;
  napi_threadsafe_function function_ = nullptr;
  std::unordered_set<std::shared_ptr<std::atomic<bool>>> running_;  // used on the env's thread only
};

}  // namespace skillspan
