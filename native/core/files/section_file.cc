#include "section_file.h"

#include <algorithm>
#include <cstring>

#include "xxh64.h"

namespace skillspan {
namespace {

constexpr uint32_t kVersion = 2;
constexpr uint32_t kByteOrder = 0x01020304;
constexpr uint64_t kAlignment = 64;
constexpr char kMagic[] = "SKILLSPN";

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t byte_order;
  char kind[16];
  uint64_t file_size;
  uint32_t n_sections;
  uint32_t zero;
  uint64_t zero_too;
  uint64_t checksum;
};
static_assert(sizeof(Header) == 64, "the header is 64 bytes");

#if defined(__BYTE_ORDER__)
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian");
#endif

uint64_t aligned(uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

Status corrupt(const char* expected) { return {Code::kCorrupt, 0, expected}; }

// Of the header up to its checksum, and the table.
template <typename Entry>
uint64_t checksum_of(const Header& header, const std::vector<Entry>& entries) {
  std::vector<uint8_t> bytes(offsetof(Header, checksum) + entries.size() * sizeof(Entry));
  std::memcpy(bytes.data(), &header, offsetof(Header, checksum));
  if (!entries.empty())
    std::memcpy(bytes.data() + offsetof(Header, checksum), entries.data(),
                entries.size() * sizeof(Entry));
  return xxh64(bytes.data(), bytes.size());
}

void copy_name(const char* from, char* to, size_t size) {
  std::memcpy(to, from, std::min(std::strlen(from), size));
}

}  // namespace

Status write_sections(const std::string& path, const char* kind,
                      const std::vector<Section>& sections) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof header.magic);
  header.version = kVersion;
  header.byte_order = kByteOrder;
  copy_name(kind, header.kind, sizeof header.kind);
  header.n_sections = uint32_t(sections.size());
  std::vector<SectionFile::Entry> entries;
  uint64_t end = sizeof(Header) + sections.size() * sizeof(SectionFile::Entry);
  for (const Section& section : sections) {
    SectionFile::Entry entry{};
    copy_name(section.name, entry.name, sizeof entry.name);
    entry.element_size = section.element_size;
    entry.part = section.part;
    entry.offset = aligned(end);
    entry.count = section.count;
    const uint64_t bytes = section.count * section.element_size;
    entry.checksum = xxh64(section.data, bytes);
    end = entry.offset + bytes;
    entries.push_back(entry);
  }
  header.file_size = end;
  header.checksum = checksum_of(header, entries);

  return replace_file(path, [&](FILE* file) {
    uint64_t at = 0;
    const auto put = [&](const void* data, uint64_t bytes) {
      at += bytes;
      return bytes == 0 || std::fwrite(data, 1, bytes, file) == bytes;
    };
    if (!put(&header, sizeof header)) return false;
    if (!put(entries.data(), entries.size() * sizeof(SectionFile::Entry))) return false;
    for (size_t i = 0; i < sections.size(); ++i) {
      const uint8_t zeros[kAlignment] = {};
      if (!put(zeros, entries[i].offset - at)) return false;
      if (!put(sections[i].data, sections[i].count * sections[i].element_size)) return false;
    }
    return true;
  });
}

Status SectionFile::open(const std::string& path, const char* kind, SectionFile* out) {
  SectionFile opened;
  const Status status = MappedFile::open(path, &opened.file_);
  if (!status.ok()) return status;
  const MappedFile& file = *opened.file_;
  Header header;
  if (file.size() < sizeof header) return corrupt("a Skillspan index file");
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof header.magic) != 0)
    return corrupt("a Skillspan index file");
  char wanted[sizeof header.kind] = {};
  copy_name(kind, wanted, sizeof wanted);
  if (header.byte_order != kByteOrder || header.version != kVersion)
    return corrupt("a file of version 2");
  if (std::memcmp(header.kind, wanted, sizeof wanted) != 0)
    return corrupt("an index of this kind (words and vectors have files of their own)");
  if (header.file_size != file.size()) return corrupt("a file as long as it was written");
  if (header.n_sections > (file.size() - sizeof header) / sizeof(Entry))
    return corrupt("a table within the file");
  opened.entries_.resize(header.n_sections);
  if (header.n_sections > 0)
    std::memcpy(opened.entries_.data(), file.data() + sizeof header,
                header.n_sections * sizeof(Entry));
  if (header.checksum != checksum_of(header, opened.entries_))
    return corrupt("a header that matches its checksum");
  for (const Entry& entry : opened.entries_) {
    const bool sane = entry.element_size > 0 && entry.offset % kAlignment == 0 &&
                      entry.offset <= file.size() &&
                      entry.count <= (file.size() - entry.offset) / entry.element_size;
    if (!sane) return corrupt("sections within the file");
  }
  std::sort(opened.entries_.begin(), opened.entries_.end(), before);
  *out = std::move(opened);
  return {};
}

bool SectionFile::before(const Entry& a, const Entry& b) {
  const int order = std::memcmp(a.name, b.name, sizeof a.name);
  return order < 0 || (order == 0 && a.part < b.part);
}

const SectionFile::Entry* SectionFile::find(const char* name, uint32_t part) const {
  Entry wanted{};
  copy_name(name, wanted.name, sizeof wanted.name);
  wanted.part = part;
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), wanted, before);
  return found == entries_.end() || before(wanted, *found) ? nullptr : &*found;
}

bool SectionFile::intact(const Entry& entry) const {
  return xxh64(file_->data() + entry.offset, entry.count * entry.element_size) == entry.checksum;
}

}  // namespace skillspan
