// The state of an index between two changes. Nothing in it is ever written again, so any number of
// searches may read it while the next one is made.
#pragma once

#include <vector>

#include "segment.h"

namespace skillspan {

class Snapshot {
 public:
  // views: oldest first; no id is live in two of them.
  // exactness: how sure codes made of these vectors need to be.
  Snapshot(size_t dim, std::vector<View> views, Exactness exactness = Exactness::kCertain);

  size_t dim() const { return dim_; }
  Exactness exactness() const { return exactness_; }
  const std::vector<View>& views() const { return views_; }
  // How many live vectors there are.
  size_t size() const { return size_; }
  size_t bytes() const;

  // Where a live id is; a null segment where it is not.
  struct Place {
    const Segment* segment = nullptr;
    uint32_t row = 0;
  };
  Place locate(uint32_t id) const;

 private:
  size_t dim_;
  std::vector<View> views_;
  Exactness exactness_;
  size_t size_ = 0;
};

// The live rows of some views as one segment, without codes. No two of them have the same id.
// Answers kOutOfMemory or kOk.
Status merge(const View* first, const View* last, Segment* out);

}  // namespace skillspan
