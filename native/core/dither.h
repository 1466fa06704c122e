// Coarse codes with random errors: a tighter bound, which fails with a known small probability.
//
// Let z be random, each z_t uniform in [-1/2, 1/2) and independent of the others, of the rows and
// of the queries. A row's r = e - mu is divided by a step that depends on r alone, and rounded
// after z is added: c = round(r / step + z). Whatever r is, the errors
//   d_t = r_t / step - (c_t - z_t)
// are then independent and uniform in [-1/2, 1/2): their moments obey E exp(a d_t) <= exp(a^2 /
// 24). With v = c - z and s = r.r / v.r, r - s v is orthogonal to r, so that with y the part of the
// query x that is orthogonal to r
//   x.r - s x.v = y.(r - s v) = -s y.v = s y.d,      since y.r = 0.
// y is fixed before z is drawn. So, by Chernoff's bound, for every reach > 0
//   P(y.d > reach |y|) <= exp(-6 reach^2).
// Where that does not happen, x.r <= s x.v + s reach |y|, which has the form of the bound in
// quantized.h with s reach for a residual: |y| = sqrt(1 - (x.r / |r|)^2). For s x.v >= 0 the row
// either scores no more than that, or |y| is at most sqrt(1 - (s x.v / |r|)^2), and |r| <= s |v|.
//
// A search misses a row only where that row is among the true m best and breaks its bound: m rows,
// however many the index has. With reach 2.5 that has a probability of at most
//   m exp(-37.5) <= 8192 x 5.2e-17 < 5e-13 for m up to 8192,
// the half of what is promised. The other half covers rounding: z has 24 bits and r / step + z is
// rounded to float32, within 2^-20 in all, so that d_t may leave its interval by so much, or lie at
// the wrong end of it with a probability of 2^-19. That raises each moment by a factor of at most 1
// + 2^-18 a, and the product of all, with a = 30 x_t at the most telling point, by less than exp(30
// sqrt(d) 2^-18): 1.004 for 1,024 numbers, 1.03 for 65,536.
//
// The probability is over z, which is drawn when codes are made, for each segment of an index. It
// holds for rows and queries that do not depend on z. Answers tell nothing of z unless one is
// wrong, so queries may depend on earlier answers, and the probabilities add up. Whoever reads z
// from memory or from a file can make a query whose answer is wrong.
#pragma once

#include "array.h"

namespace skillspan {

// How sure an answer is to have the m best rows.
enum class Exactness : uint8_t {
  kCertain,
  kProbable,  // but for a probability of 1e-12 a query
};

constexpr double kDitherReach = 2.5;
constexpr size_t kMaxDithered = 8192;  // the largest m it covers

// z for so many numbers, of the system's randomness. Empty where memory is short.
Array<float> drawn_dither(size_t dim);

}  // namespace skillspan
