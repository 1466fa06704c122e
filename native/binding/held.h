#pragma once

#include <utility>

#include "addon.h"

namespace skillspan {

// An index and what Node was told of its memory, which only the JavaScript thread touches. A job
// may outlive the JavaScript object; then nobody is left to take the memory back from the books.
template <typename Index>
struct Held {
  template <typename... Arguments>
  explicit Held(Arguments&&... arguments) : index(std::forward<Arguments>(arguments)...) {}

  void report(Napi::BasicEnv env, int64_t bytes) {
    if (gone) return;
    Napi::MemoryManagement::AdjustExternalMemory(env, bytes - reported);
    reported = bytes;
  }

  Index index;
  int64_t reported = 0;
  bool gone = false;
};

}  // namespace skillspan
