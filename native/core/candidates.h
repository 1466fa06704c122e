// The candidate pool of one request, as the selection methods see it.
#pragma once

#include <cstddef>

namespace skillspan {

struct Candidates {
  const float* const* rows;  // size pointers to stride floats each, zero-padded
  const double* norms;       // the norm of each row; near 1, but float32 rounding leaves it off
  const double* cosines;     // a_i: the cosine of each row with the query
  size_t size;               // M
  size_t stride;
  // log q_i of each candidate; -infinity for a quality of 0. MMR and plain top-k read it as the
  // relevance itself, which need not be a logarithm.
  const double* relevance;
  // Which facets of the request each candidate serves (u_i): size x n_facets, rows of norm 1, and
  // their weight in the kernel, in [0, 1]. Null where nothing is known of facets.
  const float* facets = nullptr;
  size_t n_facets = 0;
  double facet_weight = 0;
};

}  // namespace skillspan
