#include "index.h"

#include <algorithm>
#include <utility>

#include "merging.h"

namespace skillspan::lexical {
namespace {

// Bounds are loose by up to the ratio of the two averages, and are wanted tighter than this.
constexpr double kMaxDrift = 1.25;

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

Documents slice(const Documents& documents, size_t first, size_t last) {
  DocumentsBuilder part(last - first, documents.offsets()[last] - documents.offsets()[first]);
  for (size_t row = first; row < last; ++row) part.append(documents, row);
  return part.finish();
}

}  // namespace

void DocumentKind::append(Added added, std::vector<View>* views) const {
  const double average_length = average_with(added, *views, scoring);
  const auto put = [&](Documents documents) {
    views->emplace_back(
        std::make_shared<const Segment>(std::move(documents), scoring, average_length));
  };
  const size_t n = added.size();
  if (n > 0 && n <= kMaxRows) return put(std::move(added));
  for (size_t first = 0; first < n; first += kMaxRows)
    put(slice(added, first, std::min(first + kMaxRows, n)));
}

bool DocumentKind::is_outdated(const Snapshot& snapshot, const View& view) const {
  const double then = view.segment().average_length(), now = snapshot.average_length();
  return std::max(scoring.growth(then, now), scoring.growth(now, then)) > kMaxDrift;
}

std::shared_ptr<const Segment> DocumentKind::write_anew(const Snapshot& snapshot, const View* first,
                                                        const View* last) const {
  return merge(first, last, scoring, snapshot.average_length());
}

}  // namespace skillspan::lexical
