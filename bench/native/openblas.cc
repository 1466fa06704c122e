#include <cblas.h>

#include "products.h"

namespace skillspan::bench {

void multiply_openblas(const float* rows, size_t n_rows, const float* queries, size_t n_queries,
                       size_t stride, float* out) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, int(n_queries), int(n_rows), int(stride), 1,
              queries, int(stride), rows, int(stride), 0, out, int(n_rows));
}

void set_openblas_threads(size_t threads) {
  if (openblas_get_num_threads() != int(threads)) openblas_set_num_threads(int(threads));
}

const char* openblas_core() { return openblas_get_corename(); }

}  // namespace skillspan::bench
