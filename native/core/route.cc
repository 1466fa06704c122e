#include "route.h"

#include <algorithm>

namespace skillspan {
namespace {

Selection select_for(const Matrix& index, const std::vector<Scored>& hits,
                     const RouteOptions& options) {
  std::vector<const float*> rows(hits.size());
  std::vector<double> norms(hits.size());
  std::vector<double> cosines(hits.size());
  std::vector<double> relevance(hits.size());
  for (size_t i = 0; i < hits.size(); ++i) {
    rows[i] = index.row(hits[i].id);
    norms[i] = index.norm(hits[i].id);
    cosines[i] = hits[i].score;
    relevance[i] =
        relevance_of(options.select.method, hits[i].score, hits[0].score, options.sharpness);
  }
  const Candidates candidates{rows.data(), norms.data(),   cosines.data(),
                              rows.size(), index.stride(), relevance.data()};
  return select(candidates, options.select);
}

}  // namespace

Status route(const Index& index, const Matrix& queries, const RouteOptions& options,
             const Execution& execution, std::vector<Routed>* routed) {
  std::vector<std::vector<Scored>> hits;
  const Status status = search(index, queries, options.pool_size, execution, &hits);
  if (!status.ok()) return status;

  routed->resize(queries.rows());
  std::atomic<size_t> next{0};
  const auto work = [&](size_t) {
    for (size_t q; (q = next.fetch_add(1)) < queries.rows();) {
      if (execution.cancelled()) return;
      Routed& out = (*routed)[q];
      out.candidates = std::move(hits[q]);
      out.selection = select_for(index.matrix, out.candidates, options);
    }
  };
  spread(execution, queries.rows(), work);
  return execution.cancelled() ? Status{Code::kCancelled} : Status{};
}

}  // namespace skillspan
