// Vectors under ids that come and go while they are searched. Large segments get their codes while
// the index is tidied up (segmented_index.h).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "segmented_index.h"
#include "snapshot.h"

namespace skillspan {

struct VectorKind {
  // Vectors to add, those with an id that is present replacing it, and ids to remove. The removals
  // come first. Of equal ids the last counts.
  struct Change {
    std::vector<uint32_t> ids;  // of the rows
    Matrix rows;
    std::vector<uint32_t> removed;  // ids that are not there do no harm
  };
  using Added = skillspan::Segment;
  using Segment = skillspan::Segment;
  using View = skillspan::View;
  using Snapshot = skillspan::Snapshot;
  static constexpr size_t kMaxRows = UINT32_MAX;

  Status arrange(const Change& change, Added* out) const;
  const Array<uint32_t>& ids_of(const Added& added) const { return added.ids; }
  void append(Added added, std::vector<View>* views) const;
  Snapshot snapshot(std::vector<View> views) const {
    return Snapshot(dim, std::move(views), exactness);
  }
  bool is_outdated(const Snapshot&, const View& view) const { return view.segment().lacks_codes(); }
  std::shared_ptr<const Segment> write_anew(const Snapshot&, const View* first,
                                            const View* last) const;

  size_t dim;
  Exactness exactness;
};

class Index : public SegmentedIndex<VectorKind> {
 public:
  // Empty.
  Index(size_t dim, Exactness exactness) : SegmentedIndex(VectorKind{dim, exactness}) {}
  // Of one segment.
  Index(Segment segment, Exactness exactness);
  // Of views that another index holds, whose rows are shared.
  Index(size_t dim, Exactness exactness, std::vector<View> views) : Index(dim, exactness) {
    publish(std::move(views));
  }
};

}  // namespace skillspan
