#include "index.h"

#include "two_level.h"

namespace skillspan {
namespace {

// Below this many numbers the float32 scan takes some 50 us, which codes cannot shorten by much.
constexpr size_t kMinNumbers = 1 << 20;

}  // namespace

Status Index::build(const float* values, size_t n_rows, size_t dim, Pool* pool, Index* out) {
  Index index;
  Status status = Matrix::copy_normalised(values, n_rows, dim, &index.matrix);
  if (status.ok() && n_rows * dim >= kMinNumbers) {
    status = Quantized::build(index.matrix, pool, &index.codes);
    if (status.ok()) index.levels->start_from(coarse_survivors(index));
  }
  if (status.ok()) *out = std::move(index);
  return status;
}

}  // namespace skillspan
