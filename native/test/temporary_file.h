// A file of a test's own, gone when the test ends.
#pragma once

#include <doctest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace skillspan::test {

struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const char* name)
      : path((std::filesystem::temp_directory_path() /
              ("skillspan-" + std::to_string(std::random_device()()) + name))
                 .string()) {}
  ~TemporaryFile() { std::remove(path.c_str()); }

  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> all;
    FILE* file = std::fopen(path.c_str(), "rb");
    REQUIRE(file);
    uint8_t buffer[65536];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
      all.insert(all.end(), buffer, buffer + n);
    std::fclose(file);
    return all;
  }
  void write(const std::vector<uint8_t>& all) const {
    std::remove(path.c_str());  // a new file: the old one may be mapped
    FILE* file = std::fopen(path.c_str(), "wb");
    REQUIRE(file);
    if (!all.empty()) REQUIRE(std::fwrite(all.data(), 1, all.size(), file) == all.size());
    std::fclose(file);
  }
};

}  // namespace skillspan::test
