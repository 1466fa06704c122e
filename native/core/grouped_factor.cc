#include "grouped_factor.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace skillspan {

GroupedFactor::GroupedFactor(const ResidualKernel& kernel,
                             const std::vector<uint32_t>& by_relevance, size_t capacity)
    : kernel_(kernel),
      stride_(kernel.candidates().stride),
      capacity_(capacity),
      groups_((kernel.size() + kGroup - 1) / kGroup),
      place_(kernel.size()),
      factor_(new double[groups_.size() * kGroup * capacity]),
      chosen_rows_(new double[capacity * capacity]),
      chosen_vectors_(Array<double>::uninitialised(capacity * stride_)) {
  if (chosen_vectors_.size() != capacity * stride_) throw std::bad_alloc();
  for (Group& group : groups_) std::fill_n(group.variances, kGroup, 1.0);
  for (size_t n = 0; n < by_relevance.size(); ++n) {
    const uint32_t id = by_relevance[n];
    place_[id] = uint32_t(n);
    Group& group = groups_[n / kGroup];
    group.ids[group.live] = id;
    group.rows[group.live] = kernel.candidates().rows[id];
    group.scales[group.live] = kernel.scale(id);
    ++group.live;
  }
}

double GroupedFactor::variance(uint32_t i) {
  const size_t group = place_[i] / kGroup;
  if (groups_[group].columns < chosen_.size()) catch_up(group);
  return groups_[group].variances[place_[i] % kGroup];
}

void GroupedFactor::choose(uint32_t i) {
  const size_t t = chosen_.size();
  inverse_deviations_.push_back(1 / std::sqrt(variance(i)));
  const double* own = columns_of(place_[i] / kGroup) + place_[i] % kGroup;
  double* row = chosen_rows_.get() + t * capacity_;
  for (size_t s = 0; s < t; ++s) row[s] = own[s * kGroup];
  chosen_.push_back(i);
  drop(i);
}

void GroupedFactor::drop(uint32_t i) {
  const size_t g = place_[i] / kGroup, member = place_[i] % kGroup;
  Group& group = groups_[g];
  const size_t last = --group.live;
  std::swap(place_[i], place_[group.ids[last]]);
  std::swap(group.ids[member], group.ids[last]);
  std::swap(group.rows[member], group.rows[last]);
  std::swap(group.scales[member], group.scales[last]);
  std::swap(group.variances[member], group.variances[last]);
  double* own = columns_of(g);
  for (size_t t = 0; t < group.columns; ++t)
    std::swap(own[t * kGroup + member], own[t * kGroup + last]);
}

void GroupedFactor::catch_up(size_t g) {
  for (; widened_ < chosen_.size(); ++widened_)
    active_kernels().widen_row(kernel_.candidates().rows[chosen_[widened_]], stride_,
                               chosen_vectors_.writable() + widened_ * stride_);
  Group& group = groups_[g];
  const size_t first = group.columns;
  const size_t last = group.columns = chosen_.size();
  double* own = columns_of(g);
  // What becomes of the places of the dead is of no account, as long as it is a number.
  if (group.live < kGroup) std::fill(own + first * kGroup, own + last * kGroup, 0.0);
  active_kernels().dot_group(group.rows, group.live, chosen_vectors_.data() + first * stride_,
                             last - first, stride_, own + first * kGroup);
  for (size_t t = first; t < last; ++t) {
    const ResidualKernel::Scale& scale = kernel_.scale(chosen_[t]);
    for (size_t r = 0; r < kGroup; ++r)
      own[t * kGroup + r] = kernel_.entry(group.scales[r], scale, own[t * kGroup + r]);
  }
  if (kernel_.candidates().facets)
    for (size_t t = first; t < last; ++t)
      for (size_t r = 0; r < group.live; ++r) {
        double& phi = own[t * kGroup + r];
        phi = kernel_.with_facets(group.ids[r], chosen_[t], phi);
      }
  active_kernels().substitute(chosen_rows_.get(), capacity_, inverse_deviations_.data(), first,
                              last, own);
  for (size_t t = first; t < last; ++t)
    for (size_t r = 0; r < kGroup; ++r)
      group.variances[r] -= own[t * kGroup + r] * own[t * kGroup + r];
}

}  // namespace skillspan
