// A corpus that changes while it is searched (segmented_index.h): numbers of documents, frequencies
// and the average length are those of the documents present, whatever waits to be tidied up.
#pragma once

#include <memory>
#include <vector>

#include "../segmented_index.h"
#include "documents.h"
#include "snapshot.h"

namespace skillspan::lexical {

struct DocumentKind {
  // Documents to add, those with an id that is present replacing it, and ids to remove. The
  // removals come first.
  struct Change {
    Rows added;
    std::vector<uint32_t> removed;  // ids that are not there do no harm
  };
  using Added = Documents;
  using Segment = lexical::Segment;
  using View = lexical::View;
  using Snapshot = lexical::Snapshot;
  static constexpr size_t kMaxRows = Segment::kMaxDocuments;

  // Answers kInvalidFrequency or kOk.
  Status arrange(const Change& change, Added* out) const {
    return Documents::from_rows(change.added, out);
  }
  const Array<uint32_t>& ids_of(const Added& added) const { return added.ids(); }
  void append(Added added, std::vector<View>* views) const;
  Snapshot snapshot(std::vector<View> views) const { return Snapshot(scoring, std::move(views)); }
  // Whether its impacts were computed under an average length too far from the present one.
  bool is_outdated(const Snapshot& snapshot, const View& view) const;
  std::shared_ptr<const Segment> write_anew(const Snapshot& snapshot, const View* first,
                                            const View* last) const;

  Scoring scoring;
};

class Index : public SegmentedIndex<DocumentKind> {
 public:
  // Empty.
  explicit Index(const Scoring& scoring) : SegmentedIndex(DocumentKind{scoring}) {}
  // Of views that a file was opened as.
  Index(const Scoring& scoring, std::vector<View> views) : Index(scoring) {
    publish(std::move(views));
  }
};

}  // namespace skillspan::lexical
