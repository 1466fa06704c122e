#include "lexical_corpus.h"

#include <doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace skillspan::lexical::test {

Terms random_terms(size_t longest, uint32_t vocabulary, Random& random) {
  Terms terms;
  const int length = random.between(0, int(longest));
  for (int i = 0; i < length; ++i) {
    const double skewed = std::pow(random.uniform(), 3);
    terms[uint32_t(skewed * vocabulary)] += random.between(0, 3) == 0 ? 0.25f : 1.0f;
  }
  return terms;
}

Corpus random_corpus(size_t n, size_t longest, uint32_t vocabulary, uint64_t seed) {
  Random random(seed);
  Corpus corpus;
  for (uint32_t i = 0; i < n; ++i) corpus[2 * i] = random_terms(longest, vocabulary, random);
  return corpus;
}

Query random_query(size_t n, uint32_t vocabulary, Random& random) {
  std::set<uint32_t> terms;
  while (terms.size() < n) terms.insert(uint32_t(random.between(0, int(vocabulary + n))));
  Query query;
  for (const uint32_t term : terms) query.push_back({term, 0.25 * random.between(1, 8)});
  std::shuffle(query.begin(), query.end(), random.engine());
  return query;
}

Rows to_rows(const Corpus& corpus) {
  Rows rows;
  rows.offsets.push_back(0);
  for (const auto& [id, terms] : corpus) {
    rows.ids.push_back(id);
    for (const auto& [term, frequency] : terms) {
      rows.terms.push_back(term);
      rows.frequencies.push_back(frequency);
    }
    rows.offsets.push_back(uint32_t(rows.terms.size()));
  }
  return rows;
}

void add(Index& index, const Corpus& corpus) {
  REQUIRE(index.apply(index.stage({to_rows(corpus), {}})).ok());
}

void remove(Index& index, const std::vector<uint32_t>& ids) {
  Index::Change change;
  change.added.offsets.push_back(0);
  change.removed = ids;
  REQUIRE(index.apply(index.stage(std::move(change))).ok());
}

std::map<uint32_t, double> NaiveScoring::scores(const Corpus& corpus, const Query& query) const {
  const double n = double(corpus.size());
  double total = 0;
  for (const auto& document : corpus)
    for (const auto& entry : document.second) total += entry.second;
  const double average = total > 0 ? total / n : 1;

  std::map<uint32_t, double> scores;
  for (const auto& document : corpus) scores[document.first] = 0;
  double query_squared = 0;
  for (const WeightedTerm& wanted : query) {
    double df = 0;
    for (const auto& document : corpus) df += double(document.second.count(wanted.term));
    if (df == 0) continue;
    const double idf =
        model == Model::kBm25 ? std::log(1 + (n - df + 0.5) / (df + 0.5)) : std::log(1 + n / df);
    query_squared += std::pow(wanted.weight * idf, 2);
    for (const auto& [id, terms] : corpus) {
      const auto found = terms.find(wanted.term);
      if (found == terms.end()) continue;
      const double tf = found->second;
      double length = 0, squared = 0;
      for (const auto& entry : terms) {
        length += entry.second;
        squared += std::pow(std::log(1 + double(entry.second)), 2);
      }
      scores[id] +=
          wanted.weight * idf *
          (model == Model::kBm25 ? tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))
                                 : std::log(1 + tf) / std::sqrt(squared));
    }
  }
  if (model == Model::kTfIdf && query_squared > 0)
    for (auto& entry : scores) entry.second /= std::sqrt(query_squared);
  return scores;
}

std::vector<Scored> top(const Snapshot& snapshot, const Query& query, size_t m,
                        const Allowed* allowed) {
  std::vector<std::vector<Scored>> hits;
  REQUIRE(top_documents(snapshot, {query}, {{m}, allowed}, {}, &hits).ok());
  REQUIRE(hits.size() == 1);
  return hits.front();
}

void check_hits(const std::vector<Scored>& hits, const std::map<uint32_t, double>& scores,
                size_t m) {
  std::vector<Scored> best;
  for (const auto& [id, score] : scores)
    if (score > 0) best.push_back({score, id});
  std::sort(best.begin(), best.end(), better);
  REQUIRE(hits.size() == std::min(m, best.size()));
  std::set<uint32_t> seen;
  for (size_t i = 0; i < hits.size(); ++i) {
    const double tolerance = 1e-12 * best[i].score;
    CHECK(seen.insert(hits[i].id).second);
    CHECK(std::fabs(hits[i].score - scores.at(hits[i].id)) <= tolerance);
    CHECK(std::fabs(hits[i].score - best[i].score) <= tolerance);
    if (i > 0) CHECK(better(hits[i - 1], hits[i]));
  }
}

void check_exact(const Snapshot& snapshot, const Corpus& corpus, const NaiveScoring& naive,
                 const Query& query, size_t m) {
  const std::map<uint32_t, double> scores = naive.scores(corpus, query);
  check_hits(top(snapshot, query, m), scores, m);
  std::vector<uint32_t> ids;
  for (const auto& entry : scores) ids.push_back(entry.first);
  const std::vector<double> each = snapshot.scores_for(query, ids.data(), ids.size());
  for (size_t i = 0; i < ids.size(); ++i)
    CHECK(each[i] == doctest::Approx(scores.at(ids[i])).epsilon(1e-12));
}

}  // namespace skillspan::lexical::test
