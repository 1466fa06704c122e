#include "index.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace skillspan {
namespace {

// The same rows once more, with nothing copied.
Segment share(const View& view) {
  const Matrix& matrix = view.segment().matrix;
  Segment shared;
  shared.lender = view.pointer();
  shared.ids = Array<uint32_t>::lent(view.segment().ids.data(), view.segment().rows());
  shared.matrix = Matrix::assembled(
      matrix.dim(), Array<float>::lent(matrix.values().data(), matrix.values().size()),
      Array<double>::lent(matrix.norms(), matrix.rows()));
  return shared;
}

}  // namespace

Index::Index(Segment segment, Exactness exactness) : Index(segment.matrix.dim(), exactness) {
  if (segment.rows() > 0) publish({View(std::make_shared<const Segment>(std::move(segment)))});
}

Status VectorKind::arrange(const Change& change, Added* out) const {
  const std::vector<uint32_t>& ids = change.ids;
  std::vector<uint32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return ids[a] < ids[b]; });
  std::vector<uint32_t> kept;
  for (size_t i = 0; i < order.size(); ++i)
    if (i + 1 == order.size() || ids[order[i]] != ids[order[i + 1]]) kept.push_back(order[i]);

  const size_t n = kept.size(), stride = padded(dim);
  out->ids = Array<uint32_t>::uninitialised(n);
  auto values = Array<float>::uninitialised(n * stride);
  auto norms = Array<double>::uninitialised(n);
  if (out->ids.size() != n || values.size() != n * stride || norms.size() != n)
    return {Code::kOutOfMemory};
  for (size_t i = 0; i < n; ++i) {
    out->ids.writable()[i] = ids[kept[i]];
    norms.writable()[i] = change.rows.norm(kept[i]);
    std::memcpy(values.writable() + i * stride, change.rows.row(kept[i]), stride * sizeof(float));
  }
  out->matrix = Matrix::assembled(dim, std::move(values), std::move(norms));
  return {};
}

void VectorKind::append(Added added, std::vector<View>* views) const {
  if (added.rows() > 0) views->emplace_back(std::make_shared<const Segment>(std::move(added)));
}

std::shared_ptr<const Segment> VectorKind::write_anew(const Snapshot&, const View* first,
                                                      const View* last) const {
  auto fresh = std::make_shared<Segment>();
  Status status;
  if (last - first > 1 || first->dead()) {
    status = merge(first, last, fresh.get());
  } else {
    *fresh = share(*first);  // all that is missing are the codes
  }
  if (status.ok()) status = fresh->encode(exactness, nullptr);
  return status.ok() ? fresh : nullptr;
}

}  // namespace skillspan
