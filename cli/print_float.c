// SPDX-License-Identifier: Apache-2.0
//
// Digits are those of NumPy's Dragon4, found the simple way: printf's exact expansion of the value
// is cut after each digit in turn, and strtod says whether the cut still reads as the value. That
// is slow and needs no big integers; a screenful of numbers takes milliseconds.

#include "print_float.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"

// Significant digits of the longest double (2^-1074 has 751, its odd multiples up to 767).
#define EXACT_DIGITS 767

// Generated digits: 17 tell doubles apart, and no format here asks for more than 17 + 8.
#define MAX_DIGITS 40

#define MAX_PRECISION 8 // digits after the point

struct decimal {
    char digits[MAX_DIGITS]; // d.ddd, without the point
    int n_digits;
    int exponent; // of the first digit
};

// The value of dtype that `text` reads as. Parsing to double first is safe for the 16-bit formats:
// no decimal with so few digits lies close enough to the middle of two of their values.
static double read_as(clnd_dtype dtype, const char *text)
{
    switch (dtype) {
    case CLND_FLOAT16:
        return half_to_double(half_from_double(strtod(text, NULL)));
    case CLND_BFLOAT16:
        return bfloat16_to_double(bfloat16_from_double(strtod(text, NULL)));
    case CLND_FLOAT32:
        return (double)strtof(text, NULL);
    default:
        return strtod(text, NULL);
    }
}

// Adds one to the last digit. When all are 9 a single 1 is left, one place higher.
static void round_up(struct decimal *decimal)
{
    int n = decimal->n_digits;
    while (n > 0 && decimal->digits[n - 1] == '9') {
        n--;
    }
    if (n == 0) {
        decimal->digits[0] = '1';
        decimal->exponent++;
        n = 1;
    } else {
        decimal->digits[n - 1]++;
    }
    decimal->n_digits = n;
}

static bool reads_as(const struct decimal *decimal, clnd_dtype dtype, double value)
{
    char text[MAX_DIGITS + 16];
    snprintf(text, sizeof text, "%.*se%d", decimal->n_digits, decimal->digits,
             decimal->exponent - decimal->n_digits + 1);
    return read_as(dtype, text) == value;
}

// Compares the digits that were cut off with one half of the last place.
static int compare_rest(const char *rest)
{
    if (rest[0] != '5') {
        return rest[0] < '5' ? -1 : 1;
    }
    return strspn(rest + 1, "0") == strlen(rest + 1) ? 0 : 1;
}

// How far generate() goes: on to the place `needed` even when fewer digits are enough, never beyond
// the place `allowed`. A place is the power of ten of a digit or, when `from_first`, its distance
// from the first one.
struct extent {
    bool from_first;
    int needed;
    int allowed;
};

// Digits of `magnitude`, finite and not negative, until they tell it from its neighbours.
static void generate(clnd_dtype dtype, double magnitude, struct extent extent,
                     struct decimal *decimal)
{
    if (magnitude == 0) {
        *decimal = (struct decimal){.digits = "0", .n_digits = 1};
        return;
    }
    char exact[EXACT_DIGITS + 16]; // d.ddd...e-308, then without the point
    snprintf(exact, sizeof exact, "%.*e", EXACT_DIGITS - 1, magnitude);
    int exponent = atoi(strchr(exact, 'e') + 1);
    memmove(exact + 1, exact + 2, EXACT_DIGITS - 1);
    exact[EXACT_DIGITS] = '\0';
    if (extent.from_first) {
        extent.needed = exponent - extent.needed;
        extent.allowed = exponent - extent.allowed;
    }

    for (int n = 1;; n++) {
        struct decimal lower = {.n_digits = n, .exponent = exponent};
        memcpy(lower.digits, exact, (size_t)n);
        struct decimal upper = lower;
        round_up(&upper);
        int place = exponent - n + 1;
        bool lower_reads = reads_as(&lower, dtype, magnitude);
        bool upper_reads = reads_as(&upper, dtype, magnitude);
        bool is_enough = (lower_reads || upper_reads) && place <= extent.needed;
        if (!is_enough && place != extent.allowed && n < MAX_DIGITS) {
            continue;
        }
        // Where both (or, at the end of the room, none) read as the value, the closer one.
        bool is_upper = upper_reads;
        if (lower_reads == upper_reads) {
            int rest = compare_rest(exact + n);
            is_upper = rest > 0 || (rest == 0 && (exact[n - 1] - '0') % 2 == 1);
        }
        *decimal = is_upper ? upper : lower;
        return;
    }
}

// The two sides of the point. Trailing zeros of the fraction are cut.
struct parts {
    char left[24];              // sign and whole number, below 1e16
    char right[MAX_DIGITS + 4]; // a positional number is 0 or at least 1e-4
    int exponent;               // what the exponent form says after the e
};

static size_t put_sign(char *text, double value, bool plus)
{
    if (signbit(value) || plus) {
        text[0] = signbit(value) ? '-' : '+';
        return 1;
    }
    return 0;
}

static void trim_zeros(char *digits, size_t length)
{
    while (length > 0 && digits[length - 1] == '0') {
        length--;
    }
    digits[length] = '\0';
}

// `needed` and `allowed` are powers of ten.
static void split_positional(clnd_dtype dtype, double value, bool plus, int needed, int allowed,
                             struct parts *parts)
{
    struct decimal decimal;
    generate(dtype, fabs(value), (struct extent){false, needed, allowed}, &decimal);
    size_t left = put_sign(parts->left, value, plus);
    size_t right = 0;
    if (decimal.exponent < 0) {
        parts->left[left++] = '0';
    }
    for (int place = decimal.exponent; place >= 0; place--) {
        int i = decimal.exponent - place;
        parts->left[left++] = (char)(i < decimal.n_digits ? decimal.digits[i] : '0');
    }
    for (int place = -1; place > decimal.exponent; place--) {
        parts->right[right++] = '0';
    }
    for (int i = decimal.exponent < 0 ? 0 : decimal.exponent + 1; i < decimal.n_digits; i++) {
        parts->right[right++] = decimal.digits[i];
    }
    parts->left[left] = '\0';
    trim_zeros(parts->right, right);
}

// `needed` and `allowed` count digits after the point.
static void split_scientific(clnd_dtype dtype, double value, bool plus, int needed, int allowed,
                             struct parts *parts)
{
    struct decimal decimal;
    generate(dtype, fabs(value), (struct extent){true, needed, allowed}, &decimal);
    size_t left = put_sign(parts->left, value, plus);
    parts->left[left++] = decimal.digits[0];
    parts->left[left] = '\0';
    memcpy(parts->right, decimal.digits + 1, (size_t)(decimal.n_digits - 1));
    trim_zeros(parts->right, (size_t)(decimal.n_digits - 1));
    parts->exponent = decimal.exponent;
}

void float_column_scan(struct float_column *column, double value)
{
    if (!isfinite(value)) {
        column->any_not_finite = true;
        column->any_negative_infinity |= isinf(value) && value < 0;
        return;
    }
    double magnitude = fabs(value);
    column->any_finite = true;
    if (magnitude > 0) {
        if (column->largest == 0 || magnitude > column->largest) {
            column->largest = magnitude;
        }
        if (column->smallest == 0 || magnitude < column->smallest) {
            column->smallest = magnitude;
        }
    }
}

// A scalar of this magnitude has more whole digits than its dtype is sure of.
static double exponent_form_from(clnd_dtype dtype)
{
    switch (dtype) {
    case CLND_FLOAT16:
        return 1e3;
    case CLND_FLOAT64:
        return 1e16;
    default:
        return 1e6;
    }
}

static bool is_scientific(const struct float_column *column)
{
    if (column->largest == 0) {
        return false;
    }
    // NumPy divides in the dtype, which matters where the ratio is close to 1000.
    double ratio = column->largest / column->smallest;
    if (column->dtype == CLND_FLOAT16) {
        ratio = half_to_double(half_from_double(ratio));
    } else if (column->dtype != CLND_FLOAT64) {
        ratio = (double)((float)column->largest / (float)column->smallest);
    }
    return column->largest >= fmin(1e8, exponent_form_from(column->dtype)) ||
           column->smallest < read_as(column->dtype, "1e-4") || ratio > 1000;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

void float_column_measure(struct float_column *column, double value)
{
    if (!isfinite(value)) {
        return;
    }
    struct parts parts;
    if (is_scientific(column)) {
        split_scientific(column->dtype, value, column->plus, 0, MAX_PRECISION, &parts);
        column->exponent = larger(column->exponent, snprintf(NULL, 0, "%02d", abs(parts.exponent)));
    } else {
        split_positional(column->dtype, value, column->plus, INT_MAX, -MAX_PRECISION, &parts);
    }
    column->left = larger(column->left, (int)strlen(parts.left));
    column->right = larger(column->right, (int)strlen(parts.right));
}

// Columns that the exponent form takes after the fraction: e, sign, digits.
static int exponent_width(const struct float_column *column)
{
    return is_scientific(column) ? 2 + column->exponent : 0;
}

void float_column_close(struct float_column *column)
{
    if (column->any_not_finite) {
        // "nan", and "inf" even where there is none; the point is a column too.
        int widest = 3 + (column->plus || column->any_negative_infinity);
        column->left = larger(column->left, widest - 1 - column->right - exponent_width(column));
    }
}

static const char *name_not_finite(double value, bool plus)
{
    if (isnan(value)) {
        return plus ? "+nan" : "nan";
    }
    if (value < 0) {
        return "-inf";
    }
    return plus ? "+inf" : "inf";
}

// Puts `text` at `at`, at the right end of `width` columns. Returns the end, where a NUL is.
static char *put_right(char *at, const char *text, int width)
{
    int length = (int)strlen(text);
    for (; width > length; width--) {
        *at++ = ' ';
    }
    memcpy(at, text, (size_t)length + 1);
    return at + length;
}

// The same at the left end, filled up with `filler`.
static char *put_left(char *at, const char *text, int width, char filler)
{
    at = put_right(at, text, 0);
    for (int length = (int)strlen(text); length < width; length++) {
        *at++ = filler;
    }
    *at = '\0';
    return at;
}

static void put_exponent(char *at, int exponent, int n_digits)
{
    snprintf(at, 16, "e%c%0*d", exponent < 0 ? '-' : '+', n_digits, abs(exponent));
}

void float_column_format(const struct float_column *column, double value,
                         char text[FLOAT_TEXT_SIZE])
{
    struct parts parts;
    if (!isfinite(value)) {
        put_right(text, name_not_finite(value, column->plus),
                  column->left + 1 + column->right + exponent_width(column));
    } else if (is_scientific(column)) {
        // Every number shows as many digits as the longest, and they are its own digits, not
        // zeros: 0.1 as a float32 is 1.00000001e-01 beside a number with eight of them.
        split_scientific(column->dtype, value, column->plus, column->right, column->right, &parts);
        char *at = put_right(text, parts.left, column->left);
        *at++ = '.';
        at = put_left(at, parts.right, column->right, '0');
        put_exponent(at, parts.exponent, column->exponent);
    } else {
        split_positional(column->dtype, value, column->plus, 0, -MAX_PRECISION, &parts);
        char *at = put_right(text, parts.left, column->left);
        *at++ = '.';
        put_left(at, parts.right, column->right, ' ');
    }
}

void float_scalar_format(clnd_dtype dtype, double value, bool is_part, bool plus,
                         char text[FLOAT_TEXT_SIZE])
{
    double magnitude = fabs(value);
    bool is_positional =
        magnitude == 0 || (magnitude >= 1e-4 && magnitude < exponent_form_from(dtype));
    struct parts parts;
    if (!isfinite(value)) {
        put_right(text, name_not_finite(value, plus), 0);
        return;
    }
    if (is_positional) {
        split_positional(dtype, value, plus, INT_MAX, INT_MIN, &parts);
    } else {
        split_scientific(dtype, value, plus, 0, MAX_DIGITS, &parts);
    }
    char *at = put_right(text, parts.left, 0);
    if (parts.right[0] != '\0') {
        *at++ = '.';
        at = put_right(at, parts.right, 0);
    } else if (is_positional && !is_part) {
        at = put_right(at, ".0", 0);
    }
    if (!is_positional) {
        put_exponent(at, parts.exponent, 2);
    }
}
