#include <doctest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "core/lexical/index.h"
#include "core/lexical/term_table.h"
#include "lexical_corpus.h"

namespace skillspan::lexical::test {
namespace {

// Whether there was something to tidy up. Nothing is, afterwards.
bool tidied(Index& index) {
  if (!index.claim_tidying()) return false;
  CHECK_FALSE(index.claim_tidying());
  index.tidy();
  CHECK_FALSE(index.claim_tidying());
  return true;
}

}  // namespace

TEST_CASE("lexical index: exact after any mixture of additions, replacements and removals") {
  for (const NaiveScoring& naive : {NaiveScoring{}, {Model::kTfIdf, 0, 0}, {Model::kBm25, 2, 1}}) {
    Index index(naive.scoring());
    Corpus corpus;
    Random random(1);
    for (int step = 0; step < 120; ++step) {
      CAPTURE(step);
      if (step % 3 == 2) {
        std::vector<uint32_t> ids;
        for (int i = 0; i < 30; ++i) ids.push_back(uint32_t(random.between(0, 400)));
        for (const uint32_t id : ids) corpus.erase(id);
        remove(index, ids);
      } else {
        Corpus batch;
        const int n = random.between(1, step % 10 == 0 ? 200 : 5);
        // Later documents are much longer: the average drifts away from that of old segments.
        for (int i = 0; i < n; ++i)
          batch[uint32_t(random.between(0, 400))] = random_terms(5 + step, 60, random);
        for (const auto& [id, terms] : batch) corpus[id] = terms;
        add(index, batch);
      }
      if (step % 4 == 0) tidied(index);
      REQUIRE(index.snapshot()->size() == corpus.size());
      check_exact(*index.snapshot(), corpus, naive, random_query(6, 60, random), 12);
    }
    CHECK(index.snapshot()->views().size() <= 10);
  }
}

TEST_CASE("lexical index: documents added one by one stay in few segments") {
  Index index(NaiveScoring{}.scoring());
  const Corpus corpus = random_corpus(1'000, 6, 50, 2);
  for (const auto& entry : corpus) add(index, {entry});
  CHECK(index.snapshot()->size() == 1'000);
  CHECK(index.snapshot()->views().size() <= 11);
  check_exact(*index.snapshot(), corpus, {}, {{0, 1}, {5, 1}, {20, 1}}, 50);
}

TEST_CASE("lexical index: what is merged on the spot is small, the rest is left to tidying up") {
  Index index(NaiveScoring{}.scoring());
  const Corpus corpus = random_corpus(1'500, 6, 50, 13);
  auto at = corpus.begin();
  for (const size_t n : {500, 500, 100, 100, 300}) {
    Corpus batch;
    for (size_t i = 0; i < n; ++i) batch.insert(*at++);
    add(index, batch);
  }
  const auto before = index.snapshot();
  std::vector<size_t> sizes;
  for (const View& view : before->views()) sizes.push_back(view.live());
  CHECK(sizes == std::vector<size_t>{500, 500, 200, 300});
  CHECK(tidied(index));
  CHECK(index.snapshot()->views().size() == 1);
  CHECK(before->views().size() == 4);
  check_exact(*index.snapshot(), corpus, {}, {{0, 1}, {5, 1}, {20, 1}}, 50);
}

TEST_CASE("lexical index: segments of another time or mostly removed are written anew") {
  Index index(NaiveScoring{}.scoring());
  Corpus corpus;
  for (uint32_t id = 0; id < 2'000; ++id) corpus[id] = {{id % 7, 1.0f}};
  add(index, corpus);
  Corpus longer;
  for (uint32_t id = 5'000; id < 5'600; ++id) longer[id] = {{1, 1.0f}, {id, 40.0f}};
  add(index, longer);
  corpus.insert(longer.begin(), longer.end());
  CHECK(tidied(index));
  const auto drifted = index.snapshot();
  CHECK(drifted->views()[0].segment().average_length() == drifted->average_length());
  check_exact(*drifted, corpus, {}, {{1, 1}, {5'100, 1}}, 30);

  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < 700; ++id) ids.push_back(id);
  for (const uint32_t id : ids) corpus.erase(id);
  remove(index, ids);
  CHECK(index.snapshot()->views()[0].segment().rows() == 2'000);
  CHECK(tidied(index));
  CHECK(index.snapshot()->views()[0].segment().rows() == 1'300);
  check_exact(*index.snapshot(), corpus, {}, {{1, 1}, {5'100, 1}}, 30);
}

TEST_CASE("lexical index: exact while it is changed and tidied up at once") {
  const NaiveScoring naive;
  Index index(naive.scoring());
  Corpus corpus = random_corpus(3'000, 10, 60, 14);
  add(index, corpus);
  std::atomic<bool> stop{false};
  std::thread cleaner([&] {
    while (!stop)
      if (index.claim_tidying()) index.tidy();
  });
  Random random(15);
  for (int step = 0; step < 150; ++step) {
    Corpus batch;
    for (int i = random.between(1, step % 15 == 0 ? 400 : 4); i > 0; --i)
      batch[uint32_t(random.between(0, 6'000))] = random_terms(12, 60, random);
    std::vector<uint32_t> ids;
    for (int i = random.between(0, step % 10 == 0 ? 500 : 3); i > 0; --i)
      ids.push_back(uint32_t(random.between(0, 6'000)));
    for (const uint32_t id : ids) corpus.erase(id);
    for (const auto& [id, terms] : batch) corpus[id] = terms;
    REQUIRE(index.apply(index.stage({to_rows(batch), ids})).ok());
    if (step % 10 == 0) check_exact(*index.snapshot(), corpus, naive, {{0, 1}, {9, 2}}, 15);
  }
  stop = true;
  cleaner.join();
  check_exact(*index.snapshot(), corpus, naive, {{0, 1}, {9, 2}}, 15);
}

TEST_CASE("lexical index: removing everything leaves nothing behind") {
  Index index(NaiveScoring{}.scoring());
  const Corpus corpus = random_corpus(300, 6, 50, 3);
  add(index, corpus);
  std::vector<uint32_t> ids;
  for (const auto& entry : corpus) ids.push_back(entry.first);
  ids.push_back(ids.front());
  remove(index, ids);
  CHECK(index.snapshot()->size() == 0);
  CHECK(index.snapshot()->bytes() == 0);
  CHECK(top(*index.snapshot(), {{0, 1}}, 5).empty());
}

TEST_CASE("lexical index: of rows with one id the last counts, repeated terms add up") {
  Rows rows{{7, 3, 7}, {0, 2, 3, 6}, {1, 2, 1, 5, 4, 5}, {1, 1, 1, 0.5f, 2, 0.25f}};
  Documents documents;
  REQUIRE(Documents::from_rows(rows, &documents).ok());
  REQUIRE(documents.size() == 2);
  CHECK(documents.id(0) == 3);
  CHECK(documents.id(1) == 7);
  REQUIRE(documents.row_size(1) == 2);
  CHECK(documents.terms(1)[0] == 4);
  CHECK(documents.terms(1)[1] == 5);
  CHECK(documents.frequencies(1)[1] == 0.75f);
}

TEST_CASE("lexical index: a bad frequency is named, and nothing of its change is done") {
  for (float bad : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(),
                    std::numeric_limits<float>::infinity()}) {
    Index index(NaiveScoring{}.scoring());
    add(index, {{1, {{1, 1.0f}}}});
    const auto before = index.snapshot();
    Index::Change change{{{5, 6}, {0, 1, 2}, {1, 2}, {1, bad}}, {1}};
    const Status status = index.apply(index.stage(std::move(change)));
    CHECK(status.code == Code::kInvalidFrequency);
    CHECK(status.row == 1);
    CHECK(index.snapshot().get() == before.get());
  }
}

TEST_CASE("lexical index: changes apply in the order they were staged") {
  Index index(NaiveScoring{}.scoring());
  const auto first = index.stage({to_rows({{1, {{1, 1.0f}}}}), {}});
  const auto second = index.stage({to_rows({{2, {{1, 1.0f}}}}), {1}});
  REQUIRE(index.apply(second).ok());
  CHECK(first->done);
  CHECK(index.apply(first).ok());
  const std::vector<Scored> hits = top(*index.snapshot(), {{1, 1}}, 5);
  REQUIRE(hits.size() == 1);
  CHECK(hits.front().id == 2);
}

TEST_CASE("lexical index: snapshots stay as they are while others write") {
  Index index(NaiveScoring{}.scoring());
  const Corpus base = random_corpus(400, 10, 40, 4);
  add(index, base);
  const auto kept = index.snapshot();
  const Query query = {{0, 1}, {3, 1}, {11, 2}};
  const std::vector<Scored> expected = top(*kept, query, 20);

  std::atomic<bool> stop{false};
  std::atomic<size_t> wrong{0};
  std::vector<std::thread> threads;
  for (int reader = 0; reader < 2; ++reader) {
    threads.emplace_back([&] {
      while (!stop) {
        std::vector<std::vector<Scored>> hits;
        top_documents(*kept, {query}, {{20}, nullptr}, {}, &hits);
        if (hits[0].size() != expected.size()) ++wrong;
        for (size_t i = 0; i < hits[0].size(); ++i)
          if (hits[0][i].id != expected[i].id || hits[0][i].score != expected[i].score) ++wrong;
        // Whatever is there now must hang together: every hit scores what it is said to score.
        const auto now = index.snapshot();
        top_documents(*now, {query}, {{5}, nullptr}, {}, &hits);
        for (const Scored& hit : hits[0])
          if (now->scores_for(query, &hit.id, 1)[0] != hit.score) ++wrong;
      }
    });
  }
  for (uint32_t writer = 0; writer < 2; ++writer) {
    threads.emplace_back([&index, writer] {
      Random random(writer);
      for (uint32_t round = 0; round < 60; ++round) {
        const uint32_t id = 1'000 + 100 * writer + round;
        index.apply(index.stage({to_rows({{id, random_terms(10, 40, random)}}), {2 * round}}));
      }
    });
  }
  threads[2].join();
  threads[3].join();
  stop = true;
  threads[0].join();
  threads[1].join();
  CHECK(wrong == 0);
  CHECK(index.snapshot()->size() == 400 - 60 + 120);
}

TEST_CASE("lexical term table: numbers in the order of arrival, whatever the terms") {
  Random random(5);
  TermTable table;
  std::map<uint32_t, uint32_t> expected;
  for (int i = 0; i < 20'000; ++i) {
    const auto term = i % 2 ? uint32_t(random.between(0, 5'000)) : uint32_t(random.engine()());
    const auto [entry, fresh] = expected.emplace(term, uint32_t(expected.size()));
    CHECK(table.number(term) == entry->second);
    CHECK(table.size() == expected.size());
  }
  for (const auto& [term, number] : expected) CHECK(table.find(term) == number);
  CHECK(TermTable().find(0) == TermTable::kAbsent);
}

}  // namespace skillspan::lexical::test
