#include "merging.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace skillspan::lexical {
namespace {

// Bounds are loose by up to the ratio of the two averages, and are wanted tighter than this.
constexpr double kMaxDrift = 1.25;

View fresh(Documents documents, const Scoring& scoring, double average_length) {
  return View(std::make_shared<const Segment>(std::move(documents), scoring, average_length));
}

// The live documents of some views, by ascending id. No two of them have the same.
Documents gather(const View* first, const View* last) {
  struct Source {
    uint32_t id;
    const View* view;
    uint32_t row;
  };
  std::vector<Source> sources;
  size_t postings = 0;
  for (const View* view = first; view != last; ++view) {
    const Documents& documents = view->segment().documents();
    for (uint32_t row = 0; row < documents.size(); ++row) {
      if (!view->is_live(row)) continue;
      sources.push_back({documents.id(row), view, row});
      postings += documents.row_size(row);
    }
  }
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.id < b.id; });
  Documents documents;
  documents.reserve(sources.size(), postings);
  for (const Source& source : sources)
    documents.append(source.view->segment().documents(), source.row);
  return documents;
}

// How many of the newest views to merge: each next older one that is no bigger than they together.
size_t newest_to_merge(const std::vector<View>& views) {
  if (views.empty()) return 0;
  size_t count = 1;
  size_t live = views.back().live();
  for (; count < views.size(); ++count) {
    const size_t older = views[views.size() - 1 - count].live();
    if (older > live || older + live > Segment::kMaxDocuments) break;
    live += older;
  }
  return count;
}

bool is_stale(const View& view, const Scoring& scoring, double average_length) {
  const double then = view.segment().average_length();
  const double drift =
      std::max(scoring.growth(then, average_length), scoring.growth(average_length, then));
  return drift > kMaxDrift || 3 * view.live() < 2 * view.segment().size();
}

}  // namespace

void add_segments(const Documents& documents, const Scoring& scoring, double average_length,
                  std::vector<View>* views) {
  for (size_t first = 0; first < documents.size(); first += Segment::kMaxDocuments) {
    const size_t last = std::min(first + Segment::kMaxDocuments, documents.size());
    views->push_back(fresh(documents.slice(first, last), scoring, average_length));
  }
}

void tidy(const Scoring& scoring, double average_length, std::vector<View>* views) {
  views->erase(std::remove_if(views->begin(), views->end(),
                              [](const View& view) { return view.live() == 0; }),
               views->end());
  if (const size_t count = newest_to_merge(*views); count > 1) {
    const View* const end = views->data() + views->size();
    View merged = fresh(gather(end - count, end), scoring, average_length);
    views->erase(views->end() - ptrdiff_t(count), views->end());
    views->push_back(std::move(merged));
  }
  for (View& view : *views)
    if (is_stale(view, scoring, average_length))
      view = fresh(gather(&view, &view + 1), scoring, average_length);
}

}  // namespace skillspan::lexical
