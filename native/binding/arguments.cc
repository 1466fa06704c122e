#include "arguments.h"

#include <algorithm>
#include <numeric>

#include "errors.h"

namespace skillspan {
namespace {

[[noreturn]] void reject(Napi::Env env, const char* name, const std::string& expected) {
  throw make_error(env, "ERR_INVALID_ARGUMENT", std::string(name) + ": expected " + expected);
}

// The array at this position if it is of the wanted type. A detached one has length 0.
template <typename Array>
Array read_array(const Napi::CallbackInfo& info, size_t argument, const char* name,
                 napi_typedarray_type type, const char* type_name) {
  const Napi::Value value = info[argument];
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type)
    reject(info.Env(), name, std::string("a ") + type_name);
  return value.As<Array>();
}

Napi::Float32Array read_rows(const Napi::CallbackInfo& info, size_t argument, const char* name,
                             size_t dim) {
  const auto array =
      read_array<Napi::Float32Array>(info, argument, name, napi_float32_array, "Float32Array");
  const size_t length = array.ElementLength();
  if (dim == 0 || length == 0 || length % dim != 0)
    reject(info.Env(), name, "one or more rows of " + std::to_string(dim) + " numbers");
  return array;
}

// reader(values, n_rows, dim, &result) answers a Status.
template <typename Result, typename Reader>
Result read_with(const Reader& reader, const Napi::CallbackInfo& info, size_t argument,
                 const char* name, size_t dim) {
  const Napi::Float32Array array = read_rows(info, argument, name, dim);
  Result result;
  const Status status = reader(array.Data(), array.ElementLength() / dim, dim, &result);
  if (!status.ok()) throw make_error(info.Env(), status, name);
  return result;
}

}  // namespace

Segment read_segment(const Napi::CallbackInfo& info, size_t argument, const char* name, size_t dim,
                     Exactness exactness, Pool* pool) {
  Segment segment;
  segment.matrix = read_matrix(info, argument, name, dim);
  const size_t n = segment.matrix.rows();
  if (n > UINT32_MAX)
    throw make_error(
        info.Env(), "ERR_OUT_OF_RANGE",
        std::string(name) + ": expected at most 4294967295 rows, got " + std::to_string(n));
  segment.ids = Array<uint32_t>::uninitialised(n);
  Status status{segment.ids.size() == n ? Code::kOk : Code::kOutOfMemory};
  if (status.ok()) {
    std::iota(segment.ids.writable(), segment.ids.writable() + n, 0);
    status = segment.encode(exactness, pool);
  }
  if (!status.ok()) throw make_error(info.Env(), status, name);
  return segment;
}

Matrix read_matrix(const Napi::CallbackInfo& info, size_t argument, const char* name, size_t dim) {
  return read_with<Matrix>(Matrix::copy_normalised, info, argument, name, dim);
}

Matrix borrow_matrix(const Napi::CallbackInfo& info, size_t argument, const char* name,
                     size_t dim) {
  return read_with<Matrix>(dim % kLanes == 0 ? Matrix::borrow : Matrix::copy_normalised, info,
                           argument, name, dim);
}

Matrix borrow_with_cosines(const Napi::CallbackInfo& info, size_t argument, const char* name,
                           const Matrix& query, std::vector<double>* cosines) {
  const auto borrow = [&](const float* values, size_t n_rows, size_t dim, Matrix* out) {
    if (dim % kLanes == 0)
      return Matrix::borrow_with_cosines(values, n_rows, dim, query, out, cosines);
    const Status status = Matrix::copy_normalised(values, n_rows, dim, out);
    if (status.ok()) *cosines = out->cosines(query);
    return status;
  };
  return read_with<Matrix>(borrow, info, argument, name, query.dim());
}

size_t read_count(const Napi::CallbackInfo& info, size_t argument, const char* name, size_t low,
                  size_t high) {
  const double number = read_number(info, argument, name);
  if (!(number >= double(low) && number <= double(high)) || number != double(size_t(number)))
    reject(info.Env(), name,
           "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return size_t(number);
}

double read_number(const Napi::CallbackInfo& info, size_t argument, const char* name) {
  if (!info[argument].IsNumber()) reject(info.Env(), name, "a number");
  return info[argument].As<Napi::Number>().DoubleValue();
}

bool read_flag(const Napi::CallbackInfo& info, size_t argument, const char* name) {
  if (!info[argument].IsBoolean()) reject(info.Env(), name, "true or false");
  return info[argument].As<Napi::Boolean>().Value();
}

std::string read_text(const Napi::CallbackInfo& info, size_t argument, const char* name) {
  if (!info[argument].IsString()) reject(info.Env(), name, "a string");
  return info[argument].As<Napi::String>().Utf8Value();
}

Method read_method(const Napi::CallbackInfo& info, size_t argument) {
  const std::string name =
      info[argument].IsString() ? info[argument].As<Napi::String>().Utf8Value() : "";
  if (name == "dsr") return Method::kDsr;
  if (name == "dpp-cosine") return Method::kDppCosine;
  if (name == "mmr") return Method::kMmr;
  if (name == "topk") return Method::kTopK;
  reject(info.Env(), "method", "dsr, dpp-cosine, mmr or topk");
}

const double* read_doubles(const Napi::CallbackInfo& info, size_t argument, const char* name,
                           size_t n) {
  const auto array =
      read_array<Napi::Float64Array>(info, argument, name, napi_float64_array, "Float64Array");
  if (array.ElementLength() != n) reject(info.Env(), name, std::to_string(n) + " numbers");
  return array.Data();
}

std::shared_ptr<const Allowed> read_allowed(const Napi::CallbackInfo& info, size_t argument) {
  if (info[argument].IsUndefined()) return nullptr;
  return std::make_shared<const Allowed>(Allowed{copy_words(info, argument, "allowed")});
}

std::vector<uint32_t> copy_words(const Napi::CallbackInfo& info, size_t argument,
                                 const char* name) {
  const auto array =
      read_array<Napi::Uint32Array>(info, argument, name, napi_uint32_array, "Uint32Array");
  return {array.Data(), array.Data() + array.ElementLength()};
}

std::vector<size_t> read_wanted(const Napi::CallbackInfo& info, size_t argument, size_t n_queries) {
  const std::vector<uint32_t> wanted = copy_words(info, argument, "m");
  if (wanted.size() != n_queries || std::count(wanted.begin(), wanted.end(), 0u) > 0)
    reject(info.Env(), "m", std::to_string(n_queries) + " numbers of at least 1, one a query");
  return {wanted.begin(), wanted.end()};
}

std::vector<float> copy_floats(const Napi::CallbackInfo& info, size_t argument, const char* name) {
  const auto array =
      read_array<Napi::Float32Array>(info, argument, name, napi_float32_array, "Float32Array");
  return {array.Data(), array.Data() + array.ElementLength()};
}

std::vector<uint32_t> copy_offsets(const Napi::CallbackInfo& info, size_t argument,
                                   const char* name, size_t total) {
  std::vector<uint32_t> offsets = copy_words(info, argument, name);
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != total ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    reject(info.Env(), name, "numbers that never fall, from 0 to " + std::to_string(total));
  return offsets;
}

Napi::Object to_object(Napi::Env env, const Selection& selection) {
  Napi::Object object = Napi::Object::New(env);
  object["order"] = to_typed<Napi::Uint32Array>(env, selection.order);
  object["gains"] = to_typed<Napi::Float64Array>(env, selection.gains);
  object["filled"] = to_typed<Napi::Uint32Array>(env, selection.filled);
  object["ranked"] = to_typed<Napi::Uint32Array>(env, selection.ranked);
  if (!selection.overlaps.nearest.empty()) {
    Napi::Object overlaps = Napi::Object::New(env);
    overlaps["nearest"] = to_typed<Napi::Int32Array>(env, selection.overlaps.nearest);
    overlaps["overlap"] = to_typed<Napi::Float32Array>(env, selection.overlaps.overlap);
    object["overlaps"] = overlaps;
  }
  return object;
}

}  // namespace skillspan
