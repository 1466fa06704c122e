#include "core/matrix.h"

#include <doctest.h>

#include <cmath>
#include <limits>

#include "oracle.h"

namespace skillspan::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

using Maker = Status (*)(const float*, size_t, size_t, Matrix*);

Status borrow_with_cosines(const float* values, size_t n_rows, size_t dim, Matrix* out) {
  std::vector<double> cosines;
  return Matrix::borrow_with_cosines(values, n_rows, dim, normalised(random_rows(1, dim, 9)), out,
                                     &cosines);
}

// A batch of rows is measured at once (64 of them): faults are planted before and after that.
Status status_of(Maker make, size_t row, std::initializer_list<float> first_values) {
  Rows rows = random_rows(150, 16, 1);
  std::fill_n(rows.row(row), rows.dim, 0.0f);
  std::copy(first_values.begin(), first_values.end(), rows.row(row));
  Matrix matrix = normalised(random_rows(2, 16, 2));
  const float* before = matrix.row(0);
  const Status status = make(rows.values.data(), rows.n, rows.dim, &matrix);
  if (!status.ok()) {
    CHECK(matrix.rows() == 2);
    CHECK(matrix.row(0) == before);
  }
  return status;
}

}  // namespace

TEST_CASE("matrix: rows are scaled to norm 1 and padded with zeros") {
  for (size_t dim : {1, 7, 16, 17, 384}) {
    CAPTURE(dim);
    const Rows rows = random_rows(130, dim, dim);
    const Matrix matrix = normalised(rows);
    CHECK(matrix.rows() == rows.n);
    CHECK(matrix.dim() == dim);
    CHECK(matrix.stride() % kLanes == 0);
    CHECK(matrix.stride() < dim + kLanes);
    for (size_t i = 0; i < rows.n; ++i) {
      const double norm = std::sqrt(dot(matrix.row(i), matrix.row(i), dim));
      CHECK(std::fabs(norm - 1) < 1e-6);
      CHECK(std::fabs(matrix.norm(i) - norm) < 1e-14);
      CHECK(std::fabs(cosine(matrix.row(i), rows.row(i), dim) - 1) < 1e-12);
      for (size_t t = dim; t < matrix.stride(); ++t) CHECK(matrix.row(i)[t] == 0);
    }
  }
}

TEST_CASE("matrix: a row that has norm 1 keeps its bits") {
  const Matrix once = normalised(random_rows(100, 48, 3));
  const Rows again{once.rows(), 48, {once.row(0), once.row(0) + once.rows() * 48}};
  const Matrix twice = normalised(again);
  for (size_t i = 0; i < once.rows(); ++i) {
    CHECK(std::equal(once.row(i), once.row(i) + 48, twice.row(i)));
    CHECK(once.norm(i) == twice.norm(i));
  }
}

TEST_CASE("matrix: denormal and huge rows keep their direction") {
  Rows rows{3, 3, {1e-45f, 0, 0, 3e38f, 3e38f, -3e38f, 0, 1e-40f, 2e-40f}};
  const Matrix matrix = normalised(rows);
  CHECK(matrix.row(0)[0] == 1);
  for (size_t i = 0; i < rows.n; ++i) {
    CHECK(matrix.norm(i) == doctest::Approx(1).epsilon(1e-6));
    CHECK(cosine(matrix.row(i), rows.row(i), 3) == doctest::Approx(1).epsilon(1e-7));
  }
}

TEST_CASE("matrix: a bad row is named, and nothing is half done") {
  for (Maker make : {Matrix::copy_normalised, Matrix::borrow, borrow_with_cosines}) {
    for (size_t row : {0, 63, 64, 149}) {
      CAPTURE(row);
      for (float bad : {kNaN, kInfinity, -kInfinity}) {
        const Status status = status_of(make, row, {1, 2, bad});
        CHECK(status.code == Code::kNotFinite);
        CHECK(status.row == row);
      }
      CHECK(status_of(make, row, {}).code == Code::kZeroVector);
      CHECK(status_of(make, row, {0.0f, -0.0f}).code == Code::kZeroVector);
      CHECK(status_of(make, row, {}).row == row);
      CHECK(status_of(make, row, {0, 1e-45f}).ok());
    }
  }
}

TEST_CASE("matrix: of two bad rows the first is named") {
  Rows rows = random_rows(10, 16, 4);
  std::fill_n(rows.row(3), 16, 0.0f);
  rows.row(7)[0] = kNaN;
  Matrix matrix;
  CHECK(Matrix::copy_normalised(rows.values.data(), 10, 16, &matrix).row == 3);
  CHECK(Matrix::borrow(rows.values.data(), 10, 16, &matrix).row == 3);
}

TEST_CASE("matrix: borrowed rows are read in place, unscaled, and know their norms") {
  const Rows rows = random_rows(70, 32, 5);
  Matrix matrix;
  REQUIRE(Matrix::borrow(rows.values.data(), rows.n, rows.dim, &matrix).ok());
  CHECK(matrix.row(0) == rows.row(0));
  CHECK(matrix.row(69) == rows.row(69));
  for (size_t i = 0; i < rows.n; ++i)
    CHECK(matrix.norm(i) ==
          doctest::Approx(std::sqrt(dot(rows.row(i), rows.row(i), 32))).epsilon(1e-14));
}

TEST_CASE(
    "matrix: rows borrowed with their cosines are as those borrowed before they are measured") {
  const Matrix query = normalised(random_rows(1, 48, 7));
  for (size_t n : {1, 2, 3, 4, 5, 50}) {
    CAPTURE(n);
    const Rows rows = random_rows(n, 48, 8);
    Matrix plain, measured;
    std::vector<double> cosines;
    REQUIRE(Matrix::borrow(rows.row(0), n, 48, &plain).ok());
    REQUIRE(Matrix::borrow_with_cosines(rows.row(0), n, 48, query, &measured, &cosines).ok());
    CHECK(measured.row(0) == rows.row(0));
    CHECK(cosines == plain.cosines(query));
    for (size_t i = 0; i < n; ++i) CHECK(measured.norm(i) == plain.norm(i));
  }
}

TEST_CASE("matrix: a moved matrix keeps its rows") {
  Matrix from = normalised(random_rows(5, 16, 6));
  const float* row = from.row(4);
  const Matrix to = std::move(from);
  CHECK(to.row(4) == row);
}

}  // namespace skillspan::test
