// How a long computation may use the machine, and how it learns that nobody waits any more.
#pragma once

#include <atomic>

#include "pool.h"

namespace skillspan {

struct Execution {
  Pool* pool = nullptr;                       // null: the calling thread alone
  const std::atomic<bool>* cancel = nullptr;  // polled once a block
  bool cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
  size_t threads() const { return pool ? pool->threads() : 1; }
};

// Pool::spread, or the calling thread alone where there is no pool.
inline void spread(const Execution& execution, size_t threads,
                   const std::function<void(size_t slot)>& work) {
  if (execution.pool) {
    execution.pool->spread(threads, work);
  } else {
    work(0);
  }
}

}  // namespace skillspan
