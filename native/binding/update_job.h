// A change to an index of any kind.
#pragma once

#include <memory>
#include <utility>

#include "held.h"
#include "jobs.h"

namespace skillspan {

template <typename Index>
class UpdateJob : public Job {
 public:
  // The change stands in line from now on, so changes apply in the order of the calls.
  UpdateJob(std::shared_ptr<Held<Index>> held, std::shared_ptr<Pool> pool,
            typename Index::Change change)
      : held_(std::move(held)),
        pool_(std::move(pool)),
        staged_(held_->index.stage(std::move(change))) {}

  Status compute(const Execution&) override {
    const Status status = held_->index.apply(staged_);
    if (held_->index.claim_tidying()) pool_->submit([held = held_] { held->index.tidy(); });
    return status;
  }

  // May have to do all that is in line before it: never on the event loop.
  size_t products() const override { return SIZE_MAX; }

  Napi::Value result(Napi::Env env) override {
    const auto snapshot = held_->index.snapshot();
    held_->report(env, int64_t(snapshot->bytes()));
    return Napi::Number::New(env, double(snapshot->size()));
  }

 private:
  std::shared_ptr<Held<Index>> held_;
  std::shared_ptr<Pool> pool_;
  std::shared_ptr<typename Index::Staged> staged_;
};

}  // namespace skillspan
