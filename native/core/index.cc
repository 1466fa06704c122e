#include "index.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace skillspan {
namespace {

// Segments up to this size are merged on the spot: that takes less than handing it on.
constexpr size_t kSmallRows = 256;

// The rows of a change by ascending id, of equal ids the last.
Status arrange(const std::vector<uint32_t>& ids, const Matrix& rows, Segment* out) {
  std::vector<uint32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return ids[a] < ids[b]; });
  std::vector<uint32_t> kept;
  for (size_t i = 0; i < order.size(); ++i)
    if (i + 1 == order.size() || ids[order[i]] != ids[order[i + 1]]) kept.push_back(order[i]);

  const size_t n = kept.size(), stride = rows.stride();
  out->ids = Array<uint32_t>::uninitialised(n);
  auto values = Array<float>::uninitialised(n * stride);
  auto norms = Array<double>::uninitialised(n);
  if (out->ids.size() != n || values.size() != n * stride || norms.size() != n)
    return {Code::kOutOfMemory};
  for (size_t i = 0; i < n; ++i) {
    out->ids.writable()[i] = ids[kept[i]];
    norms.writable()[i] = rows.norm(kept[i]);
    std::memcpy(values.writable() + i * stride, rows.row(kept[i]), stride * sizeof(float));
  }
  out->matrix = Matrix::assembled(rows.dim(), std::move(values), std::move(norms));
  return {};
}

// The views less the rows with these ids.
void remove_ids(const uint32_t* first, const uint32_t* last, std::vector<View>* views) {
  for (View& view : *views) {
    std::vector<uint32_t> rows;
    for (const uint32_t* id = first; id != last; ++id)
      if (const uint32_t row = view.row_of(*id); row != Segment::kAbsent) rows.push_back(row);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (!rows.empty()) view = view.without(rows);
  }
  views->erase(std::remove_if(views->begin(), views->end(),
                              [](const View& view) { return view.live() == 0; }),
               views->end());
}

bool contains(const std::vector<View>& views, const View& wanted) {
  return std::any_of(views.begin(), views.end(),
                     [&](const View& view) { return view.pointer() == wanted.pointer(); });
}

// How many of the newest views, up to this one, to merge: each next older one that is no bigger
// than they together.
size_t newest_to_merge(const std::vector<View>& views) {
  if (views.empty()) return 0;
  size_t count = 1;
  size_t live = views.back().live();
  for (; count < views.size(); ++count) {
    const size_t older = views[views.size() - 1 - count].live();
    if (older > live) break;
    live += older;
  }
  return count;
}

// What tidy() makes of some views: one segment of their live rows, with codes where they pay.
Status write_anew(const std::vector<View>& old, Segment* out) {
  const View& only = old.front();
  if (old.size() > 1 || only.dead()) {
    const Status status = merge(old.data(), old.data() + old.size(), out);
    if (!status.ok()) return status;
  } else {
    // All that is missing are the codes.
    const Segment& segment = only.segment();
    const Matrix& matrix = segment.matrix;
    out->lender = only.pointer();
    out->ids = Array<uint32_t>::lent(segment.ids.data(), segment.ids.size());
    out->matrix = Matrix::assembled(
        matrix.dim(), Array<float>::lent(matrix.values().data(), matrix.values().size()),
        Array<double>::lent(matrix.norms(), matrix.rows()));
  }
  return out->encode(nullptr);
}

}  // namespace

Index::Index(size_t dim)
    : dim_(dim), snapshot_(std::make_shared<const Snapshot>(dim, std::vector<View>())) {}

Index::Index(Segment segment) : Index(segment.matrix.dim()) {
  if (segment.rows() > 0) publish({View(std::make_shared<const Segment>(std::move(segment)))});
}

std::shared_ptr<const Snapshot> Index::snapshot() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return snapshot_;
}

void Index::publish(std::vector<View> views) {
  auto next = std::make_shared<const Snapshot>(dim_, std::move(views));
  std::lock_guard<std::mutex> lock(mutex_);
  snapshot_ = std::move(next);
}

Status Index::apply(const std::shared_ptr<Staged>& staged) {
  return line_.apply(staged, [this](Change& change) { return apply_change(change); });
}

Status Index::apply_change(Change& change) {
  auto added = std::make_shared<Segment>();
  if (const Status status = arrange(change.ids, change.rows, added.get()); !status.ok())
    return status;
  std::vector<View> views = snapshot()->views();
  remove_ids(change.removed.data(), change.removed.data() + change.removed.size(), &views);
  remove_ids(added->ids.begin(), added->ids.end(), &views);
  if (added->rows() > 0) views.emplace_back(std::move(added));

  size_t count = newest_to_merge(views), live = 0;
  for (size_t i = views.size() - count; i < views.size(); ++i) live += views[i].live();
  while (count > 1 && (live > kSmallRows || contains(at_work_, views[views.size() - count])))
    live -= views[views.size() - count--].live();
  if (count > 1) {
    auto merged = std::make_shared<Segment>();
    const View* const end = views.data() + views.size();
    if (const Status status = merge(end - count, end, merged.get()); !status.ok()) return status;
    views.erase(views.end() - ptrdiff_t(count), views.end());
    views.emplace_back(std::move(merged));
  }
  publish(std::move(views));
  return {};
}

Index::Plan Index::plan(const Snapshot& snapshot) {
  const std::vector<View>& views = snapshot.views();
  for (size_t i = 0; i < views.size(); ++i)
    if (3 * views[i].live() < 2 * views[i].segment().rows()) return {i, i + 1};
  if (const size_t count = newest_to_merge(views); count > 1)
    return {views.size() - count, views.size()};
  for (size_t i = 0; i < views.size(); ++i)
    if (views[i].segment().lacks_codes()) return {i, i + 1};
  return {};
}

bool Index::claim_tidying() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (tidying_ || plan(*snapshot_).last == 0) return false;
  tidying_ = true;
  return true;
}

void Index::tidy() {
  for (;;) {
    std::vector<View> old = line_.between_changes([this] {
      std::lock_guard<std::mutex> lock(mutex_);
      const Plan next = plan(*snapshot_);
      const auto views = snapshot_->views().begin();
      at_work_.assign(views + ptrdiff_t(next.first), views + ptrdiff_t(next.last));
      if (at_work_.empty()) tidying_ = false;
      return at_work_;
    });
    if (old.empty()) return;
    try {
      auto fresh = std::make_shared<Segment>();
      if (write_anew(old, fresh.get()).ok()) {
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
void Index::replace(const std::vector<View>& old, std::shared_ptr<const Segment> fresh) {
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
      const Segment& segment = old[i].segment();
      for (uint32_t row = 0; row < segment.rows(); ++row)
        if (old[i].is_live(row) && !(still[i] && still[i]->is_live(row)))
          removed.push_back(segment.ids[row]);
    }
    std::vector<View> replaced{View(std::move(fresh))};
    remove_ids(removed.data(), removed.data() + removed.size(), &replaced);
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
