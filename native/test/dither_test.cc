// Codes with random errors: how often their bound may fail, and when it does.
#include "core/dither.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>

#include "core/query_codes.h"
#include "core/two_level.h"
#include "oracle.h"

namespace skillspan::test {
namespace {

// What the coarse codes of every row leave out of its score: x.r - s x.v, and what that is a
// multiple of, s |y|.
struct Errors {
  std::vector<double> error, unit;
};

Errors errors_of(const Matrix& matrix, const Quantized& codes, const float* x) {
  const size_t dim = matrix.dim();
  Errors errors;
  for (size_t i = 0; i < matrix.rows(); ++i) {
    const uint8_t* bytes = codes.coarse(i / kBlockRows) + 4 * (i % kBlockRows);
    double xr = 0, xv = 0, rr = 0;
    for (size_t t = 0; t < dim; ++t) {
      const int pair = bytes[64 * (t / 8) + t % 4];
      const double v = double(t % 8 < 4 ? pair & 15 : pair >> 4) - 7.5 - codes.dither()[t];
      const double r = double(matrix.row(i)[t]) - codes.mean()[t];
      xr += x[t] * r;
      xv += x[t] * v;
      rr += r * r;
    }
    const double scale = codes.coarse_scales().scale[i];
    errors.error.push_back(xr - scale * xv);
    errors.unit.push_back(scale * std::sqrt(std::max(0.0, 1 - xr * xr / rr)));
  }
  return errors;
}

}  // namespace

TEST_CASE("dither: errors go as far as the proof lets them, whatever the rows and the query") {
  constexpr size_t kDim = 96, kRows = 64, kDithers = 150;
  Rows rows = clustered_rows(kRows, kDim, 8, 0.3, 1);
  for (size_t t = 0; t < kDim; ++t) {
    rows.row(0)[t] = t == 3 ? 1 : 1e-3f;           // nearly all of it rounds to nothing
    rows.row(1)[t] = t % 7 == 0 ? 1.f : 1.f / 15;  // on the edges between two codes
  }
  const Matrix matrix = normalised(rows);
  Rows queries = random_rows(3, kDim, 2);
  std::copy_n(rows.row(0), kDim, queries.row(1));
  for (size_t t = 0; t < kDim; ++t)
    queries.row(2)[t] = t == 5 ? 1.f : 0.f;  // meets one error alone
  const Matrix x = normalised(queries);
  for (size_t q = 0; q < 3; ++q) {
    CAPTURE(q);
    for (double reach : {0.25, 0.5, 0.75, 1.0}) {
      CAPTURE(reach);
      size_t beyond = 0;
      double sum = 0;
      for (size_t trial = 0; trial < kDithers; ++trial) {
        Quantized codes;
        REQUIRE(Quantized::build(matrix, dither_of(kDim, trial), nullptr, &codes).ok());
        const Errors errors = errors_of(matrix, codes, x.row(q));
        for (size_t i = 0; i < kRows; ++i) {
          beyond += errors.error[i] > reach * errors.unit[i];
          if (errors.unit[i] > 0) sum += errors.error[i] / errors.unit[i];
        }
      }
      CHECK(double(beyond) <= kDithers * kRows * std::exp(-6 * reach * reach));
      CHECK(std::fabs(sum) < 0.1 * kDithers * kRows);  // no side is preferred
    }
  }
}

TEST_CASE("dither: a tighter bound than without") {
  for (size_t dim : {384, 1024}) {
    const Matrix matrix = normalised(random_rows(100, dim, 3));
    Quantized certain, probable;
    REQUIRE(Quantized::build(matrix, {}, nullptr, &certain).ok());
    REQUIRE(Quantized::build(matrix, dither_of(dim, 4), nullptr, &probable).ok());
    CHECK_FALSE(certain.dithered());
    CHECK(probable.dithered());
    for (size_t i = 0; i < 100; ++i)
      CHECK(probable.coarse_scales().residual[i] < 0.75f * certain.coarse_scales().residual[i]);
  }
}

TEST_CASE("dither: a query that is made from it breaks the bound, as the proof allows") {
  constexpr size_t kDim = 256;
  const Matrix matrix = normalised(random_rows(32, kDim, 5));
  Quantized codes;
  REQUIRE(Quantized::build(matrix, dither_of(kDim, 6), nullptr, &codes).ok());
  Rows query{1, kDim, std::vector<float>(kDim)};
  for (size_t t = 0; t < kDim; ++t) {  // along the error of row 0
    const int pair = codes.coarse(0)[64 * (t / 8) + t % 4];
    const double v = double(t % 8 < 4 ? pair & 15 : pair >> 4) - 7.5 - codes.dither()[t];
    query.row(0)[t] =
        float(matrix.row(0)[t] - codes.mean()[t] - codes.coarse_scales().scale[0] * v);
  }
  const Matrix x = normalised(query);
  const Errors errors = errors_of(matrix, codes, x.row(0));
  CHECK(errors.error[0] > 1.2 * codes.coarse_scales().residual[0]);
  CHECK(errors.error[1] < codes.coarse_scales().residual[1]);
}

TEST_CASE("dither: no more answers a query than the proof counts go by the dithered codes") {
  const Rows rows = random_rows(9000, 16, 7);
  const Segment segment = segment_of(rows, Levels::kDithered);
  const Matrix x = normalised(random_rows(1, 16, 8));
  const RowMask all(rows.n);
  const float before = segment.levels->surviving();
  for (size_t m : {kMaxDithered + 1, kMaxDithered}) {
    std::vector<TopM> exact(1, TopM(m));
    REQUIRE(two_level_search({segment, all}, x, {}, &exact).ok());
    CHECK((segment.levels->surviving() == before) == (m > kMaxDithered));
    CHECK(exact[0].sorted().size() == m);
  }
}

TEST_CASE("dither: drawn anew each time, evenly from -1/2 to 1/2") {
  constexpr size_t kDim = 20000;
  const Array<float> one = drawn_dither(kDim), two = drawn_dither(kDim);
  size_t equal = 0;
  double sum = 0, squared = 0;
  for (size_t t = 0; t < kDim; ++t) {
    REQUIRE(one[t] >= -0.5f);
    REQUIRE(one[t] < 0.5f);
    equal += one[t] == two[t];
    sum += one[t];
    squared += double(one[t]) * one[t];
  }
  CHECK(equal < 20);
  CHECK(std::fabs(sum / kDim) < 0.02);  // ten deviations
  CHECK(squared / kDim == doctest::Approx(1.0 / 12).epsilon(0.06));
}

}  // namespace skillspan::test
