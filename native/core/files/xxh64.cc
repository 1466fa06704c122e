#include "xxh64.h"

#include <cstring>
#include <initializer_list>

namespace skillspan {
namespace {

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F,
                   kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63,
                   kPrime5 = 0x27D4EB2F165667C5;

uint64_t rotated(uint64_t x, int by) { return x << by | x >> (64 - by); }

template <typename T>
uint64_t read(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

uint64_t round(uint64_t lane, uint64_t input) {
  return rotated(lane + input * kPrime2, 31) * kPrime1;
}

uint64_t merged(uint64_t hash, uint64_t lane) {
  return (hash ^ round(0, lane)) * kPrime1 + kPrime4;
}

}  // namespace

uint64_t xxh64(const void* data, size_t bytes) {
  const auto* p = static_cast<const uint8_t*>(data);
  const uint8_t* const end = p + bytes;
  uint64_t hash = kPrime5;
  if (bytes >= 32) {
    uint64_t a = kPrime1 + kPrime2, b = kPrime2, c = 0, d = 0 - kPrime1;
    for (; end - p >= 32; p += 32) {
      a = round(a, read<uint64_t>(p));
      b = round(b, read<uint64_t>(p + 8));
      c = round(c, read<uint64_t>(p + 16));
      d = round(d, read<uint64_t>(p + 24));
    }
    hash = rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18);
    for (const uint64_t lane : {a, b, c, d}) hash = merged(hash, lane);
  }
  hash += bytes;
  for (; end - p >= 8; p += 8)
    hash = rotated(hash ^ round(0, read<uint64_t>(p)), 27) * kPrime1 + kPrime4;
  for (; end - p >= 4; p += 4)
    hash = rotated(hash ^ read<uint32_t>(p) * kPrime1, 23) * kPrime2 + kPrime3;
  for (; p != end; ++p) hash = rotated(hash ^ *p * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace skillspan
