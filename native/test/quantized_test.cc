#include "core/quantized.h"

#include <doctest.h>

#include <cmath>

#include "core/query_codes.h"
#include "oracle.h"

namespace skillspan::test {
namespace {

// Rows that a quantiser likes least: each kind has its own place in the index.
Rows hostile_rows(size_t n, size_t dim) {
  Rows rows = random_rows(n, dim, 9);
  for (size_t t = 0; t < dim; ++t) {
    rows.row(0)[t] = t == 0 ? 1e4f : 1e-4f;      // one huge coordinate
    rows.row(1)[t] = 1e-42f;                     // denormals, equal
    rows.row(2)[t] = t % 2 ? 1e-42f : -1e-42f;   // denormals, alternating
    rows.row(3)[t] = t + 1 == dim ? -1.f : 0.f;  // a unit vector, at the edge of the padding
    rows.row(4)[t] = 1;                          // constant
  }
  rows.copy(0, 5);
  return rows;
}

double rounding_slack() { return 1e-12; }

}  // namespace

TEST_CASE("quantized: upper bounds hold for every row, level and instruction set") {
  for (size_t dim : {3, 17, 64, 100, 384}) {
    CAPTURE(dim);
    for (auto [same, dithered] :
         {std::pair{false, false}, {false, true}, {true, false}, {true, true}}) {
      CAPTURE(dithered);
      Rows rows = hostile_rows(150, dim);
      if (same)  // all rows equal: the mean is each of them, and nothing is left to encode
        for (size_t i = 1; i < rows.n; ++i) rows.copy(0, i);
      const Matrix matrix = normalised(rows);
      Quantized codes;
      Array<float> dither;
      if (dithered) dither = dither_of(dim, 14);
      REQUIRE(Quantized::build(matrix, std::move(dither), nullptr, &codes).ok());
      Rows queries = random_rows(6, dim, 10);
      std::copy_n(rows.row(0), dim, queries.row(0));
      std::copy_n(rows.row(3), dim, queries.row(1));
      std::copy_n(rows.row(2), dim, queries.row(2));
      const Matrix x = normalised(queries);
      for (size_t q = 0; q < queries.n; ++q) {
        const EncodedQuery query(x.row(q), dim, codes);
        for (Isa isa : supported_isas()) {
          CAPTURE(isa_name(isa));
          const CodeKernels& kernels = code_kernels_for(isa);
          const size_t blocks = (rows.n + 15) / 16;
          std::vector<int32_t> high(blocks * 16), low(blocks * 16);
          std::vector<float> score(blocks * 16), upper(blocks * 16);
          const auto check = [&](const CodeScales& scales, const BoundTerms& terms, bool below) {
            kernels.bounds(high.data(), low.data(), scales.scale.data(), scales.inverse.data(),
                           scales.residual.data(), blocks * 16, terms, score.data(), upper.data());
            for (size_t i = 0; i < rows.n; ++i) {
              CAPTURE(i);
              const double truth = cosine(matrix.row(i), x.row(q), dim);
              CHECK(upper[i] >= truth - rounding_slack());
              if (below) CHECK(2 * double(score[i]) - upper[i] <= truth + rounding_slack());
            }
          };
          const QueryCodes* const one = &query.codes();
          int32_t* const out = high.data();
          kernels.coarse(codes.coarse(0), blocks, &one, 1, &out);
          check(codes.coarse_scales(), query.coarse_terms(), !dithered);
          std::vector<const int8_t*> pointers;
          for (size_t i = 0; i < rows.n; ++i) pointers.push_back(codes.fine(i));
          kernels.fine(pointers.data(), codes.fine_sums(), rows.n, query.codes(),
                       {high.data(), low.data()});
          check(codes.fine_scales(), query.fine_terms(), true);
        }
      }
    }
  }
}

TEST_CASE("quantized: fine codes are close, coarse ones less so") {
  const Matrix matrix = normalised(random_rows(200, 256, 11));
  Quantized codes;
  REQUIRE(Quantized::build(matrix, {}, nullptr, &codes).ok());
  for (size_t i = 0; i < 200; ++i) {
    CHECK(codes.fine_scales().residual[i] < 0.012);
    CHECK(codes.coarse_scales().residual[i] < 0.17);
    CHECK(codes.coarse_scales().residual[i] > 0.05);
  }
}

TEST_CASE("quantized: the same on any number of threads") {
  const Matrix matrix = normalised(random_rows(3000, 48, 12));
  Quantized alone, shared;
  Pool pool(3);
  REQUIRE(Quantized::build(matrix, {}, nullptr, &alone).ok());
  REQUIRE(Quantized::build(matrix, {}, &pool, &shared).ok());
  for (size_t i = 0; i < 3000; ++i)
    CHECK(std::equal(alone.fine(i), alone.fine(i) + alone.stride(), shared.fine(i)));
  for (size_t b = 0; b < 3000 / 16; ++b)
    CHECK(std::equal(alone.coarse(b), alone.coarse(b) + 8 * alone.stride(), shared.coarse(b)));
  CHECK(alone.radius() == shared.radius());
  const Array<float>& residuals = alone.coarse_scales().residual;
  CHECK(std::equal(residuals.begin(), residuals.end(), shared.coarse_scales().residual.begin()));
}

TEST_CASE("quantized: at most 1.7 bytes a number beside the vectors") {
  for (size_t dim : {384, 1024}) {
    const size_t n = 512;
    const Matrix matrix = normalised(random_rows(n, dim, 13));
    Quantized codes;
    REQUIRE(Quantized::build(matrix, {}, nullptr, &codes).ok());
    CHECK(double(codes.bytes()) / double(n * dim) < 1.7);
  }
}

}  // namespace skillspan::test
