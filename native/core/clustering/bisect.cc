#include "bisect.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace skillspan {
namespace {

constexpr int kIterations = 20;

// The directions of sums of rows, as columns of dot_group.
class Directions {
 public:
  Directions(const Matrix& matrix, const std::vector<uint32_t>& rows)
      : matrix_(matrix), rows_(rows), values_(2 * matrix.stride()) {}

  // Direction c becomes that of the sum of the rows that `in` says; unchanged where that is zero.
  template <typename In>
  void point(size_t c, const In& in) {
    const size_t stride = matrix_.stride();
    std::vector<double> sum(stride);
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!in(i)) continue;
      const float* row = matrix_.row(rows_[i]);
      for (size_t t = 0; t < stride; ++t) sum[t] += row[t];
    }
    double squared = 0;
    for (double s : sum) squared += s * s;
    if (squared == 0) return;
    for (size_t t = 0; t < stride; ++t) values_[c * stride + t] = sum[t] / std::sqrt(squared);
  }

  // How much each row leans to direction 0 rather than 1.
  std::vector<double> leanings() const {
    std::vector<double> leanings(rows_.size());
    for (size_t first = 0; first < rows_.size(); first += kGroup) {
      const size_t count = std::min(kGroup, rows_.size() - first);
      const float* pointers[kGroup];
      for (size_t r = 0; r < count; ++r) pointers[r] = matrix_.row(rows_[first + r]);
      double dots[2 * kGroup];
      active_kernels().dot_group(pointers, count, values_.data(), 2, matrix_.stride(), dots);
      for (size_t r = 0; r < count; ++r) leanings[first + r] = dots[r] - dots[kGroup + r];
    }
    return leanings;
  }

 private:
  const Matrix& matrix_;
  const std::vector<uint32_t>& rows_;
  std::vector<double> values_;
};

size_t lowest(const std::vector<double>& values) {
  return size_t(std::min_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

std::pair<std::vector<uint32_t>, std::vector<uint32_t>> bisect(const Matrix& matrix,
                                                               const std::vector<uint32_t>& rows,
                                                               size_t min_size) {
  const size_t n = rows.size();
  Directions directions(matrix, rows);
  // Direction 1 is zero at first, so that leaning to 0 is being like it.
  directions.point(0, [](size_t) { return true; });
  const size_t far = lowest(directions.leanings());
  directions.point(0, [&](size_t i) { return i == far; });
  const size_t farther = lowest(directions.leanings());
  directions.point(1, [&](size_t i) { return i == farther; });

  std::vector<double> leaning;
  std::vector<char> is_left(n), was_left;
  for (int i = 0; i < kIterations && (i == 0 || is_left != was_left); ++i) {
    was_left = is_left;
    leaning = directions.leanings();
    for (size_t r = 0; r < n; ++r) is_left[r] = leaning[r] > 0;
    directions.point(0, [&](size_t r) { return is_left[r]; });
    directions.point(1, [&](size_t r) { return !is_left[r]; });
  }

  const size_t left = size_t(std::count(is_left.begin(), is_left.end(), char(1)));
  if (left < min_size || n - left < min_size) {
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return leaning[a] > leaning[b]; });
    for (size_t place = 0; place < n; ++place) is_left[order[place]] = place < n / 2;
  }
  std::pair<std::vector<uint32_t>, std::vector<uint32_t>> parts;
  for (size_t i = 0; i < n; ++i) (is_left[i] ? parts.first : parts.second).push_back(rows[i]);
  return parts;
}

}  // namespace skillspan
