#include "products.h"

#include <algorithm>
#include <atomic>

#include "core/code_kernels.h"
#include "core/exact.h"
#include "timing.h"

namespace skillspan::bench {
namespace {

// Our own vectorised comparison, so that selecting costs the others no more than us.
void offer(const float* scores, size_t n, size_t first, std::vector<uint32_t>* places, TopM* top) {
  const size_t whole = n / 16 * 16;
  const float least = rounded_down(top->threshold());
  const size_t found = active_code_kernels().at_least(scores, whole, least, places->data());
  for (size_t i = 0; i < found; ++i)
    top->offer({scores[(*places)[i]], uint32_t(first) + (*places)[i]});
  for (size_t r = whole; r < n; ++r) top->offer({scores[r], uint32_t(first + r)});
}

}  // namespace

std::vector<TopM> ProductSearch::search(const Matrix& rows, const Matrix& queries, size_t m,
                                        Pool* pool) const {
  const size_t n_queries = queries.rows();
  std::vector<std::vector<TopM>> tops(pool->threads(), std::vector<TopM>(n_queries, TopM(m)));
  std::atomic<size_t> next{0};
  pool->spread(pool->threads(), [&](size_t slot) {
    std::vector<float> scores(block_ * n_queries);
    std::vector<uint32_t> places(block_ + 16);
    for (size_t first; (first = next.fetch_add(block_)) < rows.rows();) {
      const size_t n = std::min(block_, rows.rows() - first);
      multiply_(rows.row(first), n, queries.row(0), n_queries, rows.stride(), scores.data());
      for (size_t q = 0; q < n_queries; ++q)
        offer(scores.data() + q * n, n, first, &places, &tops[slot][q]);
    }
  });
  for (size_t slot = 1; slot < tops.size(); ++slot)
    for (size_t q = 0; q < n_queries; ++q) tops[0][q].merge(tops[slot][q]);
  return std::move(tops[0]);
}

void ProductSearch::tune(const Matrix& rows, const Matrix& queries, size_t m, Pool* pool) {
  double best = 0;
  size_t fastest = block_;
  for (const size_t block : {256, 1024, 4096, 16384}) {
    block_ = block;
    const double seconds = seconds_of([&] { search(rows, queries, m, pool); });
    if (best > 0 && seconds >= best) continue;
    best = seconds;
    fastest = block;
  }
  block_ = fastest;
}

}  // namespace skillspan::bench
