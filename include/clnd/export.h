// SPDX-License-Identifier: Apache-2.0
//
// Linkage of the public functions. Programs need nothing from here: a DLL exports functions alone,
// which are called without dllimport, so the same headers serve the static library.

#ifndef CLND_EXPORT_H
#define CLND_EXPORT_H

#if defined(_WIN32) && defined(CLND_BUILDING)
#define CLND_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define CLND_API __attribute__((visibility("default")))
#else
#define CLND_API
#endif

#endif
