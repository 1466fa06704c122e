// A file of named arrays. All numbers little-endian:
//
//   header, 64 bytes: "SKILLSPN" · version u32 · 0x01020304 u32 · kind char[16] · size of the file
//     u64 · number of sections u32 · 0 u32 · 0 u64 · checksum u64 of the header before it and the
//     table
//   table, 40 bytes a section: name char[8] · bytes an element u32 · part u32 · offset u64 ·
//     elements u64 · checksum u64
//   sections, each at a multiple of 64 bytes, zeros between them
//
// A name and a part (0 where there is but one) are a section's key.
//
// Checksums are XXH64. Nothing that a file says is trusted before it was checked.
#pragma once

#include <string>
#include <vector>

#include "../array.h"
#include "mapped_file.h"

namespace skillspan {

// An array to be written. The numbers must outlive it.
struct Section {
  template <typename T>
  Section(const char* named, const T* values, size_t n, uint32_t of_part = 0)
      : name(named), data(values), element_size(sizeof(T)), part(of_part), count(n) {}

  const char* name;  // at most 8 characters
  const void* data;
  uint32_t element_size;
  uint32_t part;
  uint64_t count;
};

template <typename T>
Section section(const char* name, const Array<T>& array, uint32_t part = 0) {
  return {name, array.data(), array.size(), part};
}

// kind: at most 16 characters.
Status write_sections(const std::string& path, const char* kind,
                      const std::vector<Section>& sections);

class SectionFile {
 public:
  // Maps a file and checks everything but the sections' contents. Answers kFile or kCorrupt.
  static Status open(const std::string& path, const char* kind, SectionFile* out);

  // The section of this name, lent, if it has n elements of this type; its checksum is compared
  // unless the caller means to do without reading it. Answers kCorrupt.
  template <typename T>
  Status read(const char* name, size_t n, Array<T>* out, bool compare = true,
              uint32_t part = 0) const {
    const Entry* entry = find(name, part);
    if (!entry || entry->element_size != sizeof(T) || entry->count != n)
      return {Code::kCorrupt, 0, "sections of the sizes that go together"};
    return lend(*entry, out, compare);
  }
  // The same of any number of elements.
  template <typename T>
  Status read_all(const char* name, Array<T>* out) const {
    const Entry* entry = find(name, 0);
    if (!entry || entry->element_size != sizeof(T))
      return {Code::kCorrupt, 0, "all sections of its kind"};
    return lend(*entry, out, true);
  }

  const std::shared_ptr<const MappedFile>& file() const { return file_; }

 private:
  struct Entry {
    char name[8];
    uint32_t element_size;
    uint32_t part;
    uint64_t offset;
    uint64_t count;
    uint64_t checksum;
  };
  friend Status write_sections(const std::string&, const char*, const std::vector<Section>&);

  static bool before(const Entry& a, const Entry& b);
  const Entry* find(const char* name, uint32_t part) const;
  bool intact(const Entry& entry) const;

  template <typename T>
  Status lend(const Entry& entry, Array<T>* out, bool compare) const {
    if (compare && !intact(entry))
      return {Code::kCorrupt, 0, "contents that match their checksums"};
    *out = Array<T>::lent(reinterpret_cast<const T*>(file_->data() + entry.offset), entry.count);
    return {};
  }

  std::shared_ptr<const MappedFile> file_;
  std::vector<Entry> entries_;  // by key: a file may name any number of them
};

}  // namespace skillspan
