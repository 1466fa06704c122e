// A file as read-only memory, its pages shared with every process that maps it. Replace such a file
// by renaming another over it; a file that shrinks while it is mapped takes the process down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "../status.h"

namespace skillspan {

class MappedFile {
 public:
  // Answers kFile where the system refuses.
  static Status open(const std::string& path, std::shared_ptr<const MappedFile>* out);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  MappedFile() = default;

  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// Writes a file whole or not at all: beside its place first, synced, then renamed to it.
// write(file) answers whether all its fwrite() calls went well. Answers kFile where the system
// refuses, and then leaves nothing behind.
Status replace_file(const std::string& path, const std::function<bool(FILE* file)>& write);

}  // namespace skillspan
