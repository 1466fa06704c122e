#include "fixtures.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace skillspan::test {

void Rows::copy(size_t from, size_t to) { std::copy_n(row(from), dim, row(to)); }

Rows random_rows(size_t n, size_t dim, uint64_t seed) {
  Random random(seed);
  Rows rows{n, dim, std::vector<float>(n * dim)};
  for (float& value : rows.values) value = float(random.gauss());
  return rows;
}

Rows clustered_rows(size_t n, size_t dim, size_t clusters, double spread, uint64_t seed) {
  const Rows centres = random_rows(clusters, dim, seed);
  Rows rows = random_rows(n, dim, seed + 1);
  for (size_t i = 0; i < n; ++i)
    for (size_t t = 0; t < dim; ++t)
      rows.row(i)[t] = float(centres.row(i % clusters)[t] + spread * rows.row(i)[t]);
  return rows;
}

Matrix normalised(const Rows& rows) {
  Matrix matrix;
  REQUIRE(Matrix::copy_normalised(rows.values.data(), rows.n, rows.dim, &matrix).ok());
  return matrix;
}

Array<float> dither_of(size_t dim, uint64_t seed) {
  Random random(seed);
  auto dither = Array<float>::uninitialised(dim);
  for (size_t t = 0; t < dim; ++t) dither.writable()[t] = float(random.uniform() - 0.5);
  return dither;
}

Segment segment_of(const Rows& rows, Levels levels, uint32_t first, uint32_t step) {
  Segment segment;
  segment.matrix = normalised(rows);
  segment.ids = Array<uint32_t>::uninitialised(rows.n);
  for (size_t i = 0; i < rows.n; ++i) segment.ids.writable()[i] = first + uint32_t(i) * step;
  if (levels == Levels::kNone) return segment;
  Array<float> dither;
  if (levels == Levels::kDithered) dither = dither_of(rows.dim, rows.n);
  REQUIRE(Quantized::build(segment.matrix, std::move(dither), nullptr, &segment.codes).ok());
  // Far enough to either side that no search of a test changes it.
  segment.levels->start_from(levels == Levels::kFine ? 1e9f : -1e9f);
  return segment;
}

Snapshot snapshot_of(std::vector<Segment> segments) {
  const size_t dim = segments.front().matrix.dim();
  std::vector<View> views;
  for (Segment& segment : segments)
    views.emplace_back(std::make_shared<const Segment>(std::move(segment)));
  return Snapshot(dim, std::move(views));
}

OwnedCandidates::OwnedCandidates(const Rows& rows, const Rows& query, std::vector<double> relevance)
    : rows_(normalised(rows)), query_(normalised(query)), relevance_(std::move(relevance)) {
  REQUIRE(relevance_.size() == rows.n);
  for (size_t i = 0; i < rows.n; ++i) pointers_.push_back(rows_.row(i));
  cosines_ = rows_.cosines(query_);
}

Candidates OwnedCandidates::view() const {
  return {pointers_.data(), rows_.norms(),  cosines_.data(),
          size(),           rows_.stride(), relevance_.data()};
}

std::vector<uint32_t> by_relevance(const OwnedCandidates& candidates) {
  const std::vector<double>& relevance = candidates.relevance();
  std::vector<uint32_t> order(candidates.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return relevance[a] > relevance[b]; });
  return order;
}

std::vector<double> kernel_row(ResidualKernel& kernel, uint32_t j) {
  std::vector<uint32_t> others;
  for (uint32_t i = 0; i < kernel.size(); ++i)
    if (i != j) others.push_back(i);
  std::vector<double> phi(others.size());
  kernel.entries(j, others.data(), others.size(), phi.data());
  phi.insert(phi.begin() + j, 1);
  return phi;
}

std::vector<double> random_log_quality(size_t n, uint64_t seed) {
  Random random(seed);
  std::vector<double> log_quality(n);
  for (double& value : log_quality) value = std::log(1 - random.uniform());
  return log_quality;
}

}  // namespace skillspan::test
