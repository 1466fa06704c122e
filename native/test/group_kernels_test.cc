// The kernels behind grouped_factor.h, for every instruction set in one run. Which tile of
// registers an entry falls into depends on how many rows and columns there are, so all of the small
// numbers are tried; the answer must not depend on it, to the bit.
#include <doctest.h>

#include <cmath>

#include "core/kernels.h"
#include "fixtures.h"

namespace skillspan::test {
namespace {

std::vector<double> widened(Isa isa, const Rows& rows) {
  std::vector<double> wide(rows.n * rows.dim);
  for (size_t i = 0; i < rows.n; ++i)
    kernels_for(isa).widen_row(rows.row(i), rows.dim, wide.data() + i * rows.dim);
  return wide;
}

}  // namespace

TEST_CASE("group kernels: a widened row is the row") {
  const Rows rows = random_rows(3, 48, 1);
  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    const std::vector<double> wide = widened(isa, rows);
    for (size_t t = 0; t < wide.size(); ++t) CHECK(wide[t] == double(rows.values[t]));
  }
}

TEST_CASE("group kernels: the dots of a group have the bits of single dots") {
  for (size_t stride : {16, 48, 400, 1024}) {
    CAPTURE(stride);
    const Rows rows = random_rows(kGroup, stride, 2), columns = random_rows(13, stride, 3);
    const float* pointers[kGroup];
    for (size_t r = 0; r < kGroup; ++r) pointers[r] = rows.row((r * 3 + 1) % kGroup);
    for (Isa isa : supported_isas()) {
      CAPTURE(isa_name(isa));
      const Kernels& kernels = kernels_for(isa);
      const std::vector<double> wide = widened(isa, columns);
      for (size_t n_rows = 0; n_rows <= kGroup; ++n_rows) {
        for (size_t n_columns = 0; n_columns <= columns.n; ++n_columns) {
          std::vector<double> found(columns.n * kGroup, -1);
          kernels.dot_group(pointers, n_rows, wide.data(), n_columns, stride, found.data());
          for (size_t c = 0; c < columns.n; ++c) {
            double expected[kGroup] = {-1, -1, -1, -1};  // the rest is left as it was
            if (c < n_columns)
              kernels_for(Isa::kPortable)
                  .dot_gather(pointers, n_rows, columns.row(c), stride, expected);
            for (size_t r = 0; r < kGroup; ++r) CHECK(found[c * kGroup + r] == expected[r]);
          }
        }
      }
    }
  }
}

TEST_CASE("group kernels: forward substitution, continued from any column") {
  constexpr size_t kSize = 11, kStride = 13;
  Random random(4);
  std::vector<double> lower(kSize * kStride), inverse(kSize), right(kSize * kGroup);
  for (std::vector<double>* values : {&lower, &inverse, &right})
    for (double& value : *values) value = random.gauss();
  // One number at a time, in the order that the contract fixes.
  std::vector<double> expected = right;
  for (size_t t = 0; t < kSize; ++t)
    for (size_t r = 0; r < kGroup; ++r) {
      double& x = expected[t * kGroup + r];
      for (size_t s = 0; s < t; ++s) {
        const double term = expected[s * kGroup + r] * lower[t * kStride + s];
        x -= term;
      }
      x *= inverse[t];
    }
  for (Isa isa : supported_isas()) {
    CAPTURE(isa_name(isa));
    for (size_t middle = 0; middle <= kSize; ++middle) {
      std::vector<double> found = right;
      for (auto [first, last] : {std::pair<size_t, size_t>{0, middle}, {middle, kSize}})
        kernels_for(isa).substitute(lower.data(), kStride, inverse.data(), first, last,
                                    found.data());
      CHECK(found == expected);
    }
  }
}

}  // namespace skillspan::test
