#include "exact.h"

#include <cmath>
#include <limits>

namespace skillspan {

void score_exactly(const Segment& segment, const Matrix& queries, size_t q,
                   const std::vector<uint32_t>& rows, TopM* top) {
  const Matrix& matrix = segment.matrix;
  std::vector<const float*> pointers(rows.size());
  std::vector<double> dots(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) pointers[i] = matrix.row(rows[i]);
  active_kernels().dot_gather(pointers.data(), rows.size(), queries.row(q), matrix.stride(),
                              dots.data());
  for (size_t i = 0; i < rows.size(); ++i) {
    const double score = dots[i] / (matrix.norm(rows[i]) * queries.norm(q));
    // Not a number: the row lies in a file that was damaged after it was written. It has no rank.
    if (score == score) top->offer({score, segment.ids[rows[i]]});
  }
}

float rounded_down(double x) {
  const float f = float(x);
  return double(f) <= x ? f : std::nextafter(f, -std::numeric_limits<float>::infinity());
}

}  // namespace skillspan
