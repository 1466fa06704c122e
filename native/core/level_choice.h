// Which codes a search scans first, learnt from the searches themselves: how many rows survive the
// coarse codes depends on the data and on what is asked. Answers do not depend on the choice, only
// their speed.
#pragma once

#include <atomic>

namespace skillspan {

class LevelChoice {
 public:
  // Reading a survivor's fine codes out of sequence costs about twice its bytes, so scanning half
  // the bytes first pays while fewer than a quarter of the rows survive. One search in 64 tries
  // anyway.
  bool coarse_first() { return surviving_ < 0.25f || asked_.fetch_add(1) % 64 == 63; }

  // The share of rows that survived a coarse scan. Threads may overwrite each other: it is an
  // average.
  void learn(float share) {
    const float before = surviving_;
    surviving_ = before + (share - before) / 8;
  }
  float surviving() const { return surviving_; }
  void start_from(float share) { surviving_ = share; }

 private:
  std::atomic<float> surviving_{0};
  std::atomic<unsigned> asked_{0};
};

}  // namespace skillspan
