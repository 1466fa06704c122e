#include "documents.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace skillspan::lexical {
namespace {

Status check(const Rows& rows) {
  for (size_t i = 0; i < rows.ids.size(); ++i)
    for (size_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at)
      if (!(rows.frequencies[at] > 0) || !std::isfinite(rows.frequencies[at]))
        return {Code::kInvalidFrequency, i};
  return {};
}

// Rows by ascending id; of those with one id the last, which counts, comes first.
std::vector<uint32_t> ascending(const std::vector<uint32_t>& ids) {
  std::vector<uint32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return ids[a] != ids[b] ? ids[a] < ids[b] : a > b; });
  return order;
}

}  // namespace

Status Documents::from_rows(const Rows& rows, Documents* out) {
  if (const Status status = check(rows); !status.ok()) return status;
  DocumentsBuilder documents(rows.ids.size(), rows.terms.size());
  std::vector<std::pair<uint32_t, float>> row;
  for (const uint32_t i : ascending(rows.ids)) {
    if (documents.ends_with(rows.ids[i])) continue;
    row.clear();
    for (size_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at)
      row.emplace_back(rows.terms[at], rows.frequencies[at]);
    std::sort(row.begin(), row.end());
    documents.append(rows.ids[i], row);
  }
  *out = documents.finish();
  return {};
}

DocumentsBuilder::DocumentsBuilder(size_t rows, size_t postings) {
  ids_.reserve(rows);
  offsets_.reserve(rows + 1);
  terms_.reserve(postings);
  frequencies_.reserve(postings);
}

void DocumentsBuilder::append(const Documents& from, size_t row) {
  ids_.push_back(from.id(row));
  const size_t n = from.row_size(row);
  terms_.insert(terms_.end(), from.terms(row), from.terms(row) + n);
  frequencies_.insert(frequencies_.end(), from.frequencies(row), from.frequencies(row) + n);
  offsets_.push_back(terms_.size());
}

void DocumentsBuilder::append(uint32_t id, const std::vector<std::pair<uint32_t, float>>& row) {
  ids_.push_back(id);
  const size_t begin = terms_.size();
  for (const auto& [term, frequency] : row) {
    if (terms_.size() > begin && terms_.back() == term) {
      frequencies_.back() += frequency;
    } else {
      terms_.push_back(term);
      frequencies_.push_back(frequency);
    }
  }
  offsets_.push_back(terms_.size());
}

Documents DocumentsBuilder::finish() {
  Documents documents;
  documents.ids_ = Array<uint32_t>::of(std::move(ids_));
  documents.offsets_ = Array<uint64_t>::of(std::move(offsets_));
  documents.terms_ = Array<uint32_t>::of(std::move(terms_));
  documents.frequencies_ = Array<float>::of(std::move(frequencies_));
  return documents;
}

}  // namespace skillspan::lexical
