// What a selection method answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skillspan {

// For each candidate the other one of `order` that overlaps it most (the earliest where several
// tie), and that overlap phi; -1 and 0 where there is no other.
struct Overlaps {
  std::vector<int32_t> nearest;
  std::vector<float> overlap;
};

struct Selection {
  std::vector<uint32_t> order;   // candidates chosen by the method, in the order of choice
  std::vector<double> gains;     // the marginal gain of each, as the method defines it
  std::vector<uint32_t> filled;  // candidates that completed the shortlist by relevance alone
  std::vector<uint32_t> ranked;  // all of the above by relevance, ties to the lower candidate
  Overlaps overlaps;             // empty unless asked for
};

}  // namespace skillspan
