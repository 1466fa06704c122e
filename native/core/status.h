// What a core function answers: success, or one reason and where it lies. The core never throws;
// the binding turns a Status into the package's error class in one place.
#pragma once

#include <cstddef>

namespace skillspan {

enum class Code {
  kOk,
  kNotFinite,         // a vector holds NaN or an infinity
  kZeroVector,        // a vector has no direction, so it has no cosine
  kInvalidQuality,    // a quality is negative, NaN or infinite
  kInvalidFrequency,  // a term frequency is not positive and finite
  kOutOfMemory,
  kCancelled,
  kFile,     // the system refused; `row` is its errno
  kCorrupt,  // a file is damaged, or none of ours; `detail` is what was expected of it
};

struct Status {
  Code code = Code::kOk;
  size_t row = 0;  // the offending row, where there is one
  const char* detail = "";

  bool ok() const { return code == Code::kOk; }
};

}  // namespace skillspan
