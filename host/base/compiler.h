// SPDX-License-Identifier: Apache-2.0
//
// What compilers do not share. Nothing else in host/ depends on the compiler.

#ifndef CLND_BASE_COMPILER_H
#define CLND_BASE_COMPILER_H

// A function's argument number `text` is a C99 format for those from number `first` on. By `printf`
// GCC would mean the formats of Windows' own C library, not those that MinGW gives C11 programs.
#if defined(__MINGW32__) && !defined(__clang__)
#define CLND__PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define CLND__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLND__PRINTF(text, first)
#endif

// Of static variables.
#ifdef _MSC_VER
#define CLND__THREAD_LOCAL __declspec(thread)
#else
#define CLND__THREAD_LOCAL _Thread_local
#endif

#endif
