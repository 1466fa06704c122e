// State of one Node environment (the main thread's or a worker's). Nothing here is global: a worker
// that ends takes only its own state with it.
#pragma once

#define NAPI_VERSION 8
#include <napi.h>

#include <memory>

#include "../core/pool.h"

namespace skillspan {

class Completions;

struct AddonState {
  Napi::FunctionReference error_class;
  Napi::FunctionReference index_class;
  Napi::FunctionReference lexical_index_class;
  // Shared by all environments of the process; joined when the last of them ends.
  std::shared_ptr<Pool> pool;
  std::shared_ptr<Completions> completions;

  static AddonState& of(Napi::Env env) { return *env.GetInstanceData<AddonState>(); }
};

}  // namespace skillspan
