#include "../core/clustering/neighbourhoods.h"
#include "arguments.h"
#include "jobs.h"
#include "operations.h"

namespace skillspan {
namespace {

// Shared with JavaScript, which may ask after the job is gone.
using Thousandths = std::shared_ptr<std::atomic<uint32_t>>;

class NeighbourhoodsJob : public Job {
 public:
  NeighbourhoodsJob(Matrix matrix, const NeighbourhoodOptions& options, Thousandths thousandths)
      : matrix_(std::move(matrix)), options_(options), thousandths_(std::move(thousandths)) {
    options_.thousandths = thousandths_.get();
  }

  Status compute(const Execution& execution) override {
    return find_neighbourhoods(matrix_, options_, execution, &found_);
  }

  size_t products() const override { return SIZE_MAX; }

  // The groups one after another, and how large each is.
  Napi::Value result(Napi::Env env) override {
    std::vector<uint32_t> rows, sizes;
    for (const auto& group : found_.groups) {
      rows.insert(rows.end(), group.begin(), group.end());
      sizes.push_back(uint32_t(group.size()));
    }
    Napi::Object object = Napi::Object::New(env);
    object["rows"] = to_typed<Napi::Uint32Array>(env, rows);
    object["sizes"] = to_typed<Napi::Uint32Array>(env, sizes);
    object["buckets"] = to_typed<Napi::Uint32Array>(env, found_.bucket);
    return object;
  }

 private:
  Matrix matrix_;
  NeighbourhoodOptions options_;
  Thousandths thousandths_;
  Neighbourhoods found_;
};

Napi::Value find_later(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Matrix matrix = read_matrix(info, 0, "vectors", read_count(info, 1, "dim", 1, UINT32_MAX));
  NeighbourhoodOptions options;
  options.buckets = read_count(info, 2, "buckets", 1, UINT32_MAX);
  options.distance = read_number(info, 3, "distance");
  options.max_size = read_count(info, 4, "maxSize", 3, UINT32_MAX);
  options.min_size = read_count(info, 5, "minSize", 2, (options.max_size + 1) / 2);
  options.seed = read_count(info, 6, "seed", 0, UINT32_MAX);
  auto thousandths = std::make_shared<std::atomic<uint32_t>>(0);
  Napi::Value handle =
      run_later(env, std::make_unique<NeighbourhoodsJob>(std::move(matrix), options, thousandths));
  handle.As<Napi::Object>()["progress"] =
      Napi::Function::New(env, [thousandths](const Napi::CallbackInfo& call) {
        return Napi::Number::New(call.Env(), double(*thousandths));
      });
  return handle;
}

}  // namespace

void define_clustering(Napi::Env env, Napi::Object exports) {
  exports["findNeighbourhoodsAsync"] =
      Napi::Function::New<find_later>(env, "findNeighbourhoodsAsync");
}

}  // namespace skillspan
