#include "route.h"

#include <algorithm>

namespace skillspan {
namespace {

Selection select_for(const Snapshot& snapshot, const std::vector<Scored>& hits,
                     const RouteOptions& options) {
  if (hits.empty()) return {};
  std::vector<const float*> rows(hits.size());
  std::vector<double> norms(hits.size());
  std::vector<double> cosines(hits.size());
  std::vector<double> relevance(hits.size());
  for (size_t i = 0; i < hits.size(); ++i) {
    const Snapshot::Place place = snapshot.locate(hits[i].id);
    rows[i] = place.segment->matrix.row(place.row);
    norms[i] = place.segment->matrix.norm(place.row);
    cosines[i] = hits[i].score;
    relevance[i] =
        relevance_of(options.select.method, hits[i].score, hits[0].score, options.sharpness);
  }
  const Candidates candidates{rows.data(), norms.data(),           cosines.data(),
                              rows.size(), padded(snapshot.dim()), relevance.data()};
  SelectOptions select_options = options.select;
  select_options.k = std::min(select_options.k, hits.size());
  return select(candidates, select_options);
}

}  // namespace

Status route(const Snapshot& snapshot, const Matrix& queries, const RouteOptions& options,
             const Execution& execution, std::vector<Routed>* routed) {
  std::vector<std::vector<Scored>> hits;
  const SearchOptions wanted = top_of_each(queries, options.candidates, options.allowed);
  const Status status = search(snapshot, queries, wanted, execution, &hits);
  if (!status.ok()) return status;

  routed->resize(queries.rows());
  std::atomic<size_t> next{0};
  const auto work = [&](size_t) {
    for (size_t q; (q = next.fetch_add(1)) < queries.rows();) {
      if (execution.cancelled()) return;
      Routed& out = (*routed)[q];
      out.candidates = std::move(hits[q]);
      out.selection = select_for(snapshot, out.candidates, options);
    }
  };
  spread(execution, queries.rows(), work);
  return execution.cancelled() ? Status{Code::kCancelled} : Status{};
}

bool select_from(const Snapshot& snapshot, const PoolQuery& pool, const SelectOptions& options,
                 Selection* selection) {
  const size_t m = pool.ids.size();
  std::vector<const float*> rows(m);
  std::vector<double> norms(m), cosines(m);
  for (size_t i = 0; i < m; ++i) {
    const Snapshot::Place place = snapshot.locate(pool.ids[i]);
    if (!place.segment) return false;
    rows[i] = place.segment->matrix.row(place.row);
    norms[i] = place.segment->matrix.norm(place.row);
  }
  active_kernels().dot_gather(rows.data(), m, pool.query.row(0), pool.query.stride(),
                              cosines.data());
  for (size_t i = 0; i < m; ++i) cosines[i] /= norms[i] * pool.query.norm(0);
  Candidates candidates{rows.data(), norms.data(),        cosines.data(),
                        m,           pool.query.stride(), pool.relevance.data()};
  if (pool.n_facets > 0) {
    candidates.facets = pool.facets.data();
    candidates.n_facets = pool.n_facets;
    candidates.facet_weight = pool.facet_weight;
  }
  *selection = select(candidates, options);
  return true;
}

}  // namespace skillspan
