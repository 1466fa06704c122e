// What every index has in common, whatever is in it: rows under ids that come and go while they are
// searched. Readers take a snapshot and keep it; changes make the next one and swap it in whole.
//
// A change becomes a small segment of its own and is visible at once: nothing that is there already
// is copied. What that leaves behind is tidied up later, on another thread, while searches and
// changes go on: small segments are merged as in a log-structured tree (the newest with the next
// older one while that is no bigger, so there are some log2(n) of them), and those of which a third
// was removed, or that their kind finds outdated, are written anew.
//
// A Kind says what the rows are. It has
//   Change, with `removed`: ids to take away before the rows of the change are added;
//   Added, those rows, by ascending id, of equal ids the last;
//   Segment, an immutable run of rows; View, a SegmentView of it or a class derived from that;
//   Snapshot, with views(), oldest first, no id live in two of them;
//   kMaxRows: how many rows a segment may have;
//   arrange(change, &added), which answers kOk or why not, and ids_of(added);
//   append(added, &views), which puts the rows behind the views;
//   snapshot(views);
//   is_outdated(snapshot, view): whether a segment is worth writing anew for another reason;
//   write_anew(snapshot, first, last): one segment of the live rows of some of its views, which is
//     not outdated; null where memory is short.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "change_line.h"
#include "segment_view.h"
#include "status.h"

namespace skillspan {

template <typename Kind>
class SegmentedIndex {
 public:
  using Change = typename Kind::Change;
  using Snapshot = typename Kind::Snapshot;
  using Staged = typename ChangeLine<Change>::Staged;

  // The state as of the last change applied.
  std::shared_ptr<const Snapshot> snapshot() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return snapshot_;
  }

  // Puts a change in line, and applies all up to it. Answers kOk, kOutOfMemory, or what is wrong
  // with the change; where it is not kOk, nothing of it was done.
  std::shared_ptr<Staged> stage(Change change) { return line_.stage(std::move(change)); }
  Status apply(const std::shared_ptr<Staged>& staged) {
    return line_.apply(staged, [this](Change& change) { return apply_change(change); });
  }

  // Whether there is something to tidy up, and nobody at it. The caller must then call tidy().
  bool claim_tidying() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (tidying_ || plan(*snapshot_).last == 0) return false;
    tidying_ = true;
    return true;
  }

  // Tidies up until nothing is left to, on this thread alone: searches need the others. Gives up
  // where memory is short: answers stay right.
  void tidy();

 protected:
  using View = typename Kind::View;

  explicit SegmentedIndex(Kind kind)
      : kind_(std::move(kind)), snapshot_(std::make_shared<const Snapshot>(kind_.snapshot({}))) {}

  void publish(std::vector<View> views);

 private:
  using SegmentPointer = std::shared_ptr<const typename Kind::Segment>;

  // Segments up to this size are merged on the spot: that takes less than handing it on.
  static constexpr size_t kSmallRows = 256;

  // A stretch of views to be written as one; empty if last <= first.
  struct Plan {
    size_t first = 0;
    size_t last = 0;
  };
  Plan plan(const Snapshot& snapshot) const;

  Status apply_change(Change& change);
  bool merge_small(std::vector<View>* views) const;
  void replace(const std::vector<View>& old, SegmentPointer fresh);

  static bool contains(const std::vector<View>& views, const View& wanted) {
    return std::any_of(views.begin(), views.end(),
                       [&](const View& view) { return view.pointer() == wanted.pointer(); });
  }
  template <typename Ids>
  static void remove_ids(const Ids& ids, std::vector<View>* views);
  static size_t newest_to_merge(const std::vector<View>& views);

  const Kind kind_;
  ChangeLine<Change> line_;
  std::vector<View> at_work_;  // what tidy() reads now; guarded as changes are
  mutable std::mutex mutex_;   // guards the two below, never for long
  std::shared_ptr<const Snapshot> snapshot_;
  bool tidying_ = false;
};

// The views less the rows with these ids.
template <typename Kind>
template <typename Ids>
void SegmentedIndex<Kind>::remove_ids(const Ids& ids, std::vector<View>* views) {
  for (View& view : *views) {
    std::vector<uint32_t> rows;
    for (const uint32_t id : ids)
      if (const uint32_t row = view.row_of(id); row != kAbsentRow) rows.push_back(row);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (!rows.empty()) view = view.without(rows);
  }
  views->erase(std::remove_if(views->begin(), views->end(),
                              [](const View& view) { return view.live() == 0; }),
               views->end());
}

// How many of the newest views, up to this one, to merge: each next older one that is no bigger
// than they together.
template <typename Kind>
size_t SegmentedIndex<Kind>::newest_to_merge(const std::vector<View>& views) {
  if (views.empty()) return 0;
  size_t count = 1;
  size_t live = views.back().live();
  for (; count < views.size(); ++count) {
    const size_t older = views[views.size() - 1 - count].live();
    if (older > live || older + live > Kind::kMaxRows) break;
    live += older;
  }
  return count;
}

template <typename Kind>
Status SegmentedIndex<Kind>::apply_change(Change& change) {
  typename Kind::Added added;
  if (const Status status = kind_.arrange(change, &added); !status.ok()) return status;
  std::vector<View> views = snapshot()->views();
  remove_ids(change.removed, &views);
  remove_ids(kind_.ids_of(added), &views);
  kind_.append(std::move(added), &views);
  if (!merge_small(&views)) return {Code::kOutOfMemory};
  publish(std::move(views));
  return {};
}

// Answers whether memory was enough.
template <typename Kind>
bool SegmentedIndex<Kind>::merge_small(std::vector<View>* views) const {
  size_t count = newest_to_merge(*views), live = 0;
  for (size_t i = views->size() - count; i < views->size(); ++i) live += (*views)[i].live();
  while (count > 1 && (live > kSmallRows || contains(at_work_, (*views)[views->size() - count])))
    live -= (*views)[views->size() - count--].live();
  if (count <= 1) return true;
  const View* const end = views->data() + views->size();
  SegmentPointer merged = kind_.write_anew(kind_.snapshot(*views), end - count, end);
  if (!merged) return false;
  views->erase(views->end() - ptrdiff_t(count), views->end());
  views->emplace_back(std::move(merged));
  return true;
}

template <typename Kind>
void SegmentedIndex<Kind>::publish(std::vector<View> views) {
  auto next = std::make_shared<const Snapshot>(kind_.snapshot(std::move(views)));
  std::lock_guard<std::mutex> lock(mutex_);
  snapshot_ = std::move(next);
}

template <typename Kind>
typename SegmentedIndex<Kind>::Plan SegmentedIndex<Kind>::plan(const Snapshot& snapshot) const {
  const std::vector<View>& views = snapshot.views();
  for (size_t i = 0; i < views.size(); ++i)
    if (3 * views[i].live() < 2 * views[i].segment().rows()) return {i, i + 1};
  if (const size_t count = newest_to_merge(views); count > 1)
    return {views.size() - count, views.size()};
  for (size_t i = 0; i < views.size(); ++i)
    if (kind_.is_outdated(snapshot, views[i])) return {i, i + 1};
  return {};
}

template <typename Kind>
void SegmentedIndex<Kind>::tidy() {
  for (;;) {
    std::shared_ptr<const Snapshot> present;
    std::vector<View> old = line_.between_changes([&] {
      std::lock_guard<std::mutex> lock(mutex_);
      present = snapshot_;
      const Plan next = plan(*present);
      const auto views = present->views().begin();
      at_work_.assign(views + ptrdiff_t(next.first), views + ptrdiff_t(next.last));
      if (at_work_.empty()) tidying_ = false;
      return at_work_;
    });
    if (old.empty()) return;
    try {
      SegmentPointer fresh = kind_.write_anew(*present, old.data(), old.data() + old.size());
      if (fresh) {
        replace(old, std::move(fresh));
        continue;
      }
    } catch (const std::bad_alloc&) {
    }
    line_.between_changes([this] {
      std::lock_guard<std::mutex> lock(mutex_);
      at_work_.clear();
      tidying_ = false;
    });
    return;
  }
}

// The old views were read some time ago: what has been removed from them since is removed now.
template <typename Kind>
void SegmentedIndex<Kind>::replace(const std::vector<View>& old, SegmentPointer fresh) {
  line_.between_changes([&] {
    const std::vector<View> present = snapshot()->views();
    std::vector<View> views;
    std::vector<uint32_t> removed;
    std::vector<const View*> still(old.size(), nullptr);
    for (const View& view : present)
      for (size_t i = 0; i < old.size(); ++i)
        if (view.pointer() == old[i].pointer()) still[i] = &view;
    for (size_t i = 0; i < old.size(); ++i) {
      if (still[i] && still[i]->dead() == old[i].dead()) continue;
      for (uint32_t row = 0; row < old[i].segment().rows(); ++row)
        if (old[i].is_live(row) && !(still[i] && still[i]->is_live(row)))
          removed.push_back(old[i].segment().id(row));
    }
    std::vector<View> replaced{View(std::move(fresh))};
    remove_ids(removed, &replaced);
    for (const View& view : present) {
      if (!contains(old, view)) {
        views.push_back(view);
      } else {
        // In the place of the oldest that is still there.
        views.insert(views.end(), replaced.begin(), replaced.end());
        replaced.clear();
      }
    }
    publish(std::move(views));
    at_work_.clear();
  });
}

}  // namespace skillspan
