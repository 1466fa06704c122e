// Exact cosine top-M (design: Maths 1). Every row is scored; nothing is approximated.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "matrix.h"
#include "pool.h"
#include "status.h"
#include "top_m.h"

namespace skillspan {

// How a long computation may use the machine, and how it learns that nobody waits any more.
struct Execution {
  Pool* pool = nullptr;                       // null: the calling thread alone
  const std::atomic<bool>* cancel = nullptr;  // polled once a block
  bool cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
  size_t threads() const { return pool ? pool->threads() : 1; }
};

// The m rows of highest cosine for each query, best first, ties to the lower row. Rows are ranked
// by a blocked float32 scan and the m kept ones scored again in float64, which fixes their order.
// Needs 1 <= m <= index.rows() and queries.dim() == index.dim(). Answers kCancelled or kOk.
Status search(const Matrix& index, const Matrix& queries, size_t m, const Execution& execution,
              std::vector<std::vector<Scored>>* hits);

}  // namespace skillspan
