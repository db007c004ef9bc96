// SPDX-License-Identifier: Apache-2.0
//
// The dtypes of clnd.hpp, which hold if this compiles, and what it says of a container of the wrong
// size. Prints TAP; needs no device.

#include <clnd/clnd.hpp>
#include <cstdio>
#include <vector>

struct pair {
    float a, b;
};

static_assert(clnd::dtype_of<const float>() == CLND_FLOAT32);
static_assert(clnd::dtype_of<const volatile bool>() == CLND_BOOL);
static_assert(clnd::dtype_of<const std::complex<double>>() == CLND_COMPLEX128);
static_assert(clnd::dtype_of<long long>() == CLND_INT64);
static_assert(clnd::dtype_of<unsigned char>() == CLND_UINT8);
static_assert(clnd::dtype_of<pair>() == CLND_OPAQUE(8));
#ifdef __SIZEOF_INT128__ // an integral type in GNU's C++, none in ISO's
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;
static_assert(clnd::dtype_of<wide>() == CLND_OPAQUE(16));
static_assert(clnd::dtype_of<unsigned_wide>() == CLND_OPAQUE(16));
#endif
#if defined(__FLT16_MANT_DIG__) && (defined(__clang__) || defined(__x86_64__) || __GNUC__ >= 13)
__extension__ typedef _Float16 half;
static_assert(clnd::dtype_of<half>() == CLND_FLOAT16);
#endif
#ifdef __STDCPP_FLOAT16_T__
static_assert(clnd::dtype_of<std::float16_t>() == CLND_FLOAT16);
#endif
#ifdef __STDCPP_BFLOAT16_T__
static_assert(clnd::dtype_of<std::bfloat16_t>() == CLND_BFLOAT16);
#endif

int main()
{
    const std::vector<float> nine(9);
    const clnd_array right = clnd::array(nine, {3, 3});
    std::string text = "nothing was thrown";
    try {
        clnd::array(nine, {3, 4});
    } catch (const clnd::error &error) {
        text = error.what();
    }
    const bool good = text == "array: the container has 9 elements, shape [3, 4] needs 12" &&
                      right.dtype == CLND_FLOAT32;
    std::printf("1..1\n%s 1 - a container of the wrong size is told with both sizes\n",
                good ? "ok" : "not ok");
    if (!good)
        std::printf("# %s\n", text.c_str());
}
