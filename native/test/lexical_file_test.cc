// Files of words: what comes back, and what is refused.
#include <doctest.h>

#include "core/files/section_file.h"
#include "core/files/word_file.h"
#include "lexical_corpus.h"
#include "temporary_file.h"

namespace skillspan::lexical::test {
namespace {

using skillspan::test::TemporaryFile;

// A vocabulary of n terms of two letters.
Vocabulary terms(size_t n) {
  Vocabulary vocabulary;
  for (size_t i = 0; i < n; ++i) {
    vocabulary.text += char('a' + i / 26 % 26);
    vocabulary.text += char('a' + i % 26);
    vocabulary.lengths.push_back(2);
  }
  return vocabulary;
}

Snapshot opened(const std::string& path) {
  WordFile file;
  REQUIRE(open_words(path, &file).ok());
  return Snapshot(file.scoring, std::move(file.views));
}

}  // namespace

TEST_CASE("word file: comes back exact, with what was removed gone") {
  for (Model model : {Model::kBm25, Model::kTfIdf}) {
    const NaiveScoring naive{model, 1.4, 0.6};
    Index index(naive.scoring());
    Corpus corpus = random_corpus(900, 25, 300, 1);
    add(index, corpus);
    const Corpus more = random_corpus(40, 25, 300, 2);
    add(index, more);
    for (const auto& [id, document] : more) corpus[id] = document;
    remove(index, {4, 10, 1798});
    for (uint32_t id : {4, 10, 1798}) corpus.erase(id);
    const TemporaryFile file("-words");
    REQUIRE(save_words(*index.snapshot(), terms(300), file.path).ok());
    const Snapshot snapshot = opened(file.path);
    CHECK(snapshot.size() == corpus.size());
    Random random(3);
    for (int trial = 0; trial < 20; ++trial)
      check_exact(snapshot, corpus, naive, random_query(6, 320, random), 15);
  }
}

TEST_CASE("word file: any damaged byte is noticed or lies between two sections") {
  Index index(NaiveScoring{}.scoring());
  add(index, random_corpus(300, 12, 100, 4));
  const TemporaryFile file("-damaged");
  REQUIRE(save_words(*index.snapshot(), terms(100), file.path).ok());
  const std::vector<uint8_t> intact = file.bytes();
  Random random(5);
  int unnoticed = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<uint8_t> bytes = intact;
    bytes[size_t(random.between(0, int(bytes.size()) - 1))] ^= uint8_t(1 << random.between(0, 7));
    file.write(bytes);
    WordFile damaged;
    const Status status = open_words(file.path, &damaged);
    if (status.ok()) {
      ++unnoticed;
    } else {
      CHECK(status.code == Code::kCorrupt);
    }
  }
  CHECK(unnoticed < 30);
}

TEST_CASE("word file: nonsense with right checksums is refused, or searched without harm") {
  Index index(NaiveScoring{}.scoring());
  add(index, random_corpus(200, 12, 60, 6));
  const TemporaryFile file("-nonsense");
  const Snapshot& snapshot = *index.snapshot();
  Random random(7);
  int refused = 0, accepted = 0;
  for (int trial = 0; trial < 400; ++trial) {
    // The segment's arrays, one number in one of them turned into another.
    const Segment& segment = snapshot.views()[0].segment();
    std::vector<std::vector<uint8_t>> copies;
    std::vector<Section> sections;
    struct {
      Segment::Shape shape;
      double average_length;
    } record{segment.shape(), segment.average_length()};
    const uint32_t one = 1;
    const Vocabulary vocabulary = terms(60);
    Segment::each_array(segment, record.shape, [&](const char*, const auto& array, size_t) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(array.data());
      copies.emplace_back(bytes, bytes + array.size() * sizeof(array[0]));
    });
    std::vector<uint8_t>& victim = copies[size_t(random.between(0, int(copies.size()) - 1))];
    if (!victim.empty())
      victim[size_t(random.between(0, int(victim.size()) - 1))] ^= uint8_t(random.between(1, 255));
    struct Scores {
      uint64_t model;
      double k1, b;
    } weights{0, 1.2, 0.75};
    sections.emplace_back("scoring", &weights, 1);
    sections.emplace_back("text", vocabulary.text.data(), vocabulary.text.size());
    sections.emplace_back("termlens", vocabulary.lengths.data(), vocabulary.lengths.size());
    sections.emplace_back("segments", &one, 1);
    sections.emplace_back("segment", &record, 1, 0);
    size_t next = 0;
    Segment::each_array(segment, record.shape, [&](const char* name, const auto& array, size_t) {
      using Number = std::decay_t<decltype(array[0])>;
      sections.emplace_back(name, reinterpret_cast<const Number*>(copies[next++].data()),
                            array.size(), 0);
    });
    REQUIRE(write_sections(file.path, "words", sections).ok());
    WordFile found;
    const Status status = open_words(file.path, &found);
    if (!status.ok()) {
      CHECK(status.code == Code::kCorrupt);
      ++refused;
      continue;
    }
    ++accepted;
    const Snapshot strange(found.scoring, std::move(found.views));
    for (int query = 0; query < 3; ++query) top(strange, random_query(8, 60, random), 10);
    strange.scores_for(random_query(5, 60, random), std::vector<uint32_t>{0, 2, 7}.data(), 3);
  }
  CHECK(refused > 100);
  CHECK(accepted > 5);
}

}  // namespace skillspan::lexical::test
