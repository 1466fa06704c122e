#include "../core/select.h"
#include "arguments.h"
#include "errors.h"
#include "jobs.h"
#include "operations.h"

namespace skillspan {
namespace {

class SelectJob : public Job {
 public:
  // cosines: those of the embeddings with the query, or none where compute() is to find them.
  SelectJob(Matrix query, Matrix embeddings, std::vector<double> cosines,
            std::vector<double> relevance, SelectOptions options)
      : query_(std::move(query)),
        embeddings_(std::move(embeddings)),
        cosines_(std::move(cosines)),
        relevance_(std::move(relevance)),
        options_(options) {}

  Status compute(const Execution&) override {
    const size_t m = embeddings_.rows();
    std::vector<const float*> rows(m);
    for (size_t i = 0; i < m; ++i) rows[i] = embeddings_.row(i);
    if (cosines_.empty()) cosines_ = embeddings_.cosines(query_);
    selection_ = select({rows.data(), embeddings_.norms(), cosines_.data(), m, embeddings_.stride(),
                         relevance_.data()},
                        options_);
    return {};
  }

  size_t products() const override {
    return embeddings_.rows() * options_.k * embeddings_.stride();
  }

  Napi::Value result(Napi::Env env) override { return to_object(env, selection_); }

 private:
  Matrix query_;
  Matrix embeddings_;
  std::vector<double> cosines_;
  std::vector<double> relevance_;
  SelectOptions options_;
  Selection selection_;
};

size_t length_of(const Napi::Value& value) {
  return value.IsTypedArray() ? value.As<Napi::TypedArray>().ElementLength() : size_t{0};
}

SelectJob select_job(const Napi::CallbackInfo& info, Matrix query, Matrix embeddings,
                     std::vector<double> cosines) {
  const size_t m = embeddings.rows();
  const double* quality = read_doubles(info, 2, "quality", m);
  SelectOptions options;
  options.method = read_method(info, 3);
  options.k = read_count(info, 4, "k", 1, m);
  options.lambda = read_number(info, 5, "lambda");
  options.explain = read_flag(info, 6, "explain");
  std::vector<double> relevance;
  const Status status = relevance_of(options.method, quality, m, &relevance);
  if (!status.ok()) throw make_error(info.Env(), status, "quality");
  return SelectJob(std::move(query), std::move(embeddings), std::move(cosines),
                   std::move(relevance), options);
}

Napi::Value select_now(const Napi::CallbackInfo& info) {
  Matrix query = borrow_matrix(info, 0, "query", length_of(info[0]));
  std::vector<double> cosines;
  Matrix embeddings = borrow_with_cosines(info, 1, "embeddings", query, &cosines);
  SelectJob job = select_job(info, std::move(query), std::move(embeddings), std::move(cosines));
  return run_now(info.Env(), job);
}

Napi::Value select_later(const Napi::CallbackInfo& info) {
  Matrix query = read_matrix(info, 0, "query", length_of(info[0]));
  Matrix embeddings = read_matrix(info, 1, "embeddings", query.dim());
  return run_later(info.Env(), std::make_unique<SelectJob>(
                                   select_job(info, std::move(query), std::move(embeddings), {})));
}

}  // namespace

void define_selection(Napi::Env env, Napi::Object exports) {
  exports["select"] = Napi::Function::New<select_now>(env, "select");
  exports["selectAsync"] = Napi::Function::New<select_later>(env, "selectAsync");
}

}  // namespace skillspan
