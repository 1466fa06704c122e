#include "query_codes.h"

#include <algorithm>
#include <cmath>

namespace skillspan {
namespace {

constexpr int kLargest = 127 * 128 + 63;
// Covers the float32 arithmetic of the bounds kernel (some ten roundings of numbers near 1) and
// norms that are off 1 by up to 5e-7 each, which the exact score divides out.
constexpr double kRounding = 4e-6;

}  // namespace

EncodedQuery::EncodedQuery(const float* x, size_t dim, const Quantized& codes)
    : high_(codes.stride(), 0),
      low_(codes.stride(), 0),
      high_unsigned_(codes.stride(), 128),
      low_unsigned_(codes.stride(), 128),
      base_(0),
      shift_(0),
      radius_(codes.radius()) {
  float largest = 0;
  for (size_t t = 0; t < dim; ++t) largest = std::max(largest, std::fabs(x[t]));
  step_ = double(largest) / kLargest;
  double squared_error = 0, squared_high_error = 0;
  int32_t high_sum = 0, low_sum = 0;
  for (size_t t = 0; t < dim; ++t) {
    const int code = std::clamp(int(std::lround(x[t] / step_)), -kLargest, kLargest);
    const int high = (code + 64 + 128 * 128) / 128 - 128;  // rounds half up, for negatives too
    const int low = code - 128 * high;
    high_[t] = int8_t(high);
    low_[t] = int8_t(low);
    high_unsigned_[t] = uint8_t(high + 128);
    low_unsigned_[t] = uint8_t(low + 128);
    high_sum += high;
    low_sum += low;
    const double error = x[t] - step_ * code;
    squared_error += error * error;
    const double by_high = step_ * 128 * high;
    squared_high_error += (x[t] - by_high) * (x[t] - by_high);
    if (codes.dithered()) shift_ -= by_high * codes.dither()[t];
    base_ += double(x[t]) * codes.mean()[t];
  }
  error_ = std::sqrt(squared_error);
  high_error_ = std::sqrt(squared_high_error);
  codes_ = {high_.data(), low_.data(), high_unsigned_.data(), low_unsigned_.data(),
            high_sum,     low_sum,     codes.stride()};
}

// The encoded query differs from x by a vector of length `error`. That shifts x.v / |v| by at most
// as much, and s x.v, where s |v| <= radius, by at most radius times as much.
BoundTerms EncodedQuery::terms(double factor, double shift, double error) const {
  return {float(factor), float(shift), float(base_), float(error + kRounding),
          float(error * radius_ + kRounding)};
}

void bound_rows(const Quantized& codes, const EncodedQuery& query, const uint32_t* rows, size_t n,
                float* scores, float* uppers) {
  const int8_t* pointers[kBoundRows];
  int32_t sums[kBoundRows], high[kBoundRows], low[kBoundRows];
  float scale[kBoundRows], inverse[kBoundRows], residual[kBoundRows];
  const CodeScales& scales = codes.fine_scales();
  for (size_t i = 0; i < n; ++i) {
    pointers[i] = codes.fine(rows[i]);
    sums[i] = codes.fine_sums()[rows[i]];
    scale[i] = scales.scale[rows[i]];
    inverse[i] = scales.inverse[rows[i]];
    residual[i] = scales.residual[rows[i]];
  }
  const size_t whole = block_padded(n);
  for (size_t i = n; i < whole; ++i) {
    high[i] = low[i] = 0;
    scale[i] = inverse[i] = residual[i] = 0;
  }
  const CodeKernels& kernels = active_code_kernels();
  kernels.fine(pointers, sums, n, query.codes(), {high, low});
  kernels.bounds(high, low, scale, inverse, residual, whole, query.fine_terms(), scores, uppers);
}

}  // namespace skillspan
