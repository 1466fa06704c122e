// What a selection method answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skillspan {

struct Selection {
  std::vector<uint32_t> order;   // candidates chosen by the method, in the order of choice
  std::vector<double> gains;     // the marginal gain of each, as the method defines it
  std::vector<uint32_t> filled;  // candidates that completed the shortlist by relevance alone
  std::vector<uint32_t> ranked;  // all of the above by relevance, ties to the lower candidate

  // For each candidate the one chosen before it that overlaps it most (the earliest where several
  // tie), and that overlap: phi for the kernels, (1 + cosine) / 2 for MMR. -1 and 0 where none was
  // chosen before it, and for plain top-k.
  std::vector<int32_t> nearest;
  std::vector<float> overlap;

  explicit Selection(size_t m = 0) : nearest(m, -1), overlap(m, 0) {}

  // Notes how far candidate i overlaps the newly chosen j.
  void note_overlap(size_t i, size_t j, double phi) {
    const float rounded = float(phi);  // as stored: an equal overlap must compare equal to it
    if (nearest[i] >= 0 && rounded <= overlap[i]) return;
    nearest[i] = int32_t(j);
    overlap[i] = rounded;
  }
};

}  // namespace skillspan
