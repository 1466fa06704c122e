// A lexical index in one file (section_file.h), to be mapped and searched in place: no document is
// read or weighed anew. All of it is read once when it is opened, to be checked.
#pragma once

#include <string>
#include <vector>

#include "../lexical/snapshot.h"
#include "../lexical/vocabulary.h"

namespace skillspan::lexical {

// Writes the live documents, a part of the file for each segment. Answers kFile or kOk.
Status save_words(const Snapshot& snapshot, const Vocabulary& vocabulary, const std::string& path);

struct WordFile {
  Scoring scoring{Model::kBm25, 0, 0};
  std::vector<View> views;
  Vocabulary vocabulary;  // may hold a term twice
};

// Maps such a file. Answers kFile, kCorrupt or kOk.
Status open_words(const std::string& path, WordFile* out);

}  // namespace skillspan::lexical
