// Reads typed arguments. The TypeScript layer has interpreted the options and checked the shapes by
// then; what is checked here is what memory safety rests on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../core/allowed.h"
#include "../core/segment.h"
#include "../core/select.h"
#include "addon.h"

namespace skillspan {

// Rows of a Float32Array of n x dim, n >= 1, copied and normalised, under the ids 0 to n - 1, with
// codes where they pay.
Segment read_segment(const Napi::CallbackInfo& info, size_t argument, const char* name, size_t dim,
                     Exactness exactness, Pool* pool);

// The same without codes.
Matrix read_matrix(const Napi::CallbackInfo& info, size_t argument, const char* name, size_t dim);

// The same for a call that returns before JavaScript runs again: read in place where the layout
// allows. Such rows are not normalised, but their norms are known.
Matrix borrow_matrix(const Napi::CallbackInfo& info, size_t argument, const char* name, size_t dim);

// The same for rows of the dim of `query`, with their cosines with it.
Matrix borrow_with_cosines(const Napi::CallbackInfo& info, size_t argument, const char* name,
                           const Matrix& query, std::vector<double>* cosines);

size_t read_count(const Napi::CallbackInfo& info, size_t argument, const char* name, size_t low,
                  size_t high);
double read_number(const Napi::CallbackInfo& info, size_t argument, const char* name);
bool read_flag(const Napi::CallbackInfo& info, size_t argument, const char* name);
std::string read_text(const Napi::CallbackInfo& info, size_t argument, const char* name);
Method read_method(const Napi::CallbackInfo& info, size_t argument);

// A Float64Array of exactly n numbers.
const double* read_doubles(const Napi::CallbackInfo& info, size_t argument, const char* name,
                           size_t n);

// A bitmap of ids; null where the argument is undefined.
std::shared_ptr<const Allowed> read_allowed(const Napi::CallbackInfo& info, size_t argument);

// Copies of typed arrays of any length.
std::vector<uint32_t> copy_words(const Napi::CallbackInfo& info, size_t argument, const char* name);
std::vector<float> copy_floats(const Napi::CallbackInfo& info, size_t argument, const char* name);

// A Uint32Array that says how many hits each of the queries wants, at least one.
std::vector<size_t> read_wanted(const Napi::CallbackInfo& info, size_t argument, size_t n_queries);

// A Uint32Array of n + 1 numbers that never fall, from 0 to total.
std::vector<uint32_t> copy_offsets(const Napi::CallbackInfo& info, size_t argument,
                                   const char* name, size_t total);

template <typename Array, typename Values>
Array to_typed(Napi::Env env, const Values& values) {
  Array array = Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

Napi::Object to_object(Napi::Env env, const Selection& selection);

}  // namespace skillspan
