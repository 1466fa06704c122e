#include "../core/files/vector_file.h"
#include "../core/index.h"
#include "../core/route.h"
#include "arguments.h"
#include "errors.h"
#include "held.h"
#include "jobs.h"
#include "operations.h"
#include "update_job.h"

namespace skillspan {
namespace {

using SnapshotPointer = std::shared_ptr<const Snapshot>;

size_t search_products(const Snapshot& snapshot, const Matrix& queries) {
  return snapshot.size() * queries.rows() * queries.stride();
}

using HeldIndex = Held<Index>;

class SearchJob : public Job {
 public:
  SearchJob(SnapshotPointer snapshot, Matrix queries, SearchOptions options)
      : snapshot_(std::move(snapshot)),
        queries_(std::move(queries)),
        options_(std::move(options)) {}

  Status compute(const Execution& execution) override {
    return search(*snapshot_, queries_, options_, execution, &hits_);
  }

  size_t products() const override { return search_products(*snapshot_, queries_); }

  Napi::Value result(Napi::Env env) override {
    auto offsets = Napi::Uint32Array::New(env, hits_.size() + 1);
    uint32_t total = 0;
    for (size_t q = 0; q < hits_.size(); ++q)
      offsets.Data()[q + 1] = total += uint32_t(hits_[q].size());
    auto ids = Napi::Uint32Array::New(env, total);
    auto scores = Napi::Float32Array::New(env, total);
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
    object["offsets"] = offsets;
    return object;
  }

 private:
  SnapshotPointer snapshot_;
  Matrix queries_;
  SearchOptions options_;
  std::vector<std::vector<Scored>> hits_;
};

class ScoresJob : public Job {
 public:
  ScoresJob(SnapshotPointer snapshot, Matrix queries, std::vector<uint32_t> ids)
      : snapshot_(std::move(snapshot)), queries_(std::move(queries)), ids_(std::move(ids)) {}

  Status compute(const Execution&) override {
    scores_ = scores_for(*snapshot_, queries_, ids_);
    return {};
  }
  size_t products() const override { return queries_.rows() * ids_.size() * queries_.stride(); }
  Napi::Value result(Napi::Env env) override { return to_typed<Napi::Float64Array>(env, scores_); }

 private:
  SnapshotPointer snapshot_;
  Matrix queries_;
  std::vector<uint32_t> ids_;
  std::vector<double> scores_;
};

class RouteJob : public Job {
 public:
  RouteJob(SnapshotPointer snapshot, Matrix queries, RouteOptions options)
      : snapshot_(std::move(snapshot)),
        queries_(std::move(queries)),
        options_(std::move(options)) {}

  Status compute(const Execution& execution) override {
    return route(*snapshot_, queries_, options_, execution, &routed_);
  }

  size_t products() const override {
    return search_products(*snapshot_, queries_) +
           queries_.rows() * options_.candidates * options_.select.k * queries_.stride();
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
  SnapshotPointer snapshot_;
  Matrix queries_;
  RouteOptions options_;
  std::vector<Routed> routed_;
};

class PoolJob : public Job {
 public:
  PoolJob(SnapshotPointer snapshot, PoolQuery pool, const SelectOptions& options)
      : snapshot_(std::move(snapshot)), pool_(std::move(pool)), options_(options) {}

  Status compute(const Execution&) override {
    present_ = select_from(*snapshot_, pool_, options_, &selection_);
    return {};
  }
  size_t products() const override {
    return pool_.ids.size() * options_.k * pool_.query.stride() * (options_.explain ? 2 : 1);
  }
  Napi::Value result(Napi::Env env) override {
    return present_ ? Napi::Value(to_object(env, selection_)) : env.Undefined();
  }

 private:
  SnapshotPointer snapshot_;
  PoolQuery pool_;
  SelectOptions options_;
  bool present_ = false;
  Selection selection_;
};

class SaveJob : public Job {
 public:
  SaveJob(SnapshotPointer snapshot, std::string path, std::string encoder)
      : snapshot_(std::move(snapshot)), path_(std::move(path)), encoder_(std::move(encoder)) {}

  Status compute(const Execution& execution) override {
    return save_vectors(*snapshot_, encoder_, path_, execution.pool);
  }
  size_t products() const override { return SIZE_MAX; }
  std::string subject() const override { return path_; }
  Napi::Value result(Napi::Env env) override { return env.Undefined(); }

 private:
  SnapshotPointer snapshot_;
  std::string path_;
  std::string encoder_;
};

class OpenJob : public Job {
 public:
  OpenJob(std::string path, bool check_rows) : path_(std::move(path)), check_rows_(check_rows) {}

  Status compute(const Execution&) override { return open_vectors(path_, check_rows_, &file_); }
  size_t products() const override { return SIZE_MAX; }
  std::string subject() const override { return path_; }

  Napi::Value result(Napi::Env env) override {
    auto held = file_.segment.rows() > 0
                    ? std::make_shared<HeldIndex>(std::move(file_.segment), file_.exactness)
                    : std::make_shared<HeldIndex>(file_.dim, file_.exactness);
    Napi::Object object = Napi::Object::New(env);
    object["index"] = AddonState::of(env).index_class.New(
        {Napi::External<std::shared_ptr<HeldIndex>>::New(env, &held)});
    object["encoder"] = file_.encoder;
    return object;
  }

 private:
  std::string path_;
  bool check_rows_;
  VectorFile file_;
};

class NativeIndex : public Napi::ObjectWrap<NativeIndex> {
 public:
  explicit NativeIndex(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NativeIndex>(info) {
    if (info[0].IsExternal()) {
      held_ = *info[0].As<Napi::External<std::shared_ptr<HeldIndex>>>().Data();
      return;  // mapped or shared memory is no burden of this object alone
    }
    const size_t dim = read_count(info, 1, "dim", 1, UINT32_MAX);
    const Exactness exactness =
        read_flag(info, 2, "probable") ? Exactness::kProbable : Exactness::kCertain;
    if (info[0].IsUndefined()) {
      held_ = std::make_shared<HeldIndex>(dim, exactness);
    } else {
      Pool* const pool = AddonState::of(info.Env()).pool.get();
      held_ = std::make_shared<HeldIndex>(read_segment(info, 0, "vectors", dim, exactness, pool),
                                          exactness);
    }
    held_->report(info.Env(), int64_t(held_->index.snapshot()->bytes()));
  }

  void Finalize(Napi::BasicEnv env) override {
    if (!held_) return;
    held_->report(env, 0);
    held_->gone = true;
  }

  Napi::Value size(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), double(held_->index.snapshot()->size()));
  }
  Napi::Value dim(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), double(held_->index.snapshot()->dim()));
  }
  Napi::Value probable(const Napi::CallbackInfo& info) {
    return Napi::Boolean::New(info.Env(),
                              held_->index.snapshot()->exactness() == Exactness::kProbable);
  }

  Napi::Value fork(const Napi::CallbackInfo& info) {
    const SnapshotPointer snapshot = held_->index.snapshot();
    auto held =
        std::make_shared<HeldIndex>(snapshot->dim(), snapshot->exactness(), snapshot->views());
    return AddonState::of(info.Env())
        .index_class.New({Napi::External<std::shared_ptr<HeldIndex>>::New(info.Env(), &held)});
  }

  Napi::Value update_now(const Napi::CallbackInfo& info) {
    UpdateJob<Index> job = update_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value update_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<UpdateJob<Index>>(update_job(info)));
  }
  Napi::Value search_now(const Napi::CallbackInfo& info) {
    SearchJob job = search_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value search_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<SearchJob>(search_job(info)));
  }
  Napi::Value scores_now(const Napi::CallbackInfo& info) {
    ScoresJob job = scores_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value scores_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<ScoresJob>(scores_job(info)));
  }
  Napi::Value route_now(const Napi::CallbackInfo& info) {
    RouteJob job = route_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value route_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<RouteJob>(route_job(info)));
  }

  Napi::Value select_now(const Napi::CallbackInfo& info) {
    PoolJob job = pool_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value select_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<PoolJob>(pool_job(info)));
  }
  Napi::Value save_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(),
                     std::make_unique<SaveJob>(held_->index.snapshot(), read_text(info, 0, "path"),
                                               read_text(info, 1, "encoder")));
  }

 private:
  UpdateJob<Index> update_job(const Napi::CallbackInfo& info) {
    Index::Change change;
    change.ids = copy_words(info, 0, "ids");
    if (!change.ids.empty())
      change.rows = read_matrix(info, 1, "vectors", held_->index.snapshot()->dim());
    if (change.rows.rows() != change.ids.size())
      throw make_error(info.Env(), "ERR_INVALID_ARGUMENT", "vectors: expected a row for each id");
    change.removed = copy_words(info, 2, "removed");
    return UpdateJob<Index>(held_, AddonState::of(info.Env()).pool, std::move(change));
  }

  SearchJob search_job(const Napi::CallbackInfo& info) {
    SnapshotPointer snapshot = held_->index.snapshot();
    Matrix queries = read_matrix(info, 0, "queries", snapshot->dim());
    SearchOptions options{read_wanted(info, 1, queries.rows()), read_allowed(info, 2)};
    return SearchJob(std::move(snapshot), std::move(queries), std::move(options));
  }

  ScoresJob scores_job(const Napi::CallbackInfo& info) {
    SnapshotPointer snapshot = held_->index.snapshot();
    Matrix queries = read_matrix(info, 0, "queries", snapshot->dim());
    return ScoresJob(std::move(snapshot), std::move(queries), copy_words(info, 1, "ids"));
  }

  RouteJob route_job(const Napi::CallbackInfo& info) {
    SnapshotPointer snapshot = held_->index.snapshot();
    Matrix queries = read_matrix(info, 0, "queries", snapshot->dim());
    RouteOptions options;
    options.candidates = read_count(info, 1, "candidates", 1, UINT32_MAX);
    options.select.method = read_method(info, 2);
    options.select.k = read_count(info, 3, "k", 1, options.candidates);
    options.select.lambda = read_number(info, 4, "lambda");
    options.sharpness = read_number(info, 5, "sharpness");
    options.select.explain = read_flag(info, 6, "explain");
    options.allowed = read_allowed(info, 7);
    return RouteJob(std::move(snapshot), std::move(queries), std::move(options));
  }

  PoolJob pool_job(const Napi::CallbackInfo& info) {
    SnapshotPointer snapshot = held_->index.snapshot();
    PoolQuery pool;
    pool.query = read_matrix(info, 0, "query", snapshot->dim());
    pool.ids = copy_words(info, 1, "ids");
    const size_t m = pool.ids.size();
    const double* relevance = read_doubles(info, 2, "relevance", m);
    pool.relevance.assign(relevance, relevance + m);
    SelectOptions options;
    options.method = read_method(info, 3);
    options.k = read_count(info, 4, "k", 1, m);
    options.lambda = read_number(info, 5, "lambda");
    options.explain = read_flag(info, 6, "explain");
    if (!info[7].IsUndefined()) {
      pool.facets = copy_floats(info, 7, "facets");
      pool.n_facets = read_count(info, 8, "facets", 1, UINT32_MAX);
      pool.facet_weight = read_number(info, 9, "weight");
      if (pool.facets.size() != m * pool.n_facets)
        throw make_error(info.Env(), "ERR_INVALID_ARGUMENT", "facets: expected a row for each id");
    }
    return PoolJob(std::move(snapshot), std::move(pool), options);
  }

  std::shared_ptr<HeldIndex> held_;
};

Napi::Value open_later(const Napi::CallbackInfo& info) {
  return run_later(info.Env(), std::make_unique<OpenJob>(read_text(info, 0, "path"),
                                                         read_flag(info, 1, "checkRows")));
}

}  // namespace

void define_index(Napi::Env env, Napi::Object exports) {
  const Napi::Function type = NativeIndex::DefineClass(
      env, "NativeIndex",
      {
          NativeIndex::InstanceAccessor<&NativeIndex::size>("size"),
          NativeIndex::InstanceAccessor<&NativeIndex::dim>("dim"),
          NativeIndex::InstanceAccessor<&NativeIndex::probable>("probable"),
          NativeIndex::InstanceMethod<&NativeIndex::fork>("fork"),
          NativeIndex::InstanceMethod<&NativeIndex::update_now>("update"),
          NativeIndex::InstanceMethod<&NativeIndex::update_later>("updateAsync"),
          NativeIndex::InstanceMethod<&NativeIndex::search_now>("search"),
          NativeIndex::InstanceMethod<&NativeIndex::search_later>("searchAsync"),
          NativeIndex::InstanceMethod<&NativeIndex::scores_now>("scoresFor"),
          NativeIndex::InstanceMethod<&NativeIndex::scores_later>("scoresForAsync"),
          NativeIndex::InstanceMethod<&NativeIndex::route_now>("route"),
          NativeIndex::InstanceMethod<&NativeIndex::route_later>("routeAsync"),
          NativeIndex::InstanceMethod<&NativeIndex::select_now>("select"),
          NativeIndex::InstanceMethod<&NativeIndex::select_later>("selectAsync"),
          NativeIndex::InstanceMethod<&NativeIndex::save_later>("saveAsync"),
      });
  AddonState::of(env).index_class = Napi::Persistent(type);
  exports["NativeIndex"] = type;
  exports["openIndexAsync"] = Napi::Function::New<open_later>(env, "openIndexAsync");
}

}  // namespace skillspan
