#include "addon.h"

#include <cstdlib>
#include <mutex>
#include <string>

#include "../core/kernels.h"
#include "jobs.h"
#include "operations.h"

namespace skillspan {
namespace {

// One pool for the process: two environments must not each believe they own every CPU.
std::shared_ptr<Pool> shared_pool() {
  static std::mutex mutex;
  static std::weak_ptr<Pool> pool;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Pool> current = pool.lock();
  if (!current) pool = current = std::make_shared<Pool>(available_threads());
  return current;
}

// nativeInfo(): what was built and what it chose to run on.
Napi::Value info(const Napi::CallbackInfo& call) {
  Napi::Env env = call.Env();
  Napi::Object object = Napi::Object::New(env);
  object["isa"] = isa_name(active_isa());
  Napi::Array isas = Napi::Array::New(env);
  for (Isa isa : supported_isas()) isas[isas.Length()] = isa_name(isa);
  object["supportedIsas"] = isas;
  object["threads"] = double(AddonState::of(env).pool->threads());
#if defined(__VERSION__)
  object["build"] = "C++17, " __VERSION__;
#else
  object["build"] = "C++17, MSVC " + std::to_string(_MSC_VER);
#endif
  return object;
}

void check_isa_override(Napi::Env env) {
  const char* wanted = std::getenv("SKILLSPAN_ISA");
  Isa isa;
  if (wanted == nullptr || parse_isa(wanted, &isa)) return;
  std::string expected;
  for (Isa supported : supported_isas()) expected += std::string(" ") + isa_name(supported);
  throw Napi::Error::New(env, "SKILLSPAN_ISA: expected one of" + expected + ", got " + wanted);
}

// install(SkillspanError): the class that every error of this environment is made with.
void install(const Napi::CallbackInfo& call) {
  AddonState::of(call.Env()).error_class = Napi::Persistent(call[0].As<Napi::Function>());
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  check_isa_override(env);
  auto* state = new AddonState;
  env.SetInstanceData(state);
  state->pool = shared_pool();
  state->completions = std::make_shared<Completions>(env);
  env.AddCleanupHook(
      [](AddonState* ending) {
        ending->completions->close();
        ending->pool.reset();
      },
      state);

  exports["install"] = Napi::Function::New<install>(env, "install");
  exports["info"] = Napi::Function::New<info>(env, "info");
  define_index(env, exports);
  define_lexical_index(env, exports);
  define_selection(env, exports);
  define_clustering(env, exports);
  return exports;
}

}  // namespace
}  // namespace skillspan

static Napi::Object init_addon(Napi::Env env, Napi::Object exports) {
  return skillspan::init(env, exports);
}

NODE_API_MODULE(skillspan, init_addon)
