// A query in the form that the code kernels read.
#pragma once

#include <vector>

#include "code_kernels.h"
#include "quantized.h"

namespace skillspan {

class EncodedQuery {
 public:
  // x: index.matrix.stride() floats of norm 1 (up to float32 rounding), zero-padded.
  EncodedQuery(const float* x, size_t dim, const Quantized& codes);

  const QueryCodes& codes() const { return codes_; }
  // For scores from fine codes.
  BoundTerms fine_terms() const { return terms(step_, 0, error_); }
  // For scores from coarse codes, whose sums come doubled and know the high codes alone.
  BoundTerms coarse_terms() const { return terms(step_ / 2, shift_, high_error_); }
  // For scores from fine codes by the high codes alone, as whole numbers.
  BoundTerms high_terms() const { return terms(128 * step_, 0, high_error_); }

 private:
  BoundTerms terms(double factor, double shift, double error) const;

  std::vector<int8_t> high_, low_;
  std::vector<uint8_t> high_unsigned_, low_unsigned_;
  QueryCodes codes_{};
  double step_;
  double base_;        // x . mu
  double shift_;       // - x . z, for x as the high codes have it (dither.h)
  double error_;       // |x - x as encoded|
  double high_error_;  // the same with the high codes alone
  double radius_;
};

// Rows bounded in one go.
constexpr size_t kBoundRows = 64;

// Scores and upper bounds of up to kBoundRows rows by their fine codes. The lower bound lies as far
// below a score as the upper one above.
void bound_rows(const Quantized& codes, const EncodedQuery& query, const uint32_t* rows, size_t n,
                float* scores, float* uppers);

}  // namespace skillspan
