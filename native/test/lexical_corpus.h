// A corpus held as plain maps, and what a naive float64 scorer makes of it: the formulas of
// core/lexical/scoring.h, read off one by one, over every document.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/lexical/index.h"
#include "core/lexical/top_documents.h"
#include "fixtures.h"

namespace skillspan::lexical::test {

using skillspan::test::Random;

using Terms = std::map<uint32_t, float>;
using Corpus = std::map<uint32_t, Terms>;
using Query = std::vector<WeightedTerm>;

// A random document of up to `longest` words out of `vocabulary`, low ones the most common.
Terms random_terms(size_t longest, uint32_t vocabulary, Random& random);
// n of them under ids 0, 2, 4 ...
Corpus random_corpus(size_t n, size_t longest, uint32_t vocabulary, uint64_t seed);
// Different terms with weights, some of which no document has.
Query random_query(size_t n, uint32_t vocabulary, Random& random);

Rows to_rows(const Corpus& corpus);
void add(Index& index, const Corpus& corpus);
void remove(Index& index, const std::vector<uint32_t>& ids);

struct NaiveScoring {
  Model model = Model::kBm25;
  double k1 = 1.2;
  double b = 0.75;

  Scoring scoring() const { return Scoring(model, k1, b); }
  std::map<uint32_t, double> scores(const Corpus& corpus, const Query& query) const;
};

std::vector<Scored> top(const Snapshot& snapshot, const Query& query, size_t m,
                        const Allowed* allowed = nullptr);

// Checks that the hits are those of the naive scores. Scores that differ only in their last digits
// may stand in either order; equal ones may not.
void check_hits(const std::vector<Scored>& hits, const std::map<uint32_t, double>& scores,
                size_t m);
void check_exact(const Snapshot& snapshot, const Corpus& corpus, const NaiveScoring& naive,
                 const Query& query, size_t m);

}  // namespace skillspan::lexical::test
