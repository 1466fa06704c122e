// The m best documents for a query, exactly: the ids and scores of an exhaustive float64 scorer.
//
// MaxScore (Turtle, Flood 1995) over windows of documents, term at a time within a window as in
// Lucene's block-max bulk scorer. The quantised impacts of the postings add up to an upper bound of
// each document's score, in whole numbers, so there is no rounding to argue about:
//   1. The terms are ordered by the most they can add. Those that even together add little to what
//      the m-th best score so far demands are not essential: their lists are not read.
//   2. Essential lists are added up for one window of documents at a time, in first-level cache.
//   3. A document whose sum, with all that the other terms could add, reaches the m-th best score
//      is scored exactly. The most promising ones go first: they raise the bar for the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../allowed.h"
#include "../execution.h"
#include "../top_m.h"
#include "snapshot.h"

namespace skillspan::lexical {

struct TopQuery {
  std::vector<size_t> m;             // one a query, each at least 1
  const Allowed* allowed = nullptr;  // ids of the documents that may be found; null: all
};

// Most terms that one query may have: the bounds have 16 bits to share out among them.
constexpr size_t kMaxQueryTerms = 4096;

// For each query at most m documents, best first, ties to the lower id. Only documents that share a
// term of positive weight with the query are found. Answers kCancelled or kOk.
Status top_documents(const Snapshot& snapshot,
                     const std::vector<std::vector<WeightedTerm>>& queries, const TopQuery& options,
                     const Execution& execution, std::vector<std::vector<Scored>>* hits);

}  // namespace skillspan::lexical
