#include <Eigen/Core>

#include "products.h"

namespace skillspan::bench {

void multiply_eigen(const float* rows, size_t n_rows, const float* queries, size_t n_queries,
                    size_t stride, float* out) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> x(rows, long(n_rows), long(stride));
  const Eigen::Map<const Matrix> q(queries, long(n_queries), long(stride));
  Eigen::Map<Matrix>(out, long(n_queries), long(n_rows)).noalias() = q * x.transpose();
}

}  // namespace skillspan::bench
