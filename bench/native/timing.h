// Times contenders by turns in one process, as bench/report.ts does.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace skillspan::bench {

struct Contender {
  std::string name;
  std::function<void()> run;
  double bytes = 0;  // what one run must read, where that is to be printed as GB/s
};

// Prints the median of each for one of `each` queries, and its ratio to the first, which is ours.
void compare(const std::string& title, size_t each, const std::vector<Contender>& contenders);

double seconds_of(const std::function<void()>& run);

}  // namespace skillspan::bench
