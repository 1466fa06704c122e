// Which instruction set the kernels use. Chosen once per process.
#pragma once

#include <string>
#include <vector>

#if defined(__x86_64__) || defined(_M_X64)
#define SKILLSPAN_X64 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#define SKILLSPAN_ARM64 1
#endif

namespace skillspan {

enum class Isa { kPortable, kAvx2, kAvx512, kAvx512Vnni, kNeon };

const char* isa_name(Isa isa);

// The sets this machine can run, slowest first. kPortable is always among them.
std::vector<Isa> supported_isas();

// Resolves a name as given in SKILLSPAN_ISA. An empty name means the fastest supported set.
// Returns false if there is no such set or this machine cannot run it.
bool parse_isa(const std::string& name, Isa* out);

}  // namespace skillspan
