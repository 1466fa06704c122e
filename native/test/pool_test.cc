#include "core/pool.h"

#include <doctest.h>

#if defined(__linux__)
#include <pthread.h>
#endif

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <numeric>

namespace skillspan::test {
namespace {

// Shares out `tasks` units among whatever threads take part, and notes how often each was done.
void count_tasks(Pool& pool, size_t threads, std::vector<std::atomic<int>>& tasks) {
  std::atomic<size_t> next{0};
  pool.spread(threads, [&](size_t) {
    for (size_t i; (i = next.fetch_add(1)) < tasks.size();) ++tasks[i];
  });
}

bool each_once(const std::vector<std::atomic<int>>& tasks) {
  for (const std::atomic<int>& times : tasks)
    if (times != 1) return false;
  return true;
}

}  // namespace

TEST_CASE("pool: spread returns after all the work is done") {
  for (size_t limit : {0, 1, 2, 4}) {
    Pool pool(limit);
    CHECK(pool.threads() == std::max<size_t>(limit, 1));
    for (size_t threads : {0, 1, 3, 100}) {
      std::vector<std::atomic<int>> tasks(500);
      count_tasks(pool, threads, tasks);
      CHECK(each_once(tasks));
    }
  }
}

TEST_CASE("pool: slots are distinct and below the number of threads asked for") {
  Pool pool(4);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<std::atomic<int>> slots(3);
    std::atomic<bool> within{true};
    pool.spread(3, [&](size_t slot) {
      if (slot < 3) {
        ++slots[slot];
      } else {
        within = false;
      }
    });
    CHECK(within);
    CHECK(slots[0] == 1);  // the caller always works
    for (const std::atomic<int>& times : slots) CHECK(times <= 1);
  }
}

TEST_CASE("pool: a spread within a spread cannot wait for itself") {
  Pool pool(3);
  std::vector<std::atomic<int>> tasks(64);
  std::atomic<size_t> next{0};
  pool.spread(3, [&](size_t) {
    for (size_t i; (i = next.fetch_add(1)) < 8;) {
      std::atomic<size_t> inner{0};
      pool.spread(3, [&](size_t) {
        for (size_t j; (j = inner.fetch_add(1)) < 8;) ++tasks[8 * i + j];
      });
    }
  });
  CHECK(each_once(tasks));
}

TEST_CASE("pool: it takes more jobs than it has threads, and does each once") {
  std::vector<std::atomic<int>> tasks(2000);
  {
    Pool pool(3);
    for (std::atomic<int>& times : tasks) pool.submit([&times] { ++times; });
  }
  CHECK(each_once(tasks));
}

TEST_CASE("pool: jobs that spread, all at once") {
  std::vector<std::vector<std::atomic<int>>> jobs;
  for (int i = 0; i < 20; ++i) jobs.emplace_back(50);
  {
    Pool pool(2);
    for (auto& tasks : jobs) pool.submit([&] { count_tasks(pool, 2, tasks); });
  }
  for (const auto& tasks : jobs) CHECK(each_once(tasks));
}

TEST_CASE("pool: the destructor waits for a job that spreads meanwhile") {
  // The job goes on to spread once the destructor has begun, when no thread may be started any
  // more: the destructor is walking the list of threads.
  for (int repeat = 0; repeat < 30; ++repeat) {
    std::vector<std::atomic<int>> tasks(40);
    std::promise<void> started;
    auto pool = std::make_unique<Pool>(8);
    Pool& inside = *pool;
    pool->submit([&] {
      started.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      for (int i = 0; i < 8; ++i) inside.submit([] {});
      count_tasks(inside, 8, tasks);
    });
    started.get_future().wait();
    pool.reset();
    CHECK(each_once(tasks));
  }
}

TEST_CASE("pool: a pool that was never used, or used by one thread, goes quietly") {
  Pool unused(4);
  Pool alone(1);
  std::vector<std::atomic<int>> tasks(5);
  count_tasks(alone, 4, tasks);
  CHECK(each_once(tasks));
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("pool: where the system grants no thread, the caller does the work") {
  pthread_attr_t usual, greedy;
  REQUIRE(pthread_getattr_default_np(&usual) == 0);
  REQUIRE(pthread_attr_init(&greedy) == 0);
  REQUIRE(pthread_attr_setstacksize(&greedy, size_t{1} << 50) == 0);  // no machine has that
  REQUIRE(pthread_setattr_default_np(&greedy) == 0);

  std::vector<std::atomic<int>> spread(100), submitted(100);
  {
    Pool pool(4);
    count_tasks(pool, 4, spread);
    for (std::atomic<int>& times : submitted) pool.submit([&times] { ++times; });
  }
  REQUIRE(pthread_setattr_default_np(&usual) == 0);
  pthread_attr_destroy(&greedy);
  pthread_attr_destroy(&usual);
  CHECK(each_once(spread));
  CHECK(each_once(submitted));
}
#endif

#if !defined(_WIN32)
TEST_CASE("pool: SKILLSPAN_THREADS lowers the number of threads, nonsense does not count") {
  const char* before = std::getenv("SKILLSPAN_THREADS");
  const std::string saved = before ? before : "";
  unsetenv("SKILLSPAN_THREADS");
  const size_t all = available_threads();
  CHECK(all >= 1);
  for (const char* nonsense : {"", "0", "-3", "many"}) {
    setenv("SKILLSPAN_THREADS", nonsense, 1);
    CHECK(available_threads() == all);
  }
  setenv("SKILLSPAN_THREADS", "1", 1);
  CHECK(available_threads() == 1);
  setenv("SKILLSPAN_THREADS", "1000000", 1);
  CHECK(available_threads() == all);
  if (before) {
    setenv("SKILLSPAN_THREADS", saved.c_str(), 1);
  } else {
    unsetenv("SKILLSPAN_THREADS");
  }
}
#endif

}  // namespace skillspan::test
