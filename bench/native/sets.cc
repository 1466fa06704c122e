#include "sets.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <vector>

namespace skillspan::bench {
namespace {

constexpr size_t kPerCentre = 40;
constexpr double kSpread = 0.6;
constexpr double kCopies = 0.01;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

Matrix normalised(const std::vector<float>& values, size_t dim) {
  Matrix matrix;
  const size_t n = values.size() / dim;
  if (!Matrix::copy_normalised(values.data(), n, dim, &matrix).ok()) give_up("bad vectors");
  return matrix;
}

class Generator {
 public:
  Generator(const std::string& kind, size_t n, size_t dim) : dim_(dim), random_(dim) {
    if (kind != "clustered" && kind != "iid") give_up("no such set: " + kind);
    if (kind == "iid") return;
    centres_.resize((n + kPerCentre - 1) / kPerCentre * dim);
    for (float& value : centres_) value = float(gauss_(random_));
  }

  Matrix rows(size_t n) {
    std::vector<float> values(n * dim_);
    for (size_t i = 0; i < n; ++i) fill(values.data(), i);
    return normalised(values, dim_);
  }

 private:
  void fill(float* values, size_t i) {
    float* const row = values + i * dim_;
    if (centres_.empty()) {
      for (size_t t = 0; t < dim_; ++t) row[t] = float(gauss_(random_));
      return;
    }
    if (i > 0 && below(1) < kCopies) {
      const float* const other = values + size_t(below(double(i))) * dim_;
      std::copy(other, other + dim_, row);
      return;
    }
    const float* const centre = centres_.data() + random_() % (centres_.size() / dim_) * dim_;
    for (size_t t = 0; t < dim_; ++t) row[t] = centre[t] + float(kSpread * gauss_(random_));
  }

  double below(double limit) { return std::uniform_real_distribution<double>(0, limit)(random_); }

  size_t dim_;
  std::mt19937_64 random_;
  std::normal_distribution<double> gauss_;
  std::vector<float> centres_;
};

std::vector<float> read_floats(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) give_up("cannot read " + path);
  std::vector<float> values(size_t(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), std::streamsize(values.size() * sizeof(float)));
  return values;
}

}  // namespace

Set synthetic(const std::string& kind, size_t n, size_t dim, size_t n_queries) {
  Generator generator(kind, n, dim);
  Set set;
  set.vectors = generator.rows(n);
  set.queries = generator.rows(n_queries);
  return set;
}

Set from_files(const std::string& vectors, const std::string& queries, size_t dim) {
  return {normalised(read_floats(vectors), dim), normalised(read_floats(queries), dim)};
}

}  // namespace skillspan::bench
