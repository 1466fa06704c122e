#include <doctest.h>

#include <atomic>
#include <cmath>

#include "lexical_corpus.h"

namespace skillspan::lexical::test {

TEST_CASE("lexical top: the ids and scores of a naive scorer, for every k1, b and model") {
  const Corpus corpus = random_corpus(600, 30, 80, 1);
  Random random(2);
  for (const NaiveScoring& naive : {NaiveScoring{},
                                    {Model::kTfIdf, 0, 0},
                                    {Model::kBm25, 0, 0},
                                    {Model::kBm25, 0, 1},
                                    {Model::kBm25, 1e3, 0},
                                    {Model::kBm25, 1e3, 1},
                                    {Model::kBm25, 1e-9, 0.5}}) {
    CAPTURE(naive.k1);
    CAPTURE(naive.b);
    Index index(naive.scoring());
    add(index, corpus);
    for (size_t terms : {0, 1, 2, 5, 20, 60}) {
      CAPTURE(terms);
      const Query query = random_query(terms, 80, random);
      for (size_t m : {1, 10, 700}) check_exact(*index.snapshot(), corpus, naive, query, m);
    }
  }
}

TEST_CASE("lexical top: many windows and more than one segment") {
  const Corpus corpus = random_corpus(70'000, 8, 3'000, 3);
  Index index(NaiveScoring{}.scoring());
  add(index, corpus);
  CHECK(index.snapshot()->views().size() == 2);
  Random random(4);
  for (size_t terms : {1, 8, 20}) {
    const Query query = random_query(terms, 3'000, random);
    check_hits(top(*index.snapshot(), query, 50), NaiveScoring{}.scores(corpus, query), 50);
  }
}

TEST_CASE("lexical top: ties go to the lower id, within and across segments") {
  Index index(NaiveScoring{}.scoring());
  const Terms same = {{1, 1.0f}, {2, 3.0f}};
  Corpus high, low;
  for (uint32_t i = 0; i < 10'000; ++i) high[20'000 + i] = same;
  for (uint32_t i = 0; i < 300; ++i) low[i] = same;
  add(index, high);
  add(index, low);
  REQUIRE(index.snapshot()->views().size() == 2);
  const std::vector<Scored> hits = top(*index.snapshot(), {{1, 1}, {2, 1}}, 400);
  REQUIRE(hits.size() == 400);
  for (uint32_t i = 0; i < 400; ++i) CHECK(hits[i].id == (i < 300 ? i : 20'000 + i - 300));
}

TEST_CASE("lexical top: weights that differ by many orders of magnitude") {
  const Corpus corpus = random_corpus(500, 20, 40, 5);
  Index index(NaiveScoring{}.scoring());
  add(index, corpus);
  Random random(6);
  for (int round = 0; round < 20; ++round) {
    Query query = random_query(10, 40, random);
    for (WeightedTerm& term : query) term.weight = std::pow(10.0, random.between(-12, 6));
    check_exact(*index.snapshot(), corpus, {}, query, 20);
  }
}

TEST_CASE("lexical top: a query of as many terms as there may be") {
  Index index(NaiveScoring{}.scoring());
  const Corpus corpus = random_corpus(200, 100, kMaxQueryTerms, 7);
  add(index, corpus);
  Random random(8);
  const Query query = random_query(kMaxQueryTerms, kMaxQueryTerms, random);
  check_exact(*index.snapshot(), corpus, {}, query, 30);
}

TEST_CASE("lexical top: repeated terms add up, zero weights and unknown terms count for nothing") {
  const Corpus corpus = random_corpus(100, 10, 20, 9);
  Index index(NaiveScoring{}.scoring());
  add(index, corpus);
  const Query query = {{3, 1}, {999'999, 5}, {3, 0.5}, {4, 0}, {5, 2}};
  check_exact(*index.snapshot(), corpus, {}, {{3, 1.5}, {5, 2}}, 20);
  const auto a = top(*index.snapshot(), query, 20);
  const auto b = top(*index.snapshot(), {{3, 1.5}, {5, 2}}, 20);
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].id == b[i].id);
    CHECK(a[i].score == b[i].score);
  }
}

TEST_CASE("lexical top: a filter keeps to its ids, and an empty one allows nothing") {
  const Corpus corpus = random_corpus(9'000, 10, 50, 10);
  Index index(NaiveScoring{}.scoring());
  add(index, corpus);
  const Query query = {{0, 1}, {7, 1}, {30, 1}};
  std::map<uint32_t, double> scores = NaiveScoring{}.scores(corpus, query);
  Allowed allowed{std::vector<uint32_t>(400)};
  for (uint32_t word = 0; word < 400; ++word) allowed.words[word] = word % 3 ? 0 : 0x80000011u;
  for (auto& entry : scores)
    if (!allowed.has(entry.first)) entry.second = 0;
  check_hits(top(*index.snapshot(), query, 40, &allowed), scores, 40);
  const Allowed nothing;
  CHECK(top(*index.snapshot(), query, 40, &nothing).empty());
}

TEST_CASE("lexical top: an empty index, empty documents and an empty query") {
  Index index(NaiveScoring{}.scoring());
  CHECK(top(*index.snapshot(), {{1, 1}}, 5).empty());
  add(index, {{1, {}}, {2, {}}});
  CHECK(index.snapshot()->size() == 2);
  CHECK(top(*index.snapshot(), {{1, 1}}, 5).empty());
  add(index, {{3, {{1, 2.0f}}}});
  CHECK(top(*index.snapshot(), {}, 5).empty());
  CHECK(top(*index.snapshot(), {{1, 1}}, 5).size() == 1);
}

TEST_CASE("lexical top: batches over threads answer as single queries do, and can be cancelled") {
  Index index(NaiveScoring{}.scoring());
  add(index, random_corpus(6'000, 20, 200, 11));
  Random random(12);
  std::vector<std::vector<WeightedTerm>> queries;
  for (int i = 0; i < 50; ++i) queries.push_back(random_query(6, 200, random));
  Pool pool(4);
  std::atomic<bool> cancel{false};
  const Execution execution{&pool, &cancel};
  std::vector<std::vector<Scored>> hits;
  TopQuery wanted;
  for (size_t q = 0; q < queries.size(); ++q) wanted.m.push_back(1 + q % 10);
  REQUIRE(top_documents(*index.snapshot(), queries, wanted, execution, &hits).ok());
  for (size_t q = 0; q < queries.size(); ++q) {
    const std::vector<Scored> alone = top(*index.snapshot(), queries[q], wanted.m[q]);
    REQUIRE(hits[q].size() == alone.size());
    for (size_t i = 0; i < alone.size(); ++i) CHECK(hits[q][i].id == alone[i].id);
  }
  cancel = true;
  CHECK(top_documents(*index.snapshot(), queries, wanted, execution, &hits).code ==
        Code::kCancelled);
}

}  // namespace skillspan::lexical::test
