#include "../core/select.h"
#include "arguments.h"
#include "errors.h"
#include "jobs.h"
#include "operations.h"

namespace skillspan {
namespace {

class SelectJob : public Job {
 public:
  SelectJob(Matrix query, Matrix embeddings, std::vector<double> relevance, SelectOptions options)
      : query_(std::move(query)),
        embeddings_(std::move(embeddings)),
        relevance_(std::move(relevance)),
        options_(options) {}

  Status compute(const Execution&) override {
    const size_t m = embeddings_.rows();
    std::vector<const float*> rows(m);
    for (size_t i = 0; i < m; ++i) rows[i] = embeddings_.row(i);
    std::vector<double> cosines = embeddings_.cosines(query_);
    selection_ = select({rows.data(), embeddings_.norms(), cosines.data(), m, embeddings_.stride(),
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
  std::vector<double> relevance_;
  SelectOptions options_;
  Selection selection_;
};

SelectJob select_job(const Napi::CallbackInfo& info, decltype(read_matrix)* read) {
  const size_t dim =
      info[0].IsTypedArray() ? info[0].As<Napi::TypedArray>().ElementLength() : size_t{0};
  Matrix query = read(info, 0, "query", dim);
  Matrix embeddings = read(info, 1, "embeddings", dim);
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
  return SelectJob(std::move(query), std::move(embeddings), std::move(relevance), options);
}

Napi::Value select_now(const Napi::CallbackInfo& info) {
  SelectJob job = select_job(info, borrow_matrix);
  return run_now(info.Env(), job);
}

Napi::Value select_later(const Napi::CallbackInfo& info) {
  return run_later(info.Env(), std::make_unique<SelectJob>(select_job(info, read_matrix)));
}

}  // namespace

void define_selection(Napi::Env env, Napi::Object exports) {
  exports["select"] = Napi::Function::New<select_now>(env, "select");
  exports["selectAsync"] = Napi::Function::New<select_later>(env, "selectAsync");
}

}  // namespace skillspan
