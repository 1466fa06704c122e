#include "index.h"

#include <algorithm>
#include <utility>

#include "merging.h"

namespace skillspan::lexical {
namespace {

// The views less the documents with these ids.
void remove_ids(const std::vector<uint32_t>& ids, std::vector<View>* views) {
  for (View& view : *views) {
    std::vector<uint32_t> rows;
    for (const uint32_t id : ids)
      if (const uint32_t row = view.row_of(id); row != View::kAbsent) rows.push_back(row);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (!rows.empty()) view = view.without(rows);
  }
}

// The average length once these documents are there too; 1 where it would be 0.
double average_with(const Documents& added, const std::vector<View>& views,
                    const Scoring& scoring) {
  size_t n = added.size();
  double total = 0;
  for (size_t row = 0; row < added.size(); ++row)
    total += scoring.length(added.frequencies(row), added.row_size(row));
  for (const View& view : views) {
    n += view.live();
    total += view.total_length();
  }
  return total > 0 ? total / double(n) : 1;
}

}  // namespace

Index::Index(const Scoring& scoring)
    : scoring_(scoring),
      snapshot_(std::make_shared<const Snapshot>(scoring, std::vector<View>())) {}

std::shared_ptr<const Snapshot> Index::snapshot() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return snapshot_;
}

Status Index::apply(const std::shared_ptr<Staged>& staged) {
  return line_.apply(staged, [this](const Change& change) { return apply_change(change); });
}

Status Index::apply_change(const Change& change) {
  Documents added;
  if (const Status status = Documents::from_rows(change.added, &added); !status.ok()) return status;
  std::vector<View> views = snapshot()->views();
  remove_ids(change.removed, &views);
  remove_ids(added.ids(), &views);
  const double average_length = average_with(added, views, scoring_);
  add_segments(added, scoring_, average_length, &views);
  tidy(scoring_, average_length, &views);
  auto next = std::make_shared<const Snapshot>(scoring_, std::move(views));
  std::lock_guard<std::mutex> lock(mutex_);
  snapshot_ = std::move(next);
  return {};
}

}  // namespace skillspan::lexical
