// Every instruction set must give the same whole numbers as plain loops over unpacked codes.
#include "core/code_kernels.h"

#include <doctest.h>

#include <cmath>
#include <limits>

#include "fixtures.h"

namespace skillspan::test {
namespace {

// A query with the extremes of its range among its codes.
struct Query {
  std::vector<int8_t> high, low;
  std::vector<uint8_t> high_unsigned, low_unsigned;
  QueryCodes codes;

  Query(size_t stride, uint64_t seed)
      : high(stride), low(stride), high_unsigned(stride), low_unsigned(stride) {
    Random random(seed);
    int32_t high_sum = 0, low_sum = 0;
    for (size_t t = 0; t < stride; ++t) {
      high[t] = int8_t(t % 7 == 0 ? (t % 2 ? 127 : -127) : random.between(-127, 127));
      low[t] = int8_t(t % 5 == 0 ? (t % 2 ? 63 : -64) : random.between(-64, 63));
      high_unsigned[t] = uint8_t(high[t] + 128);
      low_unsigned[t] = uint8_t(low[t] + 128);
      high_sum += high[t];
      low_sum += low[t];
    }
    codes = {high.data(), low.data(), high_unsigned.data(), low_unsigned.data(), high_sum,
             low_sum,     stride};
  }
};

std::vector<int8_t> random_fine(size_t n, size_t stride, uint64_t seed) {
  Random random(seed);
  std::vector<int8_t> codes(n * stride);
  for (int8_t& code : codes) code = int8_t(random.between(-127, 127));
  std::fill_n(codes.begin(), stride, int8_t(127));  // the largest sums there can be
  if (n > 1) std::fill_n(codes.begin() + stride, stride, int8_t(-127));
  return codes;
}

int32_t sum_of(const int8_t* codes, size_t stride) {
  int32_t sum = 0;
  for (size_t t = 0; t < stride; ++t) sum += codes[t];
  return sum;
}

int32_t dot(const int8_t* a, const int8_t* b, size_t stride) {
  int32_t sum = 0;
  for (size_t t = 0; t < stride; ++t) sum += int32_t(a[t]) * b[t];
  return sum;
}

}  // namespace

TEST_CASE("code kernels: fine dots are exact") {
  for (size_t stride : {64, 384, 1088}) {
    CAPTURE(stride);
    const Query query(stride, stride);
    for (size_t n : {1, 2, 3, 4, 5, 9, 64}) {
      const std::vector<int8_t> codes = random_fine(n, stride, n);
      std::vector<const int8_t*> rows;
      std::vector<int32_t> sums;
      for (size_t r = 0; r < n; ++r) {
        rows.push_back(codes.data() + r * stride);
        sums.push_back(sum_of(rows[r], stride));
      }
      for (Isa isa : supported_isas()) {
        CAPTURE(isa_name(isa));
        std::vector<int32_t> high(n), low(n);
        code_kernels_for(isa).fine(rows.data(), sums.data(), n, query.codes,
                                   {high.data(), low.data()});
        for (size_t r = 0; r < n; ++r) {
          CHECK(high[r] == dot(rows[r], query.high.data(), stride));
          CHECK(low[r] == dot(rows[r], query.low.data(), stride));
        }
      }
    }
  }
}

TEST_CASE("code kernels: coarse dots are exact, twice the sum over half-integers") {
  for (size_t stride : {64, 384, 1088}) {
    CAPTURE(stride);
    for (size_t n_blocks : {1, 3, 4, 9}) {
      Random random(n_blocks);
      std::vector<uint8_t> blocks(n_blocks * 8 * stride);
      for (uint8_t& byte : blocks) byte = uint8_t(random.between(0, 255));
      std::fill_n(blocks.begin(), 8 * stride, uint8_t(0xff));
      for (size_t n_queries : {1, 2, 3, 4, 5, 6, 7, 13}) {
        CAPTURE(n_queries);
        std::vector<Query> queries;
        for (size_t q = 0; q < n_queries; ++q) queries.emplace_back(stride, stride + q);
        std::vector<const QueryCodes*> codes;
        for (const Query& query : queries) codes.push_back(&query.codes);
        for (Isa isa : supported_isas()) {
          CAPTURE(isa_name(isa));
          std::vector<std::vector<int32_t>> sums(n_queries, std::vector<int32_t>(16 * n_blocks));
          std::vector<int32_t*> out;
          for (auto& one : sums) out.push_back(one.data());
          code_kernels_for(isa).coarse(blocks.data(), n_blocks, codes.data(), n_queries,
                                       out.data());
          for (size_t q = 0; q < n_queries; ++q)
            for (size_t row = 0; row < 16 * n_blocks; ++row) {
              int32_t expected = 0;
              for (size_t t = 0; t < stride; ++t) {
                const uint8_t byte =
                    blocks[row / 16 * 8 * stride + 64 * (t / 8) + 4 * (row % 16) + t % 4];
                const int32_t twice = 2 * (t % 8 < 4 ? byte & 15 : byte >> 4) - 15;
                expected += twice * queries[q].high[t];
              }
              CHECK(sums[q][row] == expected);
            }
        }
      }
    }
  }
}

TEST_CASE("code kernels: bounds follow their formula") {
  constexpr size_t n = 64;
  Random random(5);
  std::vector<int32_t> high(n), low(n);
  std::vector<float> scale(n), inverse(n), residual(n);
  for (size_t i = 0; i < n; ++i) {
    high[i] = random.between(-2000, 2000);
    low[i] = random.between(-100000, 100000);
    scale[i] = float(random.uniform() / 100);
    inverse[i] = float(random.uniform() / 50);
    residual[i] = float(random.uniform() / 10);
  }
  const BoundTerms terms{1e-4f, 0.02f, 0.6f, 1e-3f, 1e-5f};
  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    std::vector<float> score(n), upper(n);
    code_kernels_for(isa).bounds(high.data(), low.data(), scale.data(), inverse.data(),
                                 residual.data(), n, terms, score.data(), upper.data());
    for (size_t i = 0; i < n; ++i) {
      const double xv = 1e-4 * (128.0 * high[i] + low[i]) + 0.02;
      const double along = std::fmax(xv * inverse[i] - 1e-3, 0);
      const double expected = 0.6 + scale[i] * xv;
      CHECK(score[i] == doctest::Approx(expected).epsilon(1e-6));
      CHECK(upper[i] ==
            doctest::Approx(expected + residual[i] * std::sqrt(std::fmax(1 - along * along, 0)) +
                            1e-5)
                .epsilon(1e-6));
    }
  }
}

TEST_CASE("code kernels: the places of large enough values, in order") {
  Random random(8);
  for (size_t n : {16, 48, 1024}) {
    std::vector<float> values(n);
    for (float& value : values) value = float(random.between(-9, 9));
    values[n - 1] = -std::numeric_limits<float>::infinity();
    for (float wanted : {-1e30f, 0.f, 9.f, 10.f}) {
      std::vector<uint32_t> expected;
      for (uint32_t i = 0; i < n; ++i)
        if (values[i] >= wanted) expected.push_back(i);
      for (Isa isa : supported_isas()) {
        CAPTURE(isa_name(isa));
        std::vector<uint32_t> places(n + 16);
        places.resize(code_kernels_for(isa).at_least(values.data(), n, wanted, places.data()));
        CHECK(places == expected);
      }
    }
  }
}

TEST_CASE("code kernels: the panel marks the pairs whose bound reaches what is wanted") {
  constexpr size_t stride = 128, n = 23;
  const std::vector<int8_t> rows = random_fine(n, stride, 6);
  Random random(7);
  std::vector<int32_t> sums;
  std::vector<float> scale, residual;
  for (size_t r = 0; r < n; ++r) {
    sums.push_back(sum_of(rows.data() + r * stride, stride));
    scale.push_back(float(random.uniform()));
    residual.push_back(float(random.uniform()));
  }
  std::vector<Query> queries;
  std::vector<uint8_t> packed(kPanelQueries * stride);
  std::vector<float> factor, wanted;
  for (size_t q = 0; q < kPanelQueries; ++q) {
    queries.emplace_back(stride, 100 + q);
    factor.push_back(1e-5f * float(q + 1));
    wanted.push_back(float(random.gauss()));
    for (size_t t = 0; t < stride; ++t)
      packed[kPanelQueries * (t / 4 * 4) + 4 * q + t % 4] = queries[q].high_unsigned[t];
  }
  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    const CodeKernels& kernels = code_kernels_for(isa);
    if (!kernels.panel) continue;
    std::vector<uint64_t> reaching(n);
    kernels.panel(rows.data(), {scale.data(), residual.data(), sums.data()}, n, stride,
                  packed.data(), factor.data(), wanted.data(), reaching.data());
    for (size_t r = 0; r < n; ++r) {
      for (size_t q = 0; q < kPanelQueries; ++q) {
        const double upper = double(scale[r]) * factor[q] *
                                 dot(rows.data() + r * stride, queries[q].high.data(), stride) +
                             residual[r];
        if (std::fabs(upper - wanted[q]) < 1e-5) continue;  // float32 may fall on either side
        CHECK((reaching[r] >> q & 1) == uint64_t(upper > wanted[q]));
      }
    }
  }
}

}  // namespace skillspan::test
