#include "jobs.h"

#include <new>

#include "errors.h"

namespace skillspan {
namespace {

// Some 30 us of work. A thread's wake-up and the way back to the event loop cost 40 to 100.
constexpr size_t kWorthAThread = 1 << 19;

// The core reports what it foresees; the allocations of its containers can still fail, and no
// exception may leave a pool thread.
Status compute_guarded(Job& job, const Execution& execution) {
  try {
    return job.compute(execution);
  } catch (const std::bad_alloc&) {
    return {Code::kOutOfMemory};
  }
}

void settle_promise(Napi::Env env, const Napi::Promise::Deferred& deferred, Job& job,
                    const Status& status) {
  if (status.ok()) {
    deferred.Resolve(job.result(env));
  } else if (status.code == Code::kCancelled) {
    deferred.Resolve(env.Undefined());
  } else {
    deferred.Reject(make_error(env, status, job.subject().c_str()).Value());
  }
}

}  // namespace

Napi::Value run_now(Napi::Env env, Job& job) {
  Execution execution;
  execution.pool = AddonState::of(env).pool.get();
  const Status status = compute_guarded(job, execution);
  if (!status.ok()) throw make_error(env, status, job.subject().c_str());
  return job.result(env);
}

Napi::Value run_later(Napi::Env env, std::unique_ptr<Job> job) {
  AddonState& state = AddonState::of(env);
  auto cancelled = std::make_shared<std::atomic<bool>>(false);
  std::unique_ptr<Completions::Pending> pending(new Completions::Pending{
      std::move(job), Napi::Promise::Deferred::New(env), cancelled, Status{}});
  Napi::Object handle = Napi::Object::New(env);
  handle["promise"] = pending->deferred.Promise();
  handle["cancel"] =
      Napi::Function::New(env, [cancelled](const Napi::CallbackInfo&) { *cancelled = true; });
  if (pending->job->products() < kWorthAThread) {
    settle_promise(env, pending->deferred, *pending->job, compute_guarded(*pending->job, {}));
  } else {
    state.completions->start(env, *state.pool, std::move(pending));
  }
  return handle;
}

Completions::Completions(Napi::Env env) {
  const napi_status status =
      napi_create_threadsafe_function(env, nullptr, nullptr, Napi::String::New(env, "skillspan"), 0,
                                      1, nullptr, nullptr, this, settle, &function_);
  if (status != napi_ok) throw Napi::Error::New(env, "cannot create a thread-safe function");
  napi_unref_threadsafe_function(env, function_);
}

void Completions::start(Napi::Env env, Pool& pool, std::unique_ptr<Pending> pending) {
  if (running_.empty()) napi_ref_threadsafe_function(env, function_);
  running_.insert(pending->cancelled);
  // std::function wants a copyable callable, hence the shared pointer around the unique one.
  auto shared = std::make_shared<std::unique_ptr<Pending>>(std::move(pending));
  pool.submit([self = shared_from_this(), shared, &pool] {
    Pending& running = **shared;
    Execution execution;
    execution.pool = &pool;
    execution.cancel = running.cancelled.get();
    running.status =
        execution.cancelled() ? Status{Code::kCancelled} : compute_guarded(*running.job, execution);
    self->finish(std::move(*shared));
  });
}

void Completions::finish(std::unique_ptr<Pending> pending) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!open_) return;
  if (napi_call_threadsafe_function(function_, pending.get(), napi_tsfn_nonblocking) == napi_ok)
    pending.release();
}

void Completions::close() {
  for (const auto& cancelled : running_) *cancelled = true;
  std::lock_guard<std::mutex> lock(mutex_);
  open_ = false;
}

void Completions::settle(napi_env raw_env, napi_value, void* context, void* data) {
  std::unique_ptr<Pending> pending(static_cast<Pending*>(data));
  if (raw_env == nullptr) return;  // the environment is going: there is nobody to tell
  Napi::Env env(raw_env);
  auto* self = static_cast<Completions*>(context);
  self->running_.erase(pending->cancelled);
  if (self->running_.empty()) napi_unref_threadsafe_function(env, self->function_);
  try {
    settle_promise(env, pending->deferred, *pending->job, pending->status);
  } catch (const Napi::Error&) {
    // A worker that is being terminated refuses every call; its promises die with it.
  }
}

}  // namespace skillspan
