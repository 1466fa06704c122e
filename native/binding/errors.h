// The one place where a reason becomes a JavaScript exception.
#pragma once

#include <string>

#include "../core/status.h"
#include "addon.h"

namespace skillspan {

// A SkillspanError with this code, ready to throw or to reject with.
Napi::Error make_error(Napi::Env env, const char* code, const std::string& message);

// The error for a status that is neither kOk nor kCancelled; name is the argument it concerns.
Napi::Error make_error(Napi::Env env, const Status& status, const char* name);

}  // namespace skillspan
