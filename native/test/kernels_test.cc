// The kernels take the instruction set from their table, so every set is tested in one run. The
// contract fixes even the order of additions; `by_lanes` spells it out, one float at a time.
#include "core/kernels.h"

#include <doctest.h>

#include <cmath>

#include "oracle.h"

namespace skillspan::test {
namespace {

bool fuses(Isa isa) { return isa != Isa::kPortable; }

// Halves added pairwise: 16 -> 8 -> 4 -> 2 -> 1.
template <typename T, size_t N>
T halve(T (&lanes)[N]) {
  for (size_t width = N / 2; width > 0; width /= 2)
    for (size_t i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

float by_lanes(const float* a, const float* b, size_t stride, bool fused) {
  float lanes[16] = {};
  for (size_t t = 0; t < stride; ++t) {
    float& lane = lanes[t % 16];
    lane = fused ? std::fma(a[t], b[t], lane) : lane + a[t] * b[t];
  }
  return halve(lanes);
}

// Never fused: the product of two floats is exact in a double, so it makes no difference.
double by_lanes64(const float* a, const float* b, size_t stride) {
  double lanes[16] = {};
  for (size_t t = 0; t < stride; ++t) lanes[t % 16] += double(a[t]) * double(b[t]);
  return halve(lanes);
}

std::vector<float> block(Isa isa, const Rows& rows, const Rows& queries) {
  std::vector<float> out(rows.n * queries.n);
  kernels_for(isa).dot_block(rows.row(0), rows.n, queries.row(0), queries.n, rows.dim, out.data());
  return out;
}

}  // namespace

TEST_CASE(
    "kernels: float32 dots are near the float64 dot and follow the fixed order of additions") {
  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    for (size_t stride : {16, 32, 48, 384, 400}) {
      CAPTURE(stride);
      // Every remainder of every register tile: up to 8 rows and 6 queries at once.
      for (auto [n_rows, n_queries] : {std::pair<size_t, size_t>{1, 1}, {2, 5}, {9, 13}, {17, 6}}) {
        const Rows rows = random_rows(n_rows, stride, 1);
        const Rows queries = random_rows(n_queries, stride, 2);
        const std::vector<float> dots = block(isa, rows, queries);
        for (size_t r = 0; r < n_rows; ++r) {
          for (size_t q = 0; q < n_queries; ++q) {
            const float* a = rows.row(r);
            const float* b = queries.row(q);
            const float found = dots[r * n_queries + q];
            const double scale = std::sqrt(dot(a, a, stride) * dot(b, b, stride));
            CHECK(std::fabs(found - dot(a, b, stride)) <= 5e-7 * scale);
            CHECK(found == by_lanes(a, b, stride, fuses(isa)));
          }
        }
      }
    }
  }
}

TEST_CASE("kernels: the score of a pair does not depend on its place in a block or batch") {
  const size_t stride = 64;
  const Rows rows = random_rows(23, stride, 3);
  const Rows queries = random_rows(15, stride, 4);
  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    const std::vector<float> dots = block(isa, rows, queries);
    for (size_t r = 0; r < rows.n; ++r) {
      for (size_t q = 0; q < queries.n; ++q) {
        float alone;
        kernels_for(isa).dot_block(rows.row(r), 1, queries.row(q), 1, stride, &alone);
        CHECK(dots[r * queries.n + q] == alone);
      }
    }
  }
}

TEST_CASE("kernels: small whole numbers give exact dots") {
  const size_t stride = 384;
  Random random(5);
  Rows rows = random_rows(13, stride, 0), queries = random_rows(7, stride, 0);
  for (float& value : rows.values) value = float(random.between(-9, 9));
  for (float& value : queries.values) value = float(random.between(-9, 9));

  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    const std::vector<float> dots = block(isa, rows, queries);
    for (size_t r = 0; r < rows.n; ++r)
      for (size_t q = 0; q < queries.n; ++q)
        CHECK(dots[r * queries.n + q] == dot(rows.row(r), queries.row(q), stride));
  }
}

TEST_CASE("kernels: float64 dots have the same bits with every instruction set") {
  for (size_t stride : {16, 48, 384}) {
    CAPTURE(stride);
    const Rows rows = random_rows(19, stride, 6);
    const Rows query = random_rows(1, stride, 7);
    for (Isa isa : supported_isas()) {
      CAPTURE(isa_name(isa));
      for (size_t n : {1, 3, 8, 19}) {
        std::vector<const float*> scattered;
        for (size_t i = 0; i < n; ++i) scattered.push_back(rows.row(i * 7 % rows.n));
        std::vector<double> dots(n);
        kernels_for(isa).dot_gather(scattered.data(), n, query.row(0), stride, dots.data());
        for (size_t i = 0; i < n; ++i) {
          CHECK(dots[i] == by_lanes64(scattered[i], query.row(0), stride));
          CHECK(std::fabs(dots[i] - dot(scattered[i], query.row(0), stride)) < 1e-13 * stride);
        }
      }
    }
  }
}

TEST_CASE("kernels: a squared norm has the bits of the row's dot with itself") {
  const size_t stride = 80;
  const Rows rows = random_rows(21, stride, 8);
  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    std::vector<double> squares(rows.n);
    kernels_for(isa).square_block(rows.row(0), rows.n, stride, squares.data());
    for (size_t i = 0; i < rows.n; ++i) {
      const float* row = rows.row(i);
      double alone;
      kernels_for(isa).dot_gather(&row, 1, row, stride, &alone);
      CHECK(squares[i] == alone);
    }
  }
}

TEST_CASE("kernels: norms and dots measured in one pass have the bits of the separate ones") {
  for (size_t stride : {16, 80, 384}) {
    CAPTURE(stride);
    const Rows rows = random_rows(11, stride, 10), x = random_rows(1, stride, 11);
    for (Isa isa : supported_isas()) {
      CAPTURE(isa_name(isa));
      for (size_t n : {1, 2, 3, 4, 7, 11}) {
        std::vector<double> squares(n), dots(n);
        kernels_for(isa).measure_block(rows.row(0), n, x.row(0), stride, squares.data(),
                                       dots.data());
        for (size_t i = 0; i < n; ++i) {
          CHECK(squares[i] == by_lanes64(rows.row(i), rows.row(i), stride));
          CHECK(dots[i] == by_lanes64(rows.row(i), x.row(0), stride));
        }
      }
    }
  }
}

TEST_CASE("kernels: the extremes of float32 neither overflow nor vanish in float64") {
  const size_t stride = 16;
  Rows rows{3, stride, std::vector<float>(3 * stride, 0)};
  std::fill_n(rows.row(0), stride, 3.4e38f);
  rows.row(1)[5] = 1e-45f;  // the smallest denormal
  rows.row(2)[15] = -3.4e38f;
  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    std::vector<double> squares(rows.n);
    kernels_for(isa).square_block(rows.row(0), rows.n, stride, squares.data());
    for (size_t i = 0; i < rows.n; ++i)
      CHECK(squares[i] == by_lanes64(rows.row(i), rows.row(i), stride));
    CHECK(std::isfinite(squares[0]));
    CHECK(squares[1] > 0);
  }
}

TEST_CASE("kernels: rows need no alignment beyond that of a float") {
  const size_t stride = 32;
  const Rows rows = random_rows(6, stride, 9);
  std::vector<float> shifted(rows.values.size() + 1);
  std::copy(rows.values.begin(), rows.values.end(), shifted.begin() + 1);
  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    std::vector<double> aligned(rows.n), unaligned(rows.n);
    kernels_for(isa).square_block(rows.row(0), rows.n, stride, aligned.data());
    kernels_for(isa).square_block(shifted.data() + 1, rows.n, stride, unaligned.data());
    CHECK(aligned == unaligned);
    std::vector<float> dots(rows.n);
    kernels_for(isa).dot_block(shifted.data() + 1, rows.n, shifted.data() + 1, 1, stride,
                               dots.data());
    Rows first{1, stride, {rows.row(0), rows.row(0) + stride}};
    CHECK(dots == block(isa, rows, first));
  }
}

}  // namespace skillspan::test
