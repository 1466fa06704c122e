// One request after another in one call: exact search, calibrated quality, selection.
#pragma once

#include <vector>

#include "search.h"
#include "select.h"

namespace skillspan {

struct RouteOptions {
  size_t pool_size = 50;  // M: k <= M <= index.rows()
  double sharpness = 20;  // turns similarities into qualities, see relevance_of
  SelectOptions select;
};

struct Routed {
  std::vector<Scored> candidates;  // by similarity, ties to the lower row
  Selection selection;             // indices into candidates
};

// Needs what search() needs. One Routed for each query. Requests are spread over the threads once
// the search is done.
Status route(const Index& index, const Matrix& queries, const RouteOptions& options,
             const Execution& execution, std::vector<Routed>* routed);

}  // namespace skillspan
