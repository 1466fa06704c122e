// Vectors to search and queries to search them with.
#pragma once

#include <string>

#include "core/matrix.h"

namespace skillspan::bench {

struct Set {
  Matrix vectors;
  Matrix queries;
};

// kind: "clustered" as a registry is, a few near-duplicates around each of many centres, with
// queries among them; or "iid", without any structure, which is the hard case.
Set synthetic(const std::string& kind, size_t n, size_t dim, size_t n_queries);

// Of files of float32 numbers.
Set from_files(const std::string& vectors, const std::string& queries, size_t dim);

}  // namespace skillspan::bench
