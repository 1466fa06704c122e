#include "components.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "columns.h"

namespace skillspan {
namespace {

// Mean distances are rounded: a pair a little too far apart must not be missed.
constexpr double kSlack = 1e-9;

// Sets of rows, each known by its lowest.
class Sets {
 public:
  explicit Sets(size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  uint32_t find(uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<uint32_t> parent_;
};

// Columns first to first + n - 1 of a bucket against the rows up to them.
struct Task {
  const std::vector<uint32_t>* bucket;
  size_t first, n;
};

}  // namespace

Status close_components(const Matrix& matrix, const std::vector<std::vector<uint32_t>>& buckets,
                        double distance, const Execution& execution,
                        const std::function<void(double)>& on_step,
                        std::vector<std::vector<uint32_t>>* components) {
  std::vector<Task> tasks;
  for (const auto& bucket : buckets)
    for (size_t first = 0; first < bucket.size(); first += Columns::kMost)
      tasks.push_back({&bucket, first, std::min(Columns::kMost, bucket.size() - first)});
  const auto cost = [](const Task& task) { return double(task.first + task.n); };
  std::stable_sort(tasks.begin(), tasks.end(),
                   [&](const Task& a, const Task& b) { return cost(a) > cost(b); });
  double all = 0;
  for (const Task& task : tasks) all += cost(task);

  const size_t threads = std::min(execution.threads(), tasks.size());
  std::vector<Sets> sets(threads, Sets(matrix.rows()));
  std::atomic<size_t> next{0};
  std::atomic<uint64_t> done{0};
  spread(execution, threads, [&](size_t slot) {
    Columns columns(matrix.stride());
    for (size_t t; (t = next.fetch_add(1)) < tasks.size() && !execution.cancelled();) {
      const auto& [bucket, first, n] = tasks[t];
      const auto& rows = *bucket;
      visit_pairs(matrix, rows, first, n, &columns, [&](size_t i, size_t j, double cosine) {
        if (1 - cosine < distance + kSlack) sets[slot].join(rows[i], rows[j]);
      });
      on_step(double(done += uint64_t(cost(tasks[t]))) / all);
    }
  });
  if (execution.cancelled()) return {Code::kCancelled};

  Sets joined = std::move(sets.front());
  for (size_t slot = 1; slot < threads; ++slot)
    for (uint32_t i = 0; i < matrix.rows(); ++i) joined.join(i, sets[slot].find(i));
  std::vector<std::vector<uint32_t>> by_lowest(matrix.rows());
  for (uint32_t i = 0; i < matrix.rows(); ++i) by_lowest[joined.find(i)].push_back(i);
  components->clear();
  for (auto& rows : by_lowest)
    if (!rows.empty()) components->push_back(std::move(rows));
  return {};
}

}  // namespace skillspan
