// An index as searches see it: the vectors themselves and, where it is large enough for them to
// pay, compact codes. Immutable once built.
#pragma once

#include <memory>

#include "level_choice.h"
#include "matrix.h"
#include "quantized.h"

namespace skillspan {

struct Index {
  Matrix matrix;
  Quantized codes;  // empty for a small index
  std::unique_ptr<LevelChoice> levels = std::make_unique<LevelChoice>();

  size_t bytes() const { return matrix.rows() * matrix.stride() * sizeof(float) + codes.bytes(); }

  // Copies and normalises n_rows x dim numbers; answers as Matrix::copy_normalised does.
  static Status build(const float* values, size_t n_rows, size_t dim, Pool* pool, Index* out);
};

}  // namespace skillspan
