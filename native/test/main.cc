// Runs the tests with one instruction set, the one of SKILLSPAN_ISA or else the fastest.
// SKILLSPAN_EXPECT_ISA names the set that must have been chosen: emulated machines are told apart
// that way.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/kernels.h"

namespace {

constexpr int kSkipped = 77;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = environment("SKILLSPAN_ISA");
  skillspan::Isa isa;
  if (!skillspan::parse_isa(wanted, &isa)) {
    std::printf("skipped: this machine cannot run %s\n", wanted.c_str());
    return kSkipped;
  }
  const std::string chosen = isa_name(skillspan::active_isa());
  const std::string expected = environment("SKILLSPAN_EXPECT_ISA");
  std::printf("instruction set: %s\n", chosen.c_str());
  if (!expected.empty() && expected != chosen) {
    std::printf("failed: expected the instruction set %s\n", expected.c_str());
    return EXIT_FAILURE;
  }
  return doctest::Context(argc, argv).run();
}
