// The rows of an incremental Cholesky factorisation of the kernel (Chen, Zhang, Zhou 2018), brought
// up to date only when somebody asks. With S the candidates chosen so far in their order and i any
// candidate,
//   L_it = (phi_it - sum_{s<t} L_is L_ts) / d_t,   d_i^2 = 1 - sum_{t in S} L_it^2:
// d_i^2 is the conditional variance of i given S, and one choice adds one column to each row.
//
// Rows are kept in groups of kGroup candidates next to one another in relevance, which greedy MAP
// looks at together. A group computes all entries it lacks at once: each of its vectors is widened
// to float64 and read once for several choices, each vector of a choice once for all members.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "matrix.h"
#include "residual_kernel.h"

namespace skillspan {

class GroupedFactor {
 public:
  // by_relevance: every candidate once. At most `capacity` candidates will be chosen.
  GroupedFactor(const ResidualKernel& kernel, const std::vector<uint32_t>& by_relevance,
                size_t capacity);

  // d_i^2 given all choices so far, for an i that is neither chosen nor dropped.
  double variance(uint32_t i);

  // Adds i, whose variance must be above 0, to the choices.
  void choose(uint32_t i);

  // Nobody will ask for i again.
  void drop(uint32_t i);

 private:
  struct Group {
    uint32_t ids[kGroup];  // the first `live` of them are neither chosen nor dropped
    const float* rows[kGroup];
    ResidualKernel::Scale scales[kGroup] = {};
    double variances[kGroup];  // given the first `columns` choices
    size_t live = 0;
    size_t columns = 0;
  };

  // The columns of a group, each kGroup numbers.
  double* columns_of(size_t group) { return factor_.get() + group * capacity_ * kGroup; }
  void catch_up(size_t group);

  const ResidualKernel& kernel_;
  size_t stride_;
  size_t capacity_;
  std::vector<Group> groups_;
  std::vector<uint32_t> place_;  // of each candidate: kGroup * group + member
  std::unique_ptr<double[]> factor_;

  std::vector<uint32_t> chosen_;
  std::vector<double> inverse_deviations_;  // 1 / d_t
  std::unique_ptr<double[]> chosen_rows_;   // L_ts, capacity x capacity
  Array<double> chosen_vectors_;            // capacity x stride, the first `widened_` filled in
  size_t widened_ = 0;
};

}  // namespace skillspan
