// Groups of rows that average linkage below a distance cannot join to one another.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "../execution.h"
#include "../matrix.h"

namespace skillspan {

// The connected components, within each bucket, of the graph that joins rows closer than
// `distance`: 1 - cosine. A mean distance below it needs at least one pair below it, so clusters of
// average linkage that are cut there never reach beyond a component, and components can be
// clustered one by one, exactly, without the distances between them. Components and their rows
// ascend. on_step(share) is called on any thread. Answers kCancelled or kOk.
Status close_components(const Matrix& matrix, const std::vector<std::vector<uint32_t>>& buckets,
                        double distance, const Execution& execution,
                        const std::function<void(double)>& on_step,
                        std::vector<std::vector<uint32_t>>* components);

}  // namespace skillspan
