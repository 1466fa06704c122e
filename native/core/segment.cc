#include "segment.h"

#include "two_level.h"

namespace skillspan {
namespace {

// Below this many numbers the float32 scan takes some 50 us, which codes cannot shorten by much.
constexpr size_t kMinNumbers = 1 << 20;

}  // namespace

size_t Segment::bytes() const {
  return rows() * (matrix.stride() * sizeof(float) + sizeof(double) + sizeof(uint32_t)) +
         codes.bytes();
}

bool Segment::lacks_codes() const { return codes.empty() && rows() * matrix.dim() >= kMinNumbers; }

Status Segment::encode(Exactness exactness, Pool* pool) {
  if (!lacks_codes()) return {};
  Array<float> dither;
  if (exactness == Exactness::kProbable) {
    dither = drawn_dither(matrix.dim());
    if (dither.empty()) return {Code::kOutOfMemory};
  }
  const Status status = Quantized::build(matrix, std::move(dither), pool, &codes);
  if (status.ok()) levels->start_from(coarse_survivors(*this));
  return status;
}

}  // namespace skillspan
