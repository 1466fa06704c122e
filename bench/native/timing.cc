#include "timing.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace skillspan::bench {
namespace {

constexpr int kRounds = 10;
// Seconds.
constexpr double kTurn = 0.1;
constexpr double kLong = 0.5;
constexpr double kEnough = 4.0;  // in all, after which three runs will do

struct Record {
  std::vector<double> times;
  double spent = 0;

  bool enough() const { return spent > kEnough && times.size() >= 3; }
  double median() {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
};

// The first run of a turn finds the caches full of somebody else's data. It counts only where a
// run is so long that this does not matter.
void take_turn(const std::function<void()>& run, Record* record) {
  double spent = seconds_of(run);
  if (spent > kLong) record->times.push_back(spent);
  for (bool first = spent < kLong; first || spent < kTurn; first = false) {
    record->times.push_back(seconds_of(run));
    spent += record->times.back();
  }
  record->spent += spent;
}

}  // namespace

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void compare(const std::string& title, size_t each, const std::vector<Contender>& contenders) {
  std::vector<Record> records(contenders.size());
  for (int round = 0; round < kRounds; ++round)
    for (size_t i = 0; i < contenders.size(); ++i)
      if (!records[i].enough()) take_turn(contenders[i].run, &records[i]);

  std::printf("  %s\n", title.c_str());
  const double ours = records[0].median();
  for (size_t i = 0; i < contenders.size(); ++i) {
    const double median = records[i].median();
    std::printf("    %-36s %9.4f ms  %6.2f x", contenders[i].name.c_str(), 1e3 * median / each,
                median / ours);
    if (contenders[i].bytes > 0) std::printf("  %6.1f GB/s", contenders[i].bytes / median / 1e9);
    std::printf("\n");
  }
  std::fflush(stdout);
}

}  // namespace skillspan::bench
