// Splits rows in two where a dendrogram has no good split to offer.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "../matrix.h"

namespace skillspan {

// Two parts of at least 2 rows, by spherical 2-means that starts from the row farthest from their
// mean and the row farthest from that. Where one part would have fewer than min_size rows, they are
// split in the middle of the order in which they lean to either. Both parts ascend, if rows do.
std::pair<std::vector<uint32_t>, std::vector<uint32_t>> bisect(const Matrix& matrix,
                                                               const std::vector<uint32_t>& rows,
                                                               size_t min_size);

}  // namespace skillspan
