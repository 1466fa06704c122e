// Exact scores, which decide once the bounds have narrowed the choice.
#pragma once

#include <vector>

#include "segment.h"
#include "top_m.h"

namespace skillspan {

// Offers rows, under their ids, with their float64 cosine to query q, norms divided out.
void score_exactly(const Segment& segment, const Matrix& queries, size_t q,
                   const std::vector<uint32_t>& rows, TopM* top);

// The largest float not above x: comparing an upper bound with it never rules out too much.
float rounded_down(double x);

}  // namespace skillspan
