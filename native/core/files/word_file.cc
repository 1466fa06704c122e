#include "word_file.h"

#include <utility>

#include "../lexical/merging.h"
#include "../lexical/segment_check.h"
#include "section_file.h"

namespace skillspan::lexical {
namespace {

constexpr char kKind[] = "words";

using SegmentPointer = std::shared_ptr<const Segment>;

struct ScoringRecord {
  uint64_t model;
  double k1;
  double b;
};

struct SegmentRecord {
  Segment::Shape shape;
  double average_length;
};

Status corrupt(const char* expected) { return {Code::kCorrupt, 0, expected}; }

Status read_scoring(const SectionFile& file, Scoring* out) {
  Array<ScoringRecord> record;
  if (const Status status = file.read("scoring", 1, &record); !status.ok()) return status;
  const auto [model, k1, b] = record[0];
  if (model > 1 || !Scoring::takes(k1, b)) return corrupt("a model, k1 and b");
  *out = Scoring(model == 0 ? Model::kBm25 : Model::kTfIdf, k1, b);
  return {};
}

Status read_vocabulary(const SectionFile& file, Vocabulary* out) {
  Array<char> text;
  Array<uint32_t> lengths;
  Status status = file.read_all("text", &text);
  if (status.ok()) status = file.read_all("termlens", &lengths);
  if (!status.ok()) return status;
  out->text.assign(text.begin(), text.end());
  out->lengths.assign(lengths.begin(), lengths.end());
  return is_well_formed(*out) ? Status{} : corrupt("terms in UTF-8");
}

Status read_segment(const SectionFile& file, uint32_t part, size_t n_terms, SegmentCheck* check,
                    SegmentPointer* out) {
  Array<SegmentRecord> record;
  Status status = file.read("segment", 1, &record, true, part);
  if (!status.ok()) return status;
  const Segment::Shape& shape = record[0].shape;
  if (shape.documents < 1 || shape.documents > Segment::kMaxDocuments || shape.lists > n_terms)
    return corrupt("segments of 1 to 65536 documents over the vocabulary");
  auto segment = std::make_shared<const Segment>(
      shape, record[0].average_length, file.file(), [&](const char* name, auto& array, size_t n) {
        if (status.ok()) status = file.read(name, n, &array, true, part);
      });
  if (!status.ok()) return status;
  if (const char* const flaw = check->flaw(*segment)) return corrupt(flaw);
  *out = std::move(segment);
  return {};
}

}  // namespace

Status save_words(const Snapshot& snapshot, const Vocabulary& vocabulary, const std::string& path) {
  const Scoring& scoring = snapshot.scoring();
  std::vector<SegmentPointer> segments;
  std::vector<SegmentRecord> records;
  for (const View& view : snapshot.views()) {
    segments.push_back(view.dead() ? merge(&view, &view + 1, scoring, snapshot.average_length())
                                   : view.pointer());
    records.push_back({segments.back()->shape(), segments.back()->average_length()});
  }
  const ScoringRecord record{scoring.model() == Model::kBm25 ? 0u : 1u, scoring.k1(), scoring.b()};
  const uint32_t n_segments = uint32_t(segments.size());
  std::vector<Section> sections{
      {"scoring", &record, 1},
      {"text", vocabulary.text.data(), vocabulary.text.size()},
      {"termlens", vocabulary.lengths.data(), vocabulary.lengths.size()},
      {"segments", &n_segments, 1},
  };
  for (uint32_t part = 0; part < n_segments; ++part) {
    sections.emplace_back("segment", &records[part], 1, part);
    Segment::each_array(*segments[part], records[part].shape,
                        [&](const char* name, const auto& array, size_t) {
                          sections.push_back(section(name, array, part));
                        });
  }
  return write_sections(path, kKind, sections);
}

Status open_words(const std::string& path, WordFile* out) {
  SectionFile file;
  Status status = SectionFile::open(path, kKind, &file);
  if (status.ok()) status = read_scoring(file, &out->scoring);
  if (status.ok()) status = read_vocabulary(file, &out->vocabulary);
  Array<uint32_t> n_segments;
  if (status.ok()) status = file.read("segments", 1, &n_segments);
  if (!status.ok()) return status;

  const size_t n_terms = out->vocabulary.lengths.size();
  SegmentCheck check(n_terms);
  std::vector<SegmentPointer> segments;
  for (uint32_t part = 0; part < n_segments[0]; ++part) {
    SegmentPointer segment;
    status = read_segment(file, part, n_terms, &check, &segment);
    if (!status.ok()) return status;
    segments.push_back(std::move(segment));
  }
  if (!have_distinct_ids(segments)) return corrupt("no document twice");
  for (SegmentPointer& segment : segments) out->views.emplace_back(std::move(segment));
  return {};
}

}  // namespace skillspan::lexical
