// Exact search as one would write it on top of a matrix product: blocks of rows times all queries,
// and of each block's scores what belongs to a query's best.
#pragma once

#include <vector>

#include "core/matrix.h"
#include "core/pool.h"
#include "core/top_m.h"

namespace skillspan::bench {

// out[q * n_rows + r] = queries[q] . rows[r]. stride: numbers from one row or query to the next.
using Multiply = void (*)(const float* rows, size_t n_rows, const float* queries, size_t n_queries,
                          size_t stride, float* out);

#if SKILLSPAN_HAS_OPENBLAS
void multiply_openblas(const float* rows, size_t n_rows, const float* queries, size_t n_queries,
                       size_t stride, float* out);
// How many threads each product may take.
void set_openblas_threads(size_t threads);
const char* openblas_core();
#endif
#if SKILLSPAN_HAS_EIGEN
void multiply_eigen(const float* rows, size_t n_rows, const float* queries, size_t n_queries,
                    size_t stride, float* out);
#endif

class ProductSearch {
 public:
  ProductSearch(const char* name, Multiply multiply) : name_(name), multiply_(multiply) {}

  const char* name() const { return name_; }
  // The float32 scores of the m best rows for each query.
  std::vector<TopM> search(const Matrix& rows, const Matrix& queries, size_t m, Pool* pool) const;
  // Tries some sizes of block and keeps the fastest.
  void tune(const Matrix& rows, const Matrix& queries, size_t m, Pool* pool);
  size_t block() const { return block_; }

 private:
  const char* name_;
  Multiply multiply_;
  size_t block_ = 1024;
};

}  // namespace skillspan::bench
