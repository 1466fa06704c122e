// The two ways to weigh a word. Both have the same shape,
//
//     score(q, d) = sum over terms t of q:  coefficient(t, q) * impact(t, d)
//
// with a coefficient that knows the query and the corpus, and an impact that knows the document.
// N is the number of live documents, df(t) how many of them have t, tf the (fractional) frequency.
//
// BM25 (Robertson, Walker 1994; the idf of Lucene, which is never negative):
//     coefficient = w(t) * ln(1 + (N - df + 0.5) / (df + 0.5))
//     impact      = tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / average |d|)),   |d| = sum of tf
//
// TF-IDF cosine (lnc.ltc of Manning, Raghavan, Schuetze 2008, 6.4.3, with ln(1 + tf) so that a tf
// below 1 counts for little and not for less than nothing):
//     coefficient = w(t) * ln(1 + N / df) / sqrt(sum over t of q of (w(t) * ln(1 + N / df))^2)
//     impact      = ln(1 + tf) / |d|,   |d| = sqrt(sum over t of d of ln(1 + tf)^2)
// The document side has no idf, so a document's norm stays true while others come and go.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace skillspan::lexical {

enum class Model { kBm25, kTfIdf };

// A term of a query: its weight at first, its coefficient once resolved against a corpus.
struct WeightedTerm {
  uint32_t term;
  double weight;
};

// How one document weighs the frequency of a term.
struct DocumentImpact {
  Model model;
  double numerator;  // BM25: k1 + 1
  double norm;       // BM25: k1 * (1 - b + b * |d| / average |d|); TF-IDF: |d|

  // Needs tf > 0.
  double operator()(double tf) const {
    return model == Model::kBm25 ? tf * numerator / (tf + norm) : std::log1p(tf) / norm;
  }
};

class Scoring {
 public:
  // Whether there can be such a scoring. TF-IDF uses neither.
  static bool takes(double k1, double b) { return k1 >= 0 && k1 <= kMaxK1 && b >= 0 && b <= 1; }
  // Of k1 and b that takes() takes.
  Scoring(Model model, double k1, double b) : model_(model), k1_(k1), b_(b) {}

  Model model() const { return model_; }
  double k1() const { return k1_; }
  double b() const { return b_; }

  // |d| of a document with these frequencies.
  double length(const float* frequencies, size_t n) const;

  // The impacts in a document of this length. Needs average_length > 0.
  DocumentImpact impact(double length, double average_length) const;

  // No impact is greater than this, whatever the document.
  double highest_impact() const { return model_ == Model::kBm25 ? k1_ + 1 : 1; }

  // No impact can be more than this many times what it was under another average length: an impact
  // divides by tf + c + g / average, which falls no faster than the average rises.
  double growth(double average_then, double average_now) const;

  // Turns weights into coefficients. df: of each term, at least 1.
  void resolve(const std::vector<uint32_t>& df, size_t n_documents,
               std::vector<WeightedTerm>* terms) const;

 private:
  static constexpr double kMaxK1 = 1000;  // frequencies times it are far from overflowing

  Model model_;
  double k1_;
  double b_;
};

}  // namespace skillspan::lexical
