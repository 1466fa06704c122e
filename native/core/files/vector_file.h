// The vectors of an index in one file (section_file.h), to be mapped and searched in place: codes
// are read when it is opened, the float32 rows only where a search wants them.
#pragma once

#include <string>

#include "../snapshot.h"

namespace skillspan {

// Writes the live vectors and, where they pay, their codes. encoder: whatever says where the
// vectors come from. Answers kFile, kOutOfMemory or kOk.
Status save_vectors(const Snapshot& snapshot, const std::string& encoder, const std::string& path,
                    Pool* pool);

struct VectorFile {
  Segment segment;
  size_t dim = 0;
  Exactness exactness = Exactness::kCertain;
  std::string encoder;
};

// Maps such a file. check_rows: whether to read the float32 rows too, to compare their checksum.
// Answers kFile, kCorrupt or kOk.
Status open_vectors(const std::string& path, bool check_rows, VectorFile* out);

}  // namespace skillspan
