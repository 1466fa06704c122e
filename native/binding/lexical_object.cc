#include <cmath>
#include <cstdint>

#include "../core/files/word_file.h"
#include "../core/lexical/index.h"
#include "../core/lexical/top_documents.h"
#include "arguments.h"
#include "errors.h"
#include "held.h"
#include "jobs.h"
#include "operations.h"
#include "update_job.h"

namespace skillspan {
namespace {

using lexical::Index;
using lexical::Model;
using lexical::Scoring;
using lexical::Snapshot;
using lexical::Vocabulary;
using lexical::WeightedTerm;

using HeldIndex = Held<Index>;

class TopJob : public Job {
 public:
  TopJob(std::shared_ptr<const Snapshot> snapshot, std::vector<std::vector<WeightedTerm>> queries,
         std::vector<size_t> m, std::shared_ptr<const Allowed> allowed)
      : snapshot_(std::move(snapshot)),
        queries_(std::move(queries)),
        m_(std::move(m)),
        allowed_(std::move(allowed)) {}

  Status compute(const Execution& execution) override {
    return lexical::top_documents(*snapshot_, queries_, {m_, allowed_.get()}, execution, &hits_);
  }

  size_t products() const override { return 32 * snapshot_->size() * queries_.size(); }

  Napi::Value result(Napi::Env env) override {
    Napi::Array array = Napi::Array::New(env, hits_.size());
    for (size_t q = 0; q < hits_.size(); ++q) {
      auto ids = Napi::Uint32Array::New(env, hits_[q].size());
      auto scores = Napi::Float64Array::New(env, hits_[q].size());
      for (size_t i = 0; i < hits_[q].size(); ++i) {
        ids.Data()[i] = hits_[q][i].id;
        scores.Data()[i] = hits_[q][i].score;
      }
      Napi::Object object = Napi::Object::New(env);
      object["ids"] = ids;
      object["scores"] = scores;
      array[uint32_t(q)] = object;
    }
    return array;
  }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<std::vector<WeightedTerm>> queries_;
  std::vector<size_t> m_;
  std::shared_ptr<const Allowed> allowed_;
  std::vector<std::vector<Scored>> hits_;
};

class ScoresJob : public Job {
 public:
  ScoresJob(std::shared_ptr<const Snapshot> snapshot, std::vector<WeightedTerm> query,
            std::vector<uint32_t> ids)
      : snapshot_(std::move(snapshot)), query_(std::move(query)), ids_(std::move(ids)) {}

  Status compute(const Execution&) override {
    scores_ = snapshot_->scores_for(query_, ids_.data(), ids_.size());
    return {};
  }

  size_t products() const override { return 32 * query_.size() * ids_.size(); }

  Napi::Value result(Napi::Env env) override { return to_typed<Napi::Float64Array>(env, scores_); }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<WeightedTerm> query_;
  std::vector<uint32_t> ids_;
  std::vector<double> scores_;
};

class SaveJob : public Job {
 public:
  SaveJob(std::shared_ptr<const Snapshot> snapshot, std::string path, Vocabulary vocabulary)
      : snapshot_(std::move(snapshot)),
        path_(std::move(path)),
        vocabulary_(std::move(vocabulary)) {}

  Status compute(const Execution&) override {
    return lexical::save_words(*snapshot_, vocabulary_, path_);
  }
  size_t products() const override { return SIZE_MAX; }
  std::string subject() const override { return path_; }
  Napi::Value result(Napi::Env env) override { return env.Undefined(); }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  std::string path_;
  Vocabulary vocabulary_;
};

class OpenJob : public Job {
 public:
  explicit OpenJob(std::string path) : path_(std::move(path)) {}

  Status compute(const Execution&) override { return lexical::open_words(path_, &file_); }
  size_t products() const override { return SIZE_MAX; }
  std::string subject() const override { return path_; }

  Napi::Value result(Napi::Env env) override {
    auto held = std::make_shared<HeldIndex>(file_.scoring, std::move(file_.views));
    Napi::Object object = Napi::Object::New(env);
    object["index"] = AddonState::of(env).lexical_index_class.New(
        {Napi::External<std::shared_ptr<HeldIndex>>::New(env, &held)});
    object["text"] = file_.vocabulary.text;
    object["lengths"] = to_typed<Napi::Uint32Array>(env, file_.vocabulary.lengths);
    return object;
  }

 private:
  std::string path_;
  lexical::WordFile file_;
};

// Terms of one or more queries, side by side: a Uint32Array and a Float64Array.
std::vector<WeightedTerm> read_terms(const Napi::CallbackInfo& info, size_t argument) {
  const std::vector<uint32_t> terms = copy_words(info, argument, "terms");
  const double* weights = read_doubles(info, argument + 1, "weights", terms.size());
  std::vector<WeightedTerm> weighted(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw make_error(
          info.Env(), "ERR_OUT_OF_RANGE",
          "weights[" + std::to_string(i) + "]: expected a finite number of at least 0");
    weighted[i] = {terms[i], weights[i]};
  }
  return weighted;
}

void check_query_size(Napi::Env env, size_t terms) {
  if (terms > lexical::kMaxQueryTerms)
    throw make_error(env, "ERR_OUT_OF_RANGE",
                     "query: expected at most " + std::to_string(lexical::kMaxQueryTerms) +
                         " terms, got " + std::to_string(terms));
}

class NativeLexicalIndex : public Napi::ObjectWrap<NativeLexicalIndex> {
 public:
  explicit NativeLexicalIndex(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<NativeLexicalIndex>(info) {
    if (info[0].IsExternal()) {
      held_ = *info[0].As<Napi::External<std::shared_ptr<HeldIndex>>>().Data();
      if (!info[1].IsUndefined()) return;  // a fork, whose memory the first one answers for
      held_->report(info.Env(), int64_t(held_->index.snapshot()->bytes()));
      return;
    }
    const std::string model = info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : "";
    const double k1 = read_number(info, 1, "k1");
    const double b = read_number(info, 2, "b");
    if ((model != "bm25" && model != "tf-idf") || !Scoring::takes(k1, b))
      throw make_error(info.Env(), "ERR_INVALID_ARGUMENT",
                       "scoring: expected bm25 or tf-idf, k1 from 0 to 1000 and b from 0 to 1");
    held_ =
        std::make_shared<HeldIndex>(Scoring(model == "bm25" ? Model::kBm25 : Model::kTfIdf, k1, b));
  }

  void Finalize(Napi::BasicEnv env) override {
    if (!held_) return;
    held_->report(env, 0);
    held_->gone = true;
  }

  Napi::Value size(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), double(held_->index.snapshot()->size()));
  }

  Napi::Value fork(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    const auto snapshot = held_->index.snapshot();
    auto held = std::make_shared<HeldIndex>(snapshot->scoring(), snapshot->views());
    return AddonState::of(env).lexical_index_class.New(
        {Napi::External<std::shared_ptr<HeldIndex>>::New(env, &held),
         Napi::Boolean::New(env, true)});
  }

  Napi::Value update_now(const Napi::CallbackInfo& info) {
    UpdateJob<Index> job = update_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value update_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<UpdateJob<Index>>(update_job(info)));
  }
  Napi::Value search_now(const Napi::CallbackInfo& info) {
    TopJob job = top_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value search_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<TopJob>(top_job(info)));
  }
  Napi::Value scores_now(const Napi::CallbackInfo& info) {
    ScoresJob job = scores_job(info);
    return run_now(info.Env(), job);
  }
  Napi::Value scores_later(const Napi::CallbackInfo& info) {
    return run_later(info.Env(), std::make_unique<ScoresJob>(scores_job(info)));
  }

  Napi::Value save_later(const Napi::CallbackInfo& info) {
    Vocabulary vocabulary{read_text(info, 1, "text"), copy_words(info, 2, "lengths")};
    return run_later(info.Env(),
                     std::make_unique<SaveJob>(held_->index.snapshot(), read_text(info, 0, "path"),
                                               std::move(vocabulary)));
  }

 private:
  UpdateJob<Index> update_job(const Napi::CallbackInfo& info) {
    Index::Change change;
    lexical::Rows& added = change.added;
    added.ids = copy_words(info, 0, "ids");
    added.terms = copy_words(info, 2, "terms");
    added.offsets = copy_offsets(info, 1, "offsets", added.terms.size());
    added.frequencies = copy_floats(info, 3, "frequencies");
    if (added.offsets.size() != added.ids.size() + 1 ||
        added.frequencies.size() != added.terms.size())
      throw make_error(info.Env(), "ERR_INVALID_ARGUMENT",
                       "documents: expected an offset for each id and a frequency for each term");
    change.removed = copy_words(info, 4, "removed");
    return UpdateJob<Index>(held_, AddonState::of(info.Env()).pool, std::move(change));
  }

  TopJob top_job(const Napi::CallbackInfo& info) {
    const std::vector<WeightedTerm> terms = read_terms(info, 0);
    const std::vector<uint32_t> offsets = copy_offsets(info, 2, "offsets", terms.size());
    std::vector<std::vector<WeightedTerm>> queries;
    for (size_t q = 0; q + 1 < offsets.size(); ++q) {
      check_query_size(info.Env(), offsets[q + 1] - offsets[q]);
      queries.emplace_back(terms.begin() + offsets[q], terms.begin() + offsets[q + 1]);
    }
    std::vector<size_t> m = read_wanted(info, 3, queries.size());
    return TopJob(held_->index.snapshot(), std::move(queries), std::move(m), read_allowed(info, 4));
  }

  ScoresJob scores_job(const Napi::CallbackInfo& info) {
    std::vector<WeightedTerm> query = read_terms(info, 0);
    check_query_size(info.Env(), query.size());
    return ScoresJob(held_->index.snapshot(), std::move(query), copy_words(info, 2, "ids"));
  }

  std::shared_ptr<HeldIndex> held_;
};

Napi::Value open_later(const Napi::CallbackInfo& info) {
  return run_later(info.Env(), std::make_unique<OpenJob>(read_text(info, 0, "path")));
}

}  // namespace

void define_lexical_index(Napi::Env env, Napi::Object exports) {
  const Napi::Function type = NativeLexicalIndex::DefineClass(
      env, "NativeLexicalIndex",
      {
          NativeLexicalIndex::InstanceAccessor<&NativeLexicalIndex::size>("size"),
          NativeLexicalIndex::InstanceMethod<&NativeLexicalIndex::fork>("fork"),
          NativeLexicalIndex::InstanceMethod<&NativeLexicalIndex::update_now>("update"),
          NativeLexicalIndex::InstanceMethod<&NativeLexicalIndex::update_later>("updateAsync"),
          NativeLexicalIndex::InstanceMethod<&NativeLexicalIndex::search_now>("search"),
          NativeLexicalIndex::InstanceMethod<&NativeLexicalIndex::search_later>("searchAsync"),
          NativeLexicalIndex::InstanceMethod<&NativeLexicalIndex::scores_now>("scoresFor"),
          NativeLexicalIndex::InstanceMethod<&NativeLexicalIndex::scores_later>("scoresForAsync"),
          NativeLexicalIndex::InstanceMethod<&NativeLexicalIndex::save_later>("saveAsync"),
      });
  AddonState::of(env).lexical_index_class = Napi::Persistent(type);
  exports["NativeLexicalIndex"] = type;
  exports["openLexicalIndexAsync"] = Napi::Function::New<open_later>(env, "openLexicalIndexAsync");
}

}  // namespace skillspan
