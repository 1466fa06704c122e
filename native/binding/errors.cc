#include "errors.h"

#include <system_error>

namespace skillspan {

Napi::Error make_error(Napi::Env env, const char* code, const std::string& message) {
  Napi::Object error = AddonState::of(env).error_class.New(
      {Napi::String::New(env, code), Napi::String::New(env, message)});
  return Napi::Error(env, error);
}

Napi::Error make_error(Napi::Env env, const Status& status, const char* name) {
  const std::string row = std::to_string(status.row);
  switch (status.code) {
    case Code::kNotFinite:
      return make_error(
          env, "ERR_NOT_FINITE",
          std::string(name) + ": expected finite numbers, got NaN or Infinity in row " + row);
    case Code::kZeroVector:
      return make_error(
          env, "ERR_ZERO_VECTOR",
          std::string(name) + ": expected vectors with a direction, got all zeros in row " + row);
    case Code::kInvalidQuality:
      return make_error(env, "ERR_OUT_OF_RANGE",
                        std::string(name) +
                            ": expected finite numbers of at least 0, got another value at index " +
                            row);
    case Code::kInvalidFrequency:
      return make_error(env, "ERR_OUT_OF_RANGE",
                        std::string(name) +
                            ": expected term frequencies above 0, got another value in document " +
                            row);
    case Code::kOutOfMemory:
      return make_error(env, "ERR_OUT_OF_MEMORY",
                        std::string(name) + ": expected room for a copy, got no memory");
    case Code::kFile:
      return make_error(env, "ERR_FILE",
                        std::string(name) + ": expected a file that can be used, got: " +
                            std::generic_category().message(int(status.row)));
    case Code::kCorrupt:
      return make_error(
          env, "ERR_CORRUPT_INDEX",
          std::string(name) + ": expected " + status.detail + ", got a damaged or foreign file");
    case Code::kOk:
    case Code::kCancelled:
      break;
  }
  return make_error(env, "ERR_INVALID_ARGUMENT", std::string(name) + ": unknown failure");
}

}  // namespace skillspan
