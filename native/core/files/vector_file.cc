#include "vector_file.h"

#include <algorithm>
#include <cmath>

#include "section_file.h"

namespace skillspan {
namespace {

constexpr char kKind[] = "vectors";
constexpr size_t kMaxDim = 65536;

// The whole snapshot as one segment: the one it has, or a new one.
Status gather(const Snapshot& snapshot, Pool* pool, std::shared_ptr<const Segment>* out) {
  const std::vector<View>& views = snapshot.views();
  if (views.size() == 1 && !views[0].dead() && !views[0].segment().lacks_codes()) {
    *out = views[0].pointer();
    return {};
  }
  auto merged = std::make_shared<Segment>();
  if (!views.empty()) {
    Status status = merge(views.data(), views.data() + views.size(), merged.get());
    if (status.ok()) status = merged->encode(snapshot.exactness(), pool);
    if (!status.ok()) return status;
  }
  *out = std::move(merged);
  return {};
}

}  // namespace

Status save_vectors(const Snapshot& snapshot, const std::string& encoder, const std::string& path,
                    Pool* pool) {
  std::shared_ptr<const Segment> segment;
  if (const Status status = gather(snapshot, pool, &segment); !status.ok()) return status;
  const uint64_t shape[] = {segment->rows(), snapshot.dim(), uint64_t(snapshot.exactness())};
  const float surviving = segment->levels->surviving();
  std::vector<Section> sections{
      {"shape", shape, 3},
      {"encoder", encoder.data(), encoder.size()},
      {"levels", &surviving, 1},
      section("ids", segment->ids),
      {"norms", segment->matrix.norms(), segment->rows()},
      section("rows", segment->matrix.values()),
  };
  if (!segment->codes.empty())
    Quantized::each_array(segment->codes, segment->rows(), snapshot.dim(),
                          segment->codes.dithered(),
                          [&](const char* name, const auto& array, size_t) {
                            sections.push_back(section(name, array));
                          });
  return write_sections(path, kKind, sections);
}

Status open_vectors(const std::string& path, bool check_rows, VectorFile* out) {
  SectionFile file;
  if (const Status opened = SectionFile::open(path, kKind, &file); !opened.ok()) return opened;
  Status status;
  const auto keep = [&](const Status& next) {
    if (status.ok()) status = next;
    return status.ok();
  };

  Array<uint64_t> shape;
  Array<char> encoder;
  Array<float> surviving, values;
  Array<double> norms;
  if (!keep(file.read("shape", 3, &shape))) return status;
  if (shape[0] > UINT32_MAX || shape[1] < 1 || shape[1] > kMaxDim)
    return {Code::kCorrupt, 0, "at most 4294967295 vectors of 1 to 65536 numbers"};
  if (shape[2] > uint64_t(Exactness::kProbable))
    return {Code::kCorrupt, 0, "answers that are certain or probable"};
  const size_t n = shape[0], dim = shape[1];
  VectorFile found;
  Segment& segment = found.segment;
  found.dim = dim;
  found.exactness = Exactness(shape[2]);
  if (!keep(file.read_all("encoder", &encoder)) || !keep(file.read("levels", 1, &surviving)) ||
      !keep(file.read("ids", n, &segment.ids)) || !keep(file.read("norms", n, &norms)) ||
      !keep(file.read("rows", n * padded(dim), &values, check_rows)))
    return status;
  // Everything that rows are found by relies on these two.
  if (std::adjacent_find(segment.ids.begin(), segment.ids.end(),
                         [](uint32_t a, uint32_t b) { return a >= b; }) != segment.ids.end())
    return {Code::kCorrupt, 0, "ids in ascending order"};
  if (!std::all_of(norms.begin(), norms.end(), [](double x) { return x > 0 && std::isfinite(x); }))
    return {Code::kCorrupt, 0, "norms above 0"};

  segment.matrix = Matrix::assembled(dim, std::move(values), std::move(norms));
  if (segment.lacks_codes())
    segment.codes = Quantized::of_arrays(
        n, dim, found.exactness == Exactness::kProbable,
        [&](const char* name, auto& array, size_t size) { keep(file.read(name, size, &array)); });
  if (!status.ok()) return status;
  segment.levels->start_from(surviving[0]);
  segment.lender = file.file();
  found.encoder.assign(encoder.begin(), encoder.end());
  *out = std::move(found);
  return {};
}

}  // namespace skillspan
