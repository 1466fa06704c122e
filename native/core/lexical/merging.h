// Which segments to write anew, and how.
#pragma once

#include <vector>

#include "scoring.h"
#include "snapshot.h"

namespace skillspan::lexical {

// Adds documents as one or more segments of their own, the newest.
void add_segments(const Documents& documents, const Scoring& scoring, double average_length,
                  std::vector<View>* views);

// Tidies up after a change. views: oldest first. Segments without a live document are dropped; the
// newest is merged with the older ones next to it that are no bigger; segments of which a third is
// dead, or whose impacts were computed under an average length too far from the present one, are
// written anew. What is found never depends on any of this, only how fast.
void tidy(const Scoring& scoring, double average_length, std::vector<View>* views);

}  // namespace skillspan::lexical
