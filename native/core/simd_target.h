// Compiles the functions between BEGIN and END for a wider instruction set than the rest of the
// build. Unlike per-file compiler flags this leaves every inline function of the headers included
// before BEGIN at the baseline, so the linker can never pick a copy that an old CPU cannot run.
// MSVC needs nothing: its intrinsics are always available.
#pragma once

#define SKILLSPAN_PRAGMA(text) _Pragma(#text)

// Before a loop of a few known turns over an array of registers: only once it is unrolled does GCC
// keep the array in registers at all.
#if defined(__clang__)
#define SKILLSPAN_UNROLL SKILLSPAN_PRAGMA(clang loop unroll(full))
#elif defined(__GNUC__)
#define SKILLSPAN_UNROLL SKILLSPAN_PRAGMA(GCC unroll 16)
#else
#define SKILLSPAN_UNROLL
#endif

#if defined(__clang__)
#define SKILLSPAN_TARGET_BEGIN(isa) \
  SKILLSPAN_PRAGMA(clang attribute push(__attribute__((target(isa))), apply_to = function))
#define SKILLSPAN_TARGET_END SKILLSPAN_PRAGMA(clang attribute pop)
#elif defined(__GNUC__)
#define SKILLSPAN_TARGET_BEGIN(isa) \
  SKILLSPAN_PRAGMA(GCC push_options) SKILLSPAN_PRAGMA(GCC target(isa))
#define SKILLSPAN_TARGET_END SKILLSPAN_PRAGMA(GCC pop_options)
#else
#define SKILLSPAN_TARGET_BEGIN(isa)
#define SKILLSPAN_TARGET_END
#endif
