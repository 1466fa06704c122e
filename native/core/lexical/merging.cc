#include "merging.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace skillspan::lexical {

std::shared_ptr<const Segment> merge(const View* first, const View* last, const Scoring& scoring,
                                     double average_length) {
  struct Source {
    uint32_t id;
    const Documents* documents;
    uint32_t row;
  };
  std::vector<Source> sources;
  size_t postings = 0;
  for (const View* view = first; view != last; ++view) {
    const Documents& documents = view->segment().documents();
    for (uint32_t row = 0; row < documents.size(); ++row) {
      if (!view->is_live(row)) continue;
      sources.push_back({documents.id(row), &documents, row});
      postings += documents.row_size(row);
    }
  }
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.id < b.id; });
  DocumentsBuilder documents(sources.size(), postings);
  for (const Source& source : sources) documents.append(*source.documents, source.row);
  return std::make_shared<const Segment>(documents.finish(), scoring, average_length);
}

}  // namespace skillspan::lexical
