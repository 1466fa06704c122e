#include "core/cpu.h"

#include <doctest.h>

#include <algorithm>
#include <cstdlib>

#include "core/kernels.h"

namespace skillspan {

TEST_CASE("cpu: the portable set is always there, and no set is listed twice") {
  std::vector<Isa> isas = supported_isas();
  CHECK(isas.front() == Isa::kPortable);
  std::sort(isas.begin(), isas.end());
  CHECK(std::adjacent_find(isas.begin(), isas.end()) == isas.end());
}

TEST_CASE("cpu: every supported set is found by its name") {
  for (Isa isa : supported_isas()) {
    Isa found;
    REQUIRE(parse_isa(isa_name(isa), &found));
    CHECK(found == isa);
  }
}

TEST_CASE("cpu: no name means the fastest set, an unknown one is refused") {
  Isa found = Isa::kPortable;
  REQUIRE(parse_isa("", &found));
  CHECK(found == supported_isas().back());
  CHECK_FALSE(parse_isa("AVX2", &found));
  CHECK_FALSE(parse_isa("sse9", &found));
}

TEST_CASE("cpu: the active set is the one that SKILLSPAN_ISA names, and its table is used") {
  const char* wanted = std::getenv("SKILLSPAN_ISA");
  Isa expected;
  REQUIRE(parse_isa(wanted ? wanted : "", &expected));
  CHECK(active_isa() == expected);
  CHECK(&active_kernels() == &kernels_for(expected));
}

}  // namespace skillspan
