// What the addon exports besides its loader.
#pragma once

#include "addon.h"

namespace skillspan {

// class NativeIndex(vectors | undefined, dim, probable): size, dim, probable, and each also with
// Async, update(ids, vectors, removed), search(queries, m, allowed), scoresFor(queries, ids),
// route(queries, m, method, k, lambda, sharpness, explain, allowed),
// select(query, ids, relevance, method, k, lambda, explain, facets, count, weight); saveAsync(path,
// encoder). openIndexAsync(path, check_rows) promises { index, encoder }.
void define_index(Napi::Env env, Napi::Object exports);

// class NativeLexicalIndex(model, k1, b): size, and each also with Async,
// update(ids, offsets, terms, frequencies, removed), search(terms, weights, offsets, m, allowed),
// scoresFor(terms, weights, ids); saveAsync(path, text, lengths), with the terms one after another
// and the length of each. openLexicalIndexAsync(path) promises { index, text, lengths }.
void define_lexical_index(Napi::Env env, Napi::Object exports);

// select(query, embeddings, quality, method, k, lambda, explain), and selectAsync.
void define_selection(Napi::Env env, Napi::Object exports);

}  // namespace skillspan
