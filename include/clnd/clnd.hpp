// SPDX-License-Identifier: Apache-2.0
//
// clnd from C++17: owners of engines and reports, exceptions, and descriptions of containers. All
// the rest is the C functions of clnd.h, which take these owners as they are. The handles of
// Khronos's opencl.hpp are had by its operator():
//
//     clnd::engine engine(context(), device());
//     const clnd_tensor table = clnd::tensor<float>(buffer(), {4, 3});
//     clnd::check(clnd_gather_nd(engine, queue(), &table, &rows, &out, nullptr, 0, nullptr,
//                                &event()));
//
// What fails throws clnd::error. A last argument `clnd_status *` has the status instead; nothing is
// thrown then, and what was to be made is empty. Without exceptions (-fno-exceptions) nothing is
// thrown either, and without `status` an empty object alone tells. clnd_last_error() has the text
// of what a C function refused, not that of an older library, nor of a container whose size does
// not fit its shape: the exception alone has these.
//
// The first engine compares the versions of header and library. An older library is refused: it may
// lack what the headers declare. Threads: as the C functions.

#ifndef CLND_CLND_HPP
#define CLND_CLND_HPP

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#if defined(__STDCPP_FLOAT16_T__) || defined(__STDCPP_BFLOAT16_T__)
#include <stdfloat>
#endif

#include "clnd/clnd.h"

namespace clnd
{

// A failure: what() is the text of clnd_last_error, or says why the library is refused.
class error : public std::runtime_error
{
  public:
    error(clnd_status status, const std::string &text)
        : std::runtime_error(text), status_(status),
          code_(text == clnd_last_error() ? clnd_last_error_code() : 0)
    {
    }
    clnd_status status() const noexcept
    {
        return status_;
    }
    int32_t code() const noexcept
    {
        return code_;
    } // of OpenCL, or 0

  private:
    clnd_status status_;
    int32_t code_;
};

// "" if the library that runs has all that these headers declare; else a text with both versions.
inline const std::string &version_complaint()
{
    static const std::string text =
        clnd_version() >= CLND_VERSION
            ? std::string()
            : "clnd's headers are of version " + std::to_string(CLND_VERSION_MAJOR) + "." +
                  std::to_string(CLND_VERSION_MINOR) + "." + std::to_string(CLND_VERSION_PATCH) +
                  ", the library is " + clnd_version_text() + ": it may lack what they declare";
    return text;
}

// Not for programs: throws, or hands the status over.
inline void fail(clnd_status status, const char *text, clnd_status *where)
{
    if (where != nullptr)
        *where = status;
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
    else if (status != CLND_OK)
        throw error(status, text);
#else
    (void)text;
#endif
}

// Throws if a C function failed.
inline void check(clnd_status status)
{
    fail(status, clnd_last_error(), nullptr);
}

// Owns a clnd_engine; moves, does not copy. Empty after a failure and when moved from.
class engine
{
  public:
    engine(cl_context context, cl_device_id device, const clnd_engine_options *options = nullptr,
           clnd_status *status = nullptr)
    {
        make(status, [&](clnd_engine **made) {
            return clnd_engine_create(context, device, options, made);
        });
    }
    // With a context and a queue of its own: clnd_engine_open.
    explicit engine(const char *spec, const clnd_engine_options *options = nullptr,
                    clnd_status *status = nullptr)
    {
        make(status, [&](clnd_engine **made) { return clnd_engine_open(spec, options, made); });
    }
    operator clnd_engine *() const noexcept
    {
        return owned_.get();
    }

  private:
    struct destroyer {
        void operator()(clnd_engine *engine) const noexcept
        {
            clnd_engine_destroy(&engine);
        }
    };
    template <typename Create> void make(clnd_status *status, Create create)
    {
        if (!version_complaint().empty())
            return fail(CLND_INTERNAL, version_complaint().c_str(), status);
        clnd_engine *made = nullptr;
        const clnd_status made_status = create(&made);
        owned_.reset(made);
        fail(made_status, clnd_last_error(), status);
    }
    std::unique_ptr<clnd_engine, destroyer> owned_;
};

// Owns a clnd_report, likewise.
class report
{
  public:
    explicit report(clnd_engine *engine, clnd_status *status = nullptr)
    {
        clnd_report *made = nullptr;
        const clnd_status made_status = clnd_report_create(engine, &made);
        owned_.reset(made);
        fail(made_status, clnd_last_error(), status);
    }
    operator clnd_report *() const noexcept
    {
        return owned_.get();
    }

  private:
    struct destroyer {
        void operator()(clnd_report *report) const noexcept
        {
            clnd_report_destroy(&report);
        }
    };
    std::unique_ptr<clnd_report, destroyer> owned_;
};

// Not for programs: the dtype of a float of 16 bits, 0 for other types. GCC 12 has the macro below
// where it lacks the type.
template <typename T> constexpr clnd_dtype dtype_of_half()
{
#ifdef __STDCPP_BFLOAT16_T__
    if (std::is_same_v<T, std::bfloat16_t>)
        return CLND_BFLOAT16;
#endif
#ifdef __STDCPP_FLOAT16_T__
    if (std::is_same_v<T, std::float16_t>)
        return CLND_FLOAT16;
#endif
#if defined(__FLT16_MANT_DIG__) && (defined(__clang__) || defined(__x86_64__) || __GNUC__ >= 13)
    __extension__ typedef _Float16 half;
    if (std::is_same_v<T, half>)
        return CLND_FLOAT16;
#endif
    return 0;
}

// The dtype of a C++ type, const or not; _Float16, std::float16_t and std::bfloat16_t where they
// exist. Types that clnd does not compute with are opaque elements.
template <typename Element> constexpr clnd_dtype dtype_of()
{
    using T = std::remove_cv_t<Element>;
    [[maybe_unused]] constexpr bool is_signed = std::is_signed_v<T>;
    static_assert(std::is_trivially_copyable_v<T>, "clnd moves bytes");
    if constexpr (std::is_same_v<T, bool>)
        return CLND_BOOL;
    else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
        return sizeof(T) == 1   ? (is_signed ? CLND_INT8 : CLND_UINT8)
               : sizeof(T) == 2 ? (is_signed ? CLND_INT16 : CLND_UINT16)
               : sizeof(T) == 4 ? (is_signed ? CLND_INT32 : CLND_UINT32)
                                : (is_signed ? CLND_INT64 : CLND_UINT64);
    else if constexpr (std::is_same_v<T, float>)
        return CLND_FLOAT32;
    else if constexpr (std::is_same_v<T, double>)
        return CLND_FLOAT64;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return CLND_COMPLEX64;
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return CLND_COMPLEX128;
    else if constexpr (dtype_of_half<T>() != 0)
        return dtype_of_half<T>();
    else
        return CLND_OPAQUE(sizeof(T));
}

// A dense tensor of elements T in a buffer: clnd_tensor_dense.
template <typename T>
clnd_tensor tensor(cl_mem buffer, std::initializer_list<int64_t> shape, size_t offset = 0,
                   clnd_status *status = nullptr)
{
    clnd_tensor made;
    fail(clnd_tensor_dense(buffer, offset, dtype_of<T>(), static_cast<int32_t>(shape.size()),
                           shape.begin(), &made),
         clnd_last_error(), status);
    return made;
}

// A dense array on the memory of a container with data() and size(): std::span, std::vector,
// std::array. It is borrowed, and must have as many elements as the shape: INVALID_SHAPE.
template <typename Container>
clnd_array array(Container &&elements, std::initializer_list<int64_t> shape,
                 clnd_status *status = nullptr)
{
    using T = std::remove_pointer_t<decltype(elements.data())>;
    clnd_array made;
    int64_t count = 0;
    clnd_status outcome = clnd_array_dense(
        elements.data(), dtype_of<T>(), static_cast<int32_t>(shape.size()), shape.begin(), &made);
    std::string text = clnd_last_error();
    if (outcome == CLND_OK && clnd_array_count(&made, &count) == CLND_OK &&
        static_cast<uint64_t>(count) != elements.size()) {
        made = clnd_array();
        outcome = CLND_INVALID_SHAPE;
        text.clear();
        for (const int64_t size : shape)
            text += (text.empty() ? "" : ", ") + std::to_string(size);
        text = "array: the container has " + std::to_string(elements.size()) +
               " elements, shape [" + text + "] needs " + std::to_string(count);
    }
    fail(outcome, text.c_str(), status);
    return made;
}

} // namespace clnd

#endif
