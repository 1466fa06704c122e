#include "quantized.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "code_kernels.h"

namespace skillspan {
namespace {

// The step that loses least of a normal distribution in 16 levels, in standard deviations (Max
// 1960).
constexpr float kCoarseStep = 0.335f;
// The steps from the middle to the last level, less what a dither may add.
constexpr float kCoarseReach = 7.5f;
// A row this near the mean gets no codes: its whole length counts as residual.
constexpr float kTiny = 1e-30f;
// Rows whose mean stands for that of all.
constexpr size_t kMeanRows = 4096;

Array<float> mean_of(const Matrix& matrix) {
  std::vector<double> sum(matrix.dim());
  const size_t step = std::max<size_t>(1, matrix.rows() / kMeanRows);
  size_t count = 0;
  for (size_t i = 0; i < matrix.rows(); i += step, ++count)
    for (size_t t = 0; t < matrix.dim(); ++t) sum[t] += matrix.row(i)[t];
  auto mean = Array<float>::zeros(matrix.dim());
  for (size_t t = 0; t < mean.size(); ++t) mean.writable()[t] = float(sum[t] / double(count));
  return mean;
}

float rounded_up(double value) {
  return std::nextafter(float(value), std::numeric_limits<float>::infinity());
}

// |r - scale v|
double rest_of(const float* r, const float* v, size_t dim, float scale) {
  double squared = 0;
  for (size_t t = 0; t < dim; ++t) {
    const double rest = r[t] - double(scale) * v[t];
    squared += rest * rest;
  }
  return std::sqrt(squared);
}

// Given r = e - mu and its code vector v, sets the row's entry so that the bound of quantized.h
// holds for the scale as it is stored.
void set_scales(const float* r, const float* v, size_t dim, size_t row, CodeScales* out) {
  double rv = 0, vv = 0;
  for (size_t t = 0; t < dim; ++t) {
    rv += double(r[t]) * v[t];
    vv += double(v[t]) * v[t];
  }
  const float scale = vv > 0 ? float(rv / vv) : 0;
  out->scale.writable()[row] = scale;
  // Rounded down, since more of the query along v would mean a tighter bound.
  out->inverse.writable()[row] = vv > 0 ? float(1 / std::sqrt(vv)) * (1 - 1e-6f) : 0;
  out->residual.writable()[row] = rounded_up(rest_of(r, v, dim, scale));
}

// The same for v with a dither in it: s makes the residual orthogonal to r, not to v, and what the
// residual may do to a score is bounded as in dither.h or for certain, by whichever is less.
// Answers s |v|.
double set_dithered(const float* r, const float* v, size_t dim, size_t row, CodeScales* out) {
  double rr = 0, rv = 0, vv = 0;
  for (size_t t = 0; t < dim; ++t) {
    rr += double(r[t]) * r[t];
    rv += double(r[t]) * v[t];
    vv += double(v[t]) * v[t];
  }
  const float scale = rv > 0 ? float(rr / rv) : 0;
  const double residual = std::min(rest_of(r, v, dim, scale), kDitherReach * scale);
  // Codes that say less than none would are taken for none.
  const bool useful = scale > 0 && residual * residual < rr;
  out->scale.writable()[row] = useful ? scale : 0;
  out->inverse.writable()[row] = useful ? float(1 / std::sqrt(vv)) * (1 - 1e-6f) : 0;
  out->residual.writable()[row] = rounded_up(useful ? residual : std::sqrt(rr));
  return useful ? scale * std::sqrt(vv) : std::sqrt(rr);
}

// Calls work(first, last) for stretches of whole blocks that cover all rows, on all threads.
template <typename Work>
void for_blocks(size_t n_rows, Pool* pool, const Work& work) {
  constexpr size_t kStretch = 32 * kBlockRows;
  std::atomic<size_t> next{0};
  const auto run = [&](size_t) {
    for (size_t first; (first = next.fetch_add(kStretch)) < n_rows;)
      work(first, std::min(first + kStretch, n_rows));
  };
  if (pool && n_rows > kStretch) {
    pool->spread(pool->threads(), run);
  } else {
    run(0);
  }
}

}  // namespace

Status Quantized::build(const Matrix& matrix, Array<float> dither, Pool* pool, Quantized* out) {
  bool room = true;
  Quantized quantized = of_arrays(matrix.rows(), matrix.dim(), !dither.empty(),
                                  [&](const char*, auto& array, size_t n) {
                                    array = std::decay_t<decltype(array)>::zeros(n);
                                    room = room && array.size() == n;
                                  });
  if (!room) return {Code::kOutOfMemory};
  quantized.mean_ = mean_of(matrix);
  quantized.dither_ = std::move(dither);
  const double fine = quantized.make_fine(matrix, pool);
  quantized.radius_.writable()[0] = std::max(fine, quantized.make_coarse(matrix, pool));
  *out = std::move(quantized);
  return {};
}

size_t Quantized::bytes() const {
  size_t sum = 0;
  each_array(*this, 0, 0, false, [&](const char*, const auto& array, size_t) {
    sum += array.size() * sizeof(array[0]);
  });
  return sum;
}

double Quantized::make_fine(const Matrix& matrix, Pool* pool) {
  const size_t n = matrix.rows(), dim = matrix.dim();
  std::vector<double> radii(n, 0);
  for_blocks(n, pool, [&](size_t first, size_t last) {
    std::vector<float> r(dim), v(dim);
    for (size_t i = first; i < last; ++i) {
      float largest = 0;
      double squared = 0;
      for (size_t t = 0; t < dim; ++t) {
        r[t] = matrix.row(i)[t] - mean_[t];
        largest = std::max(largest, std::fabs(r[t]));
        squared += double(r[t]) * r[t];
      }
      radii[i] = std::sqrt(squared);
      const float per_step = largest > kTiny ? 127 / largest : 0;
      int8_t* codes = fine_.writable() + i * stride_;
      int32_t sum = 0;
      for (size_t t = 0; t < dim; ++t) {
        const int code = int(std::min(r[t] * per_step + 128.5f, 255.0f)) - 128;
        codes[t] = int8_t(code);
        v[t] = float(code);
        sum += code;
      }
      fine_sums_.writable()[i] = sum;
      set_scales(r.data(), v.data(), dim, i, &fine_scales_);
    }
  });
  return *std::max_element(radii.begin(), radii.end());
}

double Quantized::make_coarse(const Matrix& matrix, Pool* pool) {
  const size_t n = matrix.rows(), dim = matrix.dim();
  std::vector<double> radii(n, 0);
  for_blocks(n, pool, [&](size_t first, size_t last) {
    std::vector<float> r(dim), v(dim);
    for (size_t i = first; i < last; ++i) {
      float largest = 0;
      double squared = 0;
      for (size_t t = 0; t < dim; ++t) {
        r[t] = matrix.row(i)[t] - mean_[t];
        largest = std::max(largest, std::fabs(r[t]));
        squared += double(r[t]) * r[t];
      }
      // With a dither nothing may lie beyond the last level.
      const double step =
          dithered() ? largest / kCoarseReach : kCoarseStep * std::sqrt(squared / double(dim));
      const float per_step = step > kTiny ? float(1 / step) : 0;
      uint8_t* bytes = coarse_.writable() + (i / kBlockRows) * 8 * stride_ + 4 * (i % kBlockRows);
      for (size_t t = 0; t < dim; ++t) {
        const float z = dithered() ? dither_[t] : 0;
        const int code = int(std::clamp(r[t] * per_step + z + 8, 0.0f, 15.0f));
        v[t] = float(code) - 7.5f - z;
        bytes[64 * (t / 8) + t % 4] |= uint8_t(t % 8 < 4 ? code : code << 4);
      }
      if (dithered()) {
        radii[i] = set_dithered(r.data(), v.data(), dim, i, &coarse_scales_);
      } else {
        set_scales(r.data(), v.data(), dim, i, &coarse_scales_);
      }
    }
  });
  return *std::max_element(radii.begin(), radii.end());
}

}  // namespace skillspan
