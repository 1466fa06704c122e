#include "snapshot.h"

#include <algorithm>
#include <cstring>

namespace skillspan {

Snapshot::Snapshot(size_t dim, std::vector<View> views, Exactness exactness)
    : dim_(dim), views_(std::move(views)), exactness_(exactness) {
  for (const View& view : views_) size_ += view.live();
}

size_t Snapshot::bytes() const {
  size_t sum = 0;
  for (const View& view : views_) sum += view.segment().bytes();
  return sum;
}

Snapshot::Place Snapshot::locate(uint32_t id) const {
  for (const View& view : views_)
    if (const uint32_t row = view.row_of(id); row != Segment::kAbsent)
      return {&view.segment(), row};
  return {};
}

Status merge(const View* first, const View* last, Segment* out) {
  struct Source {
    uint32_t id;
    uint32_t row;
    const Segment* segment;
  };
  std::vector<Source> sources;
  for (const View* view = first; view != last; ++view)
    for (uint32_t row = 0; row < view->segment().rows(); ++row)
      if (view->is_live(row)) sources.push_back({view->segment().ids[row], row, &view->segment()});
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.id < b.id; });

  const size_t n = sources.size(), dim = first->segment().matrix.dim(), stride = padded(dim);
  auto ids = Array<uint32_t>::uninitialised(n);
  auto values = Array<float>::uninitialised(n * stride);
  auto norms = Array<double>::uninitialised(n);
  if (ids.size() != n || values.size() != n * stride || norms.size() != n)
    return {Code::kOutOfMemory};
  for (size_t i = 0; i < n; ++i) {
    const Source& source = sources[i];
    const Matrix& matrix = source.segment->matrix;
    ids.writable()[i] = source.id;
    norms.writable()[i] = matrix.norm(source.row);
    std::memcpy(values.writable() + i * stride, matrix.row(source.row), stride * sizeof(float));
  }
  out->ids = std::move(ids);
  out->matrix = Matrix::assembled(dim, std::move(values), std::move(norms));
  return {};
}

}  // namespace skillspan
