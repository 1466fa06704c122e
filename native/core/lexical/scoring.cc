#include "scoring.h"

#include <algorithm>

namespace skillspan::lexical {

double Scoring::length(const float* frequencies, size_t n) const {
  double sum = 0;
  if (model_ == Model::kBm25) {
    for (size_t i = 0; i < n; ++i) sum += frequencies[i];
    return sum;
  }
  for (size_t i = 0; i < n; ++i) {
    const double weight = std::log1p(double(frequencies[i]));
    sum += weight * weight;
  }
  return std::sqrt(sum);
}

DocumentImpact Scoring::impact(double length, double average_length) const {
  if (model_ == Model::kTfIdf) return {model_, 1, length};
  return {model_, k1_ + 1, k1_ * (1 - b_ + b_ * length / average_length)};
}

double Scoring::growth(double average_then, double average_now) const {
  return model_ == Model::kBm25 ? std::max(1.0, average_now / average_then) : 1;
}

void Scoring::resolve(const std::vector<uint32_t>& df, size_t n_documents,
                      std::vector<WeightedTerm>* terms) const {
  const double n = double(n_documents);
  double squared = 0;
  for (size_t i = 0; i < terms->size(); ++i) {
    double& weight = (*terms)[i].weight;
    weight *= model_ == Model::kBm25 ? std::log1p((n - df[i] + 0.5) / (df[i] + 0.5))
                                     : std::log1p(n / df[i]);
    squared += weight * weight;
  }
  if (model_ == Model::kTfIdf && squared > 0)
    for (WeightedTerm& term : *terms) term.weight /= std::sqrt(squared);
}

}  // namespace skillspan::lexical
