// skillspan_bench KIND N DIM BATCHES [VECTORS QUERIES]
//   KIND      clustered, iid, or files: then float32 numbers are read from the two files named
//   BATCHES   how many queries a call, such as 1,64,1024
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>

#include "core/scan.h"
#include "core/search.h"
#include "core/two_level.h"
#include "products.h"
#include "sets.h"
#include "timing.h"

namespace skillspan::bench {
namespace {

constexpr size_t kTop = 50;
constexpr size_t kQueries = 1024;  // of every set; calls take them in turn

using Hits = std::vector<std::vector<Scored>>;

Hits hits_of(const std::vector<TopM>& tops) {
  Hits hits;
  for (const TopM& top : tops) hits.push_back(top.sorted());
  return hits;
}

// A contender that answers something else is no contender.
void check(const char* name, const Hits& ours, const Hits& theirs) {
  for (size_t q = 0; q < ours.size(); ++q)
    for (size_t i = 0; i < ours[q].size(); ++i)
      if (std::abs(ours[q][i].score - theirs[q][i].score) > 1e-5) {
        std::fprintf(stderr, "%s answers something else\n", name);
        std::exit(1);
      }
}

std::vector<ProductSearch> products() {
  std::vector<ProductSearch> products;
#if SKILLSPAN_HAS_OPENBLAS
  products.emplace_back("OpenBLAS sgemm + top 50", multiply_openblas);
#endif
#if SKILLSPAN_HAS_EIGEN
  products.emplace_back("Eigen GEMM + top 50", multiply_eigen);
#endif
  return products;
}

void one_thread_a_product() {
#if SKILLSPAN_HAS_OPENBLAS
  set_openblas_threads(1);
#endif
}

class Comparison {
 public:
  Comparison(const Snapshot& snapshot, const Snapshot& probable, const Matrix& queries, size_t b,
             Pool* pool)
      : snapshot_(snapshot),
        probable_(probable),
        segment_(snapshot.views().front().segment()),
        mask_(segment_.rows()) {
    execution_.pool = pool;
    const size_t n = b == 1 ? queries.rows() : queries.rows() / b;
    batches_.resize(n);
    for (size_t i = 0; i < n; ++i)
      Matrix::borrow(queries.row(i * b), b, queries.stride(), &batches_[i]);
  }

  void run(const std::string& title) {
    const size_t b = batches_[0].rows();
    std::vector<Contender> contenders{
        {"skillspan, exact", [this] { search_ours(snapshot_, next()); }},
        {"skillspan, exact but for 1e-12", [this] { search_ours(probable_, next()); }},
        {"own float32 scan", [this] { scan_own(next()); }, b == 1 ? float_bytes() : 0},
    };
    const Hits expected = search_ours(snapshot_, batches_[0]);
    check("the scan", expected, hits_of(scan_own(batches_[0])));
    check("the probable search", expected, search_ours(probable_, batches_[0]));
    if (b == 1) add_reads(&contenders);
    std::vector<ProductSearch> others = products();
    for (ProductSearch& other : others) {
      one_thread_a_product();
      other.tune(rows(), batches_[0], kTop, execution_.pool);
      check(other.name(), expected, hits_of(search_by(other, batches_[0])));
      contenders.push_back(
          {other.name() + std::string(", blocks of ") + std::to_string(other.block()),
           [this, &other] { search_by(other, next()); }});
    }
#if SKILLSPAN_HAS_OPENBLAS
    std::vector<float> scores(b * rows().rows());
    contenders.push_back({"OpenBLAS sgemm alone, one call", [this, b, &scores] {
                            set_openblas_threads(execution_.threads());
                            multiply_openblas(rows().row(0), rows().rows(), next().row(0), b,
                                              rows().stride(), scores.data());
                          }});
#endif
    compare(title, b, contenders);
  }

 private:
  const Matrix& rows() const { return segment_.matrix; }
  const Matrix& next() { return batches_[at_++ % batches_.size()]; }

  Hits search_ours(const Snapshot& snapshot, const Matrix& queries) {
    Hits hits;
    search(snapshot, queries, top_of_each(queries, kTop), execution_, &hits);
    return hits;
  }

  std::vector<TopM> scan_own(const Matrix& queries) {
    std::vector<TopM> tops(queries.rows(), TopM(kTop));
    scan({segment_, mask_}, queries, execution_, &tops);
    return tops;
  }

  std::vector<TopM> search_by(const ProductSearch& product, const Matrix& queries) {
    one_thread_a_product();
    return product.search(rows(), queries, kTop, execution_.pool);
  }

  double float_bytes() const {
    return double(rows().rows()) * double(rows().stride()) * sizeof(float);
  }

  // How long this machine takes to merely read the codes.
  void add_reads(std::vector<Contender>* contenders) {
    const auto add = [&](const char* name, const void* data, double bytes) {
      contenders->push_back({name, [this, data, bytes] { read(data, size_t(bytes)); }, bytes});
    };
    if (segment_.codes.empty()) return;
    const double numbers = double(rows().rows()) * double(segment_.codes.stride());
    add("reading the 8-bit codes", segment_.codes.fine(0), numbers);
    add("reading the 4-bit codes", segment_.codes.coarse(0), numbers / 2);
  }

  void read(const void* data, size_t bytes) {
    constexpr size_t kStretch = 1 << 15;  // words
    const uint64_t* const words = static_cast<const uint64_t*>(data);
    const size_t n = bytes / sizeof(uint64_t);
    std::atomic<size_t> next{0};
    spread(execution_, execution_.threads(), [&](size_t) {
      uint64_t sum = 0;
      for (size_t first; (first = next.fetch_add(kStretch)) < n;)
        sum += std::accumulate(words + first, words + std::min(first + kStretch, n), uint64_t{0});
      sum_ += sum;
    });
  }

  const Snapshot& snapshot_;
  const Snapshot& probable_;  // of the same vectors
  const Segment& segment_;
  RowMask mask_;
  Execution execution_;
  std::vector<Matrix> batches_;
  size_t at_ = 0;
  std::atomic<uint64_t> sum_{0};  // so that reading is not optimised away
};

// Vectors are lent: they must outlive the index.
Snapshot index_of(const Matrix& vectors, Exactness exactness, Pool* pool) {
  Segment segment;
  segment.matrix = Matrix::assembled(
      vectors.dim(), Array<float>::lent(vectors.values().data(), vectors.values().size()),
      Array<double>::lent(vectors.norms(), vectors.rows()));
  segment.ids = Array<uint32_t>::uninitialised(segment.matrix.rows());
  for (size_t i = 0; i < segment.rows(); ++i) segment.ids.writable()[i] = uint32_t(i);
  const double seconds = seconds_of([&] { segment.encode(exactness, pool); });
  std::printf("  encoded%s in %.2f s on %zu thread(s); %.1f %% of rows survive 4 bits in a trial\n",
              exactness == Exactness::kProbable ? ", with a dither," : "", seconds, pool->threads(),
              segment.codes.empty() ? 0 : 100 * coarse_survivors(segment));
  const size_t dim = segment.matrix.dim();
  return Snapshot(dim, {View(std::make_shared<const Segment>(std::move(segment)))});
}

int run(int argc, char** argv) {
  if (argc != 5 && argc != 7) {
    std::fprintf(stderr, "expected KIND N DIM BATCHES [VECTORS QUERIES]\n");
    return 2;
  }
  const std::string kind = argv[1];
  const size_t n = std::strtoull(argv[2], nullptr, 10), dim = std::strtoull(argv[3], nullptr, 10);
  const Set set =
      kind == "files" ? from_files(argv[5], argv[6], dim) : synthetic(kind, n, dim, kQueries);
  std::printf("%s %zu x %zu, top %zu, %s", kind.c_str(), set.vectors.rows(), dim, kTop,
              isa_name(active_isa()));
#if SKILLSPAN_HAS_OPENBLAS
  std::printf(", OpenBLAS for %s", openblas_core());
#endif
  std::printf("; a query's median time, ratios to skillspan\n");

  Pool all(available_threads()), one(1);
  const Snapshot snapshot = index_of(set.vectors, Exactness::kCertain, &all);
  const Snapshot probable = index_of(set.vectors, Exactness::kProbable, &all);
  std::string batch;
  for (std::istringstream batches(argv[4]); std::getline(batches, batch, ',');)
    for (Pool* pool : {&one, &all}) {
      if (pool == &all && all.threads() == 1) continue;
      const size_t b = std::strtoull(batch.c_str(), nullptr, 10);
      Comparison(snapshot, probable, set.queries, b, pool)
          .run(batch + " a call, " + std::to_string(pool->threads()) + " thread(s)");
    }
  return 0;
}

}  // namespace
}  // namespace skillspan::bench

int main(int argc, char** argv) { return skillspan::bench::run(argc, argv); }
