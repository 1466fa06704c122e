#include "../core/route.h"
#include "arguments.h"
#include "errors.h"
#include "jobs.h"
#include "operations.h"

namespace skillspan {
namespace {

using IndexPointer = std::shared_ptr<const Index>;

size_t search_products(const Index& index, const Matrix& queries) {
  return index.matrix.rows() * queries.rows() * queries.stride();
}

class SearchJob : public Job {
 public:
  SearchJob(IndexPointer index, Matrix queries, size_t m)
      : index_(std::move(index)), queries_(std::move(queries)), m_(m) {}

  Status compute(const Execution& execution) override {
    return search(*index_, queries_, m_, execution, &hits_);
  }

  size_t products() const override { return search_products(*index_, queries_); }

  Napi::Value result(Napi::Env env) override {
    auto ids = Napi::Uint32Array::New(env, hits_.size() * m_);
    auto scores = Napi::Float32Array::New(env, hits_.size() * m_);
    size_t at = 0;
    for (const auto& query_hits : hits_) {
      for (const Scored& hit : query_hits) {
        ids.Data()[at] = hit.id;
        scores.Data()[at++] = float(hit.score);
      }
    }
    Napi::Object object = Napi::Object::New(env);
    object["ids"] = ids;
    object["scores"] = scores;
    return object;
  }

 private:
  IndexPointer index_;
  Matrix queries_;
  size_t m_;
  std::vector<std::vector<Scored>> hits_;
};

class RouteJob : public Job {
 public:
  RouteJob(IndexPointer index, Matrix queries, RouteOptions options)
      : index_(std::move(index)), queries_(std::move(queries)), options_(options) {}

  Status compute(const Execution& execution) override {
    return route(*index_, queries_, options_, execution, &routed_);
  }

  size_t products() const override {
    return search_products(*index_, queries_) +
           queries_.rows() * options_.pool_size * options_.select.k * queries_.stride();
  }

  Napi::Value result(Napi::Env env) override {
    Napi::Array array = Napi::Array::New(env, routed_.size());
    for (size_t q = 0; q < routed_.size(); ++q) {
      const std::vector<Scored>& candidates = routed_[q].candidates;
      auto ids = Napi::Uint32Array::New(env, candidates.size());
      auto similarities = Napi::Float64Array::New(env, candidates.size());
      for (size_t i = 0; i < candidates.size(); ++i) {
        ids.Data()[i] = candidates[i].id;
        similarities.Data()[i] = candidates[i].score;
      }
      Napi::Object object = to_object(env, routed_[q].selection);
      object["ids"] = ids;
      object["similarities"] = similarities;
      array[uint32_t(q)] = object;
    }
    return array;
  }

 private:
  IndexPointer index_;
  Matrix queries_;
  RouteOptions options_;
  std::vector<Routed> routed_;
};

class NativeIndex : public Napi::ObjectWrap<NativeIndex> {
 public:
  explicit NativeIndex(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NativeIndex>(info) {
    const size_t dim = read_count(info, 1, "dim", 1, UINT32_MAX);
    auto index = std::make_shared<Index>(
        read_index(info, 0, "vectors", dim, AddonState::of(info.Env()).pool.get()));
    if (index->matrix.rows() > UINT32_MAX)
      throw make_error(
          info.Env(), "ERR_OUT_OF_RANGE",
          "vectors: expected at most 4294967295 rows, got " + std::to_string(index->matrix.rows()));
    index_ = std::move(index);
    Napi::MemoryManagement::AdjustExternalMemory(info.Env(), bytes());
  }

  void Finalize(Napi::BasicEnv env) override {
    if (index_) Napi::MemoryManagement::AdjustExternalMemory(env, -bytes());
  }

  Napi::Value size(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), double(index_->matrix.rows()));
  }
  Napi::Value dim(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), double(index_->matrix.dim()));
  }

  Napi::Value search_now(const Napi::CallbackInfo& info) {
    SearchJob job = search_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value search_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<SearchJob>(search_job(info)));
  }
  Napi::Value route_now(const Napi::CallbackInfo& info) {
    RouteJob job = route_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value route_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<RouteJob>(route_job(info)));
  }

 private:
  SearchJob search_job(const Napi::CallbackInfo& info) {
    Matrix queries = read_matrix(info, 0, "queries", index_->matrix.dim());
    return SearchJob(index_, std::move(queries),
                     read_count(info, 1, "m", 1, index_->matrix.rows()));
  }

  RouteJob route_job(const Napi::CallbackInfo& info) {
    Matrix queries = read_matrix(info, 0, "queries", index_->matrix.dim());
    RouteOptions options;
    options.pool_size = read_count(info, 1, "candidates", 1, index_->matrix.rows());
    options.select.method = read_method(info, 2);
    options.select.k = read_count(info, 3, "k", 1, options.pool_size);
    options.select.lambda = read_number(info, 4, "lambda");
    options.sharpness = read_number(info, 5, "sharpness");
    options.select.explain = read_flag(info, 6, "explain");
    return RouteJob(index_, std::move(queries), options);
  }

  int64_t bytes() const { return int64_t(index_->bytes()); }

  IndexPointer index_;
};

}  // namespace

Napi::Function define_index(Napi::Env env) {
  return NativeIndex::DefineClass(
      env, "NativeIndex",
      {
          NativeIndex::InstanceAccessor<&NativeIndex::size>("size"),
          NativeIndex::InstanceAccessor<&NativeIndex::dim>("dim"),
          NativeIndex::InstanceMethod<&NativeIndex::search_now>("search"),
          NativeIndex::InstanceMethod<&NativeIndex::search_later>("searchAsync"),
          NativeIndex::InstanceMethod<&NativeIndex::route_now>("route"),
          NativeIndex::InstanceMethod<&NativeIndex::route_later>("routeAsync"),
      });
}

}  // namespace skillspan
