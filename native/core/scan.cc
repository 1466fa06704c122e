#include "scan.h"

#include <algorithm>

#include "exact.h"

namespace skillspan {
namespace {

// A block of rows stays in the second-level cache while every query of a group passes over it.
constexpr size_t kBlockBytes = 256 * 1024;
constexpr size_t kQueryGroup = 48;
// Waking a thread costs some 10 us; below this many multiply-adds a share it is not earned back.
constexpr size_t kMinWorkPerThread = 1 << 20;

size_t block_rows(size_t stride) {
  return std::clamp<size_t>(kBlockBytes / (stride * sizeof(float)), 16, 1024);
}

void offer_block(const float* scores, size_t n_rows, size_t first_row, size_t n_queries,
                 const RowMask& mask, TopM* tops) {
  for (size_t q = 0; q < n_queries; ++q) {
    TopM& top = tops[q];
    double threshold = top.threshold();
    for (size_t r = 0; r < n_rows; ++r) {
      const double score = scores[r * n_queries + q];
      if (score < threshold || !mask.has(first_row + r)) continue;
      top.offer({score, uint32_t(first_row + r)});
      threshold = top.threshold();
    }
  }
}

}  // namespace

Status scan(const Scope& scope, const Matrix& queries, const Execution& execution,
            std::vector<TopM>* exact) {
  if (queries.rows() == 0) return {};
  const Matrix& index = scope.segment.matrix;
  const Kernels& kernels = active_kernels();
  const size_t stride = index.stride();
  const size_t block = block_rows(stride);
  const size_t n_blocks = (index.rows() + block - 1) / block;
  const size_t products = index.rows() * queries.rows() * stride;
  const size_t threads =
      std::clamp<size_t>(products / kMinWorkPerThread, 1, std::min(execution.threads(), n_blocks));

  std::vector<TopM> none;
  for (const TopM& top : *exact) none.push_back(TopM(std::min(top.capacity(), scope.mask.count())));
  std::vector<std::vector<TopM>> tops(threads, none);
  std::atomic<size_t> next_block{0};
  const auto work_through = [&](size_t slot) {
    std::vector<float> scores(block * std::min(queries.rows(), kQueryGroup));
    for (size_t b; (b = next_block.fetch_add(1)) < n_blocks;) {
      if (execution.cancelled()) return;
      const size_t first = b * block;
      const size_t n_rows = std::min(block, index.rows() - first);
      for (size_t q = 0; q < queries.rows(); q += kQueryGroup) {
        const size_t n_queries = std::min(kQueryGroup, queries.rows() - q);
        kernels.dot_block(index.row(first), n_rows, queries.row(q), n_queries, stride,
                          scores.data());
        offer_block(scores.data(), n_rows, first, n_queries, scope.mask, tops[slot].data() + q);
      }
    }
  };
  spread(execution, threads, work_through);
  if (execution.cancelled()) return {Code::kCancelled};

  for (size_t q = 0; q < queries.rows(); ++q) {
    TopM& merged = tops[0][q];
    for (size_t slot = 1; slot < threads; ++slot) merged.merge(tops[slot][q]);
    score_exactly(scope.segment, queries, q, merged.ids(), &(*exact)[q]);
  }
  return {};
}

}  // namespace skillspan
