// Segments made of others.
#pragma once

#include "scoring.h"
#include "snapshot.h"

namespace skillspan::lexical {

// The live documents of some views as one segment. No two of them have the same id; there are at
// most Segment::kMaxDocuments. average_length: of the whole corpus, as it is now.
std::shared_ptr<const Segment> merge(const View* first, const View* last, const Scoring& scoring,
                                     double average_length);

}  // namespace skillspan::lexical
