// Every case of test/golden/dsr.json, whose answers come from brute-force determinants elsewhere.
#include <doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "core/residual_kernel.h"
#include "core/select.h"
#include "fixtures.h"

namespace skillspan::test {
namespace {

struct GoldenCase {
  std::string name;
  std::map<std::string, std::vector<double>> fields;

  double number(const std::string& field) const { return fields.at(field).at(0); }
  const std::vector<double>& numbers(const std::string& field) const { return fields.at(field); }
  std::vector<uint32_t> ids(const std::string& field) const {
    return {numbers(field).begin(), numbers(field).end()};
  }
  std::vector<float> floats(const std::string& field) const {
    return {numbers(field).begin(), numbers(field).end()};
  }
};

// The form that golden-to-text.mjs writes.
std::vector<GoldenCase> read_cases(const char* path) {
  std::vector<GoldenCase> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string field;
    words >> field;
    if (field == "case") {
      cases.push_back({line.substr(5), {}});
    } else {
      std::vector<double>& numbers = cases.back().fields[field];
      // strtod and not >>, which fails on denormals.
      for (std::string word; words >> word;) numbers.push_back(std::strtod(word.c_str(), nullptr));
    }
  }
  return cases;
}

}  // namespace

TEST_CASE("golden: order, gains, fill, ranking and the first kernel row of every case") {
  const std::vector<GoldenCase> cases = read_cases(SKILLSPAN_GOLDEN);
  REQUIRE(cases.size() >= 16);
  for (const GoldenCase& golden : cases) {
    CAPTURE(golden.name);
    const size_t m = size_t(golden.number("candidates"));
    const size_t dim = size_t(golden.number("dim"));
    SelectOptions options;
    options.k = size_t(golden.number("k"));
    options.lambda = golden.number("lam");
    std::vector<double> log_quality;
    REQUIRE(relevance_of(options.method, golden.numbers("quality").data(), m, &log_quality).ok());
    const OwnedCandidates candidates(Rows{m, dim, golden.floats("embeddings")},
                                     Rows{1, dim, golden.floats("query")}, log_quality);

    const Selection found = select(candidates.view(), options);
    CHECK(found.order == golden.ids("greedyOrder"));
    CHECK(found.filled == golden.ids("filledByQuality"));
    CHECK(found.ranked == golden.ids("ranked"));
    const std::vector<double>& gains = golden.numbers("gains");
    REQUIRE(found.gains.size() == gains.size());
    for (size_t t = 0; t < gains.size(); ++t)
      CHECK(std::fabs(found.gains[t] - gains[t]) <= 1e-4 * std::fabs(gains[t]));

    const Candidates view = candidates.view();
    ResidualKernel kernel(view, options.lambda);
    const std::vector<double> phi = kernel_row(kernel, 0);
    for (size_t i = 0; i < m; ++i)
      CHECK(std::fabs(phi[i] - golden.numbers("kernelRow0")[i]) <= 1e-6);
  }
}

}  // namespace skillspan::test
