#include "select.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "greedy_map.h"
#include "mmr.h"
#include "overlaps.h"

namespace skillspan {
namespace {

bool logarithmic(Method method) { return method == Method::kDsr || method == Method::kDppCosine; }

void top_k(const Candidates& candidates, const std::vector<uint32_t>& by_relevance, size_t k,
           Selection* selection) {
  selection->order.assign(by_relevance.begin(), by_relevance.begin() + k);
  for (uint32_t i : selection->order) selection->gains.push_back(candidates.relevance[i]);
}

void fill(const std::vector<uint32_t>& by_relevance, size_t k, Selection* selection) {
  std::vector<char> chosen(by_relevance.size(), 0);
  for (uint32_t i : selection->order) chosen[i] = 1;
  for (uint32_t i : by_relevance) {
    if (selection->order.size() + selection->filled.size() == k) return;
    if (!chosen[i]) selection->filled.push_back(i);
  }
}

}  // namespace

Status relevance_of(Method method, const double* quality, size_t m,
                    std::vector<double>* relevance) {
  relevance->resize(m);
  for (size_t i = 0; i < m; ++i) {
    if (!(quality[i] >= 0) || std::isinf(quality[i])) return {Code::kInvalidQuality, i};
    (*relevance)[i] = logarithmic(method) ? std::log(quality[i]) : quality[i];
  }
  return {};
}

double relevance_of(Method method, double similarity, double highest, double sharpness) {
  return logarithmic(method) ? sharpness * (similarity - highest) : similarity;
}

Selection select(const Candidates& candidates, const SelectOptions& options) {
  const double* relevance = candidates.relevance;
  const auto more_relevant = [relevance](uint32_t a, uint32_t b) {
    return relevance[a] > relevance[b] || (relevance[a] == relevance[b] && a < b);
  };
  std::vector<uint32_t> by_relevance(candidates.size);
  std::iota(by_relevance.begin(), by_relevance.end(), 0u);
  std::sort(by_relevance.begin(), by_relevance.end(), more_relevant);

  Selection selection;
  ResidualKernel kernel(candidates, options.method == Method::kDsr ? options.lambda : 0);
  switch (options.method) {
    case Method::kTopK:
      top_k(candidates, by_relevance, options.k, &selection);
      break;
    case Method::kMmr:
      mmr(kernel, relevance, options.lambda, options.k, &selection);
      break;
    case Method::kDsr:
    case Method::kDppCosine:
      greedy_map(kernel, relevance, by_relevance, options.k, &selection);
      fill(by_relevance, options.k, &selection);
      break;
  }
  if (options.explain) selection.overlaps = find_overlaps(kernel, selection.order);
  selection.ranked = selection.order;
  selection.ranked.insert(selection.ranked.end(), selection.filled.begin(), selection.filled.end());
  std::sort(selection.ranked.begin(), selection.ranked.end(), more_relevant);
  return selection;
}

}  // namespace skillspan
