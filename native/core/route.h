// One request after another in one call: exact search, calibrated quality, selection.
#pragma once

#include <vector>

#include "search.h"
#include "select.h"

namespace skillspan {

struct RouteOptions {
  size_t candidates = 50;                  // M, the size of the pool
  std::shared_ptr<const Allowed> allowed;  // as in SearchOptions
  double sharpness = 20;                   // turns similarities into qualities, see relevance_of
  SelectOptions select;                    // k <= M
};

struct Routed {
  std::vector<Scored> candidates;  // by similarity, ties to the lower id
  Selection selection;             // indices into candidates
};

// Needs what search() needs. One Routed for each query; where fewer than k may be found, all of
// them. Requests are spread over the threads once the search is done.
Status route(const Snapshot& snapshot, const Matrix& queries, const RouteOptions& options,
             const Execution& execution, std::vector<Routed>* routed);

// Selection from a pool that something else put together.
struct PoolQuery {
  Matrix query;  // one row
  std::vector<uint32_t> ids;
  std::vector<double> relevance;  // of each, see candidates.h
  std::vector<float> facets;      // ids.size() x n_facets, or empty
  size_t n_facets = 0;
  double facet_weight = 0;
};

// Needs 1 <= k <= ids.size(). False where an id is not there.
bool select_from(const Snapshot& snapshot, const PoolQuery& pool, const SelectOptions& options,
                 Selection* selection);

}  // namespace skillspan
