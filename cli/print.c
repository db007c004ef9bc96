// SPDX-License-Identifier: Apache-2.0

#include "print.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "half.h"
#include "print_float.h"
#include "print_string.h"

// NumPy's default print options.
#define LINE_WIDTH 75
#define THRESHOLD  1000 // more elements than this are summarised
#define EDGE_ITEMS 3

// Longest number: a complex one has two parts and a j.
#define NUMBER_SIZE (2 * FLOAT_TEXT_SIZE + 2)

struct printer {
    FILE *out;
    const struct print_view *view;
    size_t element_size;
    int64_t strides[CLND_MAX_RANK];
    bool is_summary;

    // The common format of the elements shown.
    struct float_column real;
    struct float_column imaginary;
    int integer_width;

    // Blanks at the end of the line so far: they go if the line ends here.
    size_t pending_blanks;
};

static bool is_complex(clnd_dtype dtype)
{
    return dtype == CLND_COMPLEX64 || dtype == CLND_COMPLEX128;
}

// The dtype of a float or of the parts of a complex number; 0 for all others.
static clnd_dtype float_part(clnd_dtype dtype)
{
    switch (dtype) {
    case CLND_FLOAT16:
    case CLND_BFLOAT16:
    case CLND_FLOAT32:
    case CLND_FLOAT64:
        return dtype;
    case CLND_COMPLEX64:
        return CLND_FLOAT32;
    case CLND_COMPLEX128:
        return CLND_FLOAT64;
    default:
        return 0;
    }
}

static double load_float(clnd_dtype part, const unsigned char *bytes)
{
    uint16_t bits16;
    float single;
    double value;
    switch (part) {
    case CLND_FLOAT16:
        memcpy(&bits16, bytes, sizeof bits16);
        return half_to_double(bits16);
    case CLND_BFLOAT16:
        memcpy(&bits16, bytes, sizeof bits16);
        return bfloat16_to_double(bits16);
    case CLND_FLOAT32:
        memcpy(&single, bytes, sizeof single);
        return (double)single;
    default:
        memcpy(&value, bytes, sizeof value);
        return value;
    }
}

static const unsigned char *imaginary_bytes(const struct printer *printer,
                                            const unsigned char *element)
{
    return element + printer->element_size / 2;
}

// Text of a bool or an integer without padding.
static void format_integer(clnd_dtype dtype, const unsigned char *element, char text[NUMBER_SIZE])
{
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } value;
    memcpy(&value, element, clnd_dtype_size(dtype));
    int64_t number;
    switch (dtype) {
    case CLND_BOOL:
        snprintf(text, NUMBER_SIZE, "%s", element[0] != 0 ? "True" : "False");
        return;
    case CLND_INT8:
        number = value.i8;
        break;
    case CLND_INT16:
        number = value.i16;
        break;
    case CLND_INT32:
        number = value.i32;
        break;
    case CLND_INT64:
        number = value.i64;
        break;
    case CLND_UINT8:
        number = element[0];
        break;
    case CLND_UINT16:
        number = value.u16;
        break;
    case CLND_UINT32:
        number = value.u32;
        break;
    default:
        snprintf(text, NUMBER_SIZE, "%" PRIu64, value.u64);
        return;
    }
    snprintf(text, NUMBER_SIZE, "%" PRId64, number);
}

// Text of a number as an element of an array.
static void format_number(const struct printer *printer, const unsigned char *element,
                          char text[NUMBER_SIZE])
{
    clnd_dtype part = float_part(printer->view->dtype);
    if (part == 0) {
        char unpadded[NUMBER_SIZE];
        format_integer(printer->view->dtype, element, unpadded);
        snprintf(text, NUMBER_SIZE, "%*s", printer->integer_width, unpadded);
        return;
    }
    float_column_format(&printer->real, load_float(part, element), text);
    if (is_complex(printer->view->dtype)) {
        char *imaginary = text + strlen(text);
        float_column_format(&printer->imaginary,
                            load_float(part, imaginary_bytes(printer, element)), imaginary);
        // The j stands before the padding.
        size_t padded = strlen(imaginary);
        size_t length = padded;
        while (length > 0 && imaginary[length - 1] == ' ') {
            length--;
        }
        memmove(imaginary + length + 1, imaginary + length, padded - length + 1);
        imaginary[length] = 'j';
    }
}

// Text of a number on its own.
static void format_scalar(const struct printer *printer, const unsigned char *element,
                          char text[NUMBER_SIZE])
{
    clnd_dtype dtype = printer->view->dtype;
    clnd_dtype part = float_part(dtype);
    if (part == 0) {
        format_integer(dtype, element, text);
        return;
    }
    double real = load_float(part, element);
    if (!is_complex(dtype)) {
        float_scalar_format(part, real, false, false, text);
        return;
    }
    char parts[2][FLOAT_TEXT_SIZE];
    uint64_t real_bits;
    memcpy(&real_bits, &real, sizeof real_bits);
    bool is_imaginary = real_bits == 0; // not -0
    float_scalar_format(part, real, true, false, parts[0]);
    float_scalar_format(part, load_float(part, imaginary_bytes(printer, element)), true,
                        !is_imaginary, parts[1]);
    if (is_imaginary) {
        snprintf(text, NUMBER_SIZE, "%sj", parts[1]);
    } else {
        snprintf(text, NUMBER_SIZE, "(%s%sj)", parts[0], parts[1]);
    }
}

static void put_blanks(FILE *out, size_t n)
{
    while (n-- > 0) {
        putc(' ', out);
    }
}

static bool is_opaque(const struct print_view *view)
{
    return view->dtype == CLND_OPAQUE(clnd_dtype_size(view->dtype));
}

// What the visits of the elements shown do.
typedef void visitor(struct printer *printer, const unsigned char *element);

static bool is_cut(const struct printer *printer, int axis)
{
    return printer->is_summary && printer->view->shape[axis] > 2 * EDGE_ITEMS;
}

// Calls `visit` for the elements that are shown, in order.
static void visit_shown(struct printer *printer, int axis, const unsigned char *at, visitor *visit)
{
    if (axis == printer->view->rank) {
        visit(printer, at);
        return;
    }
    int64_t length = printer->view->shape[axis];
    for (int64_t i = 0; i < length; i++) {
        if (i == EDGE_ITEMS && is_cut(printer, axis)) {
            i = length - EDGE_ITEMS;
        }
        visit_shown(printer, axis + 1,
                    at + i * printer->strides[axis] * (int64_t)printer->element_size, visit);
    }
}

static void scan_float(struct printer *printer, const unsigned char *element)
{
    clnd_dtype part = printer->real.dtype;
    float_column_scan(&printer->real, load_float(part, element));
    if (is_complex(printer->view->dtype)) {
        float_column_scan(&printer->imaginary, load_float(part, imaginary_bytes(printer, element)));
    }
}

static void measure_float(struct printer *printer, const unsigned char *element)
{
    clnd_dtype part = printer->real.dtype;
    float_column_measure(&printer->real, load_float(part, element));
    if (is_complex(printer->view->dtype)) {
        float_column_measure(&printer->imaginary,
                             load_float(part, imaginary_bytes(printer, element)));
    }
}

static void measure_integer(struct printer *printer, const unsigned char *element)
{
    char text[NUMBER_SIZE];
    format_integer(printer->view->dtype, element, text);
    int width = (int)strlen(text);
    printer->integer_width = width > printer->integer_width ? width : printer->integer_width;
}

static void measure_columns(struct printer *printer)
{
    const struct print_view *view = printer->view;
    clnd_dtype part = float_part(view->dtype);
    if (is_opaque(view)) {
        return;
    }
    if (view->dtype == CLND_BOOL) {
        printer->integer_width = 5; // NumPy writes " True" even where no False is
    } else if (part == 0) {
        visit_shown(printer, 0, view->data, measure_integer);
    } else {
        printer->real = FLOAT_COLUMN(part, false);
        printer->imaginary = FLOAT_COLUMN(part, true);
        visit_shown(printer, 0, view->data, scan_float);
        visit_shown(printer, 0, view->data, measure_float);
        float_column_close(&printer->real);
        float_column_close(&printer->imaginary);
    }
}

// Adds an element to the line. `column` is where it starts; returns where it ends. A line that
// would become too long ends first, unless it is empty; the next one begins after `indent` blanks.
static size_t put_element(struct printer *printer, const unsigned char *element, size_t column,
                          size_t indent, size_t line_width)
{
    const struct print_view *view = printer->view;
    char text[NUMBER_SIZE];
    size_t width;
    if (element == NULL) {
        strcpy(text, "...");
        width = 3;
    } else if (is_opaque(view)) {
        width = print_string(NULL, view->kind, element, printer->element_size, true);
    } else {
        format_number(printer, element, text);
        width = strlen(text);
    }
    if (column + width > line_width && column > indent) {
        putc('\n', printer->out);
        printer->pending_blanks = indent;
        column = indent;
    }
    put_blanks(printer->out, printer->pending_blanks);
    printer->pending_blanks = 0;
    if (element != NULL && is_opaque(view)) {
        print_string(printer->out, view->kind, element, printer->element_size, true);
    } else {
        size_t length = width;
        while (length > 0 && text[length - 1] == ' ') {
            length--;
        }
        fwrite(text, 1, length, printer->out);
        printer->pending_blanks = width - length;
    }
    return column + width;
}

// The innermost dimension: elements between blanks. The bracket is already there.
static void put_row(struct printer *printer, const unsigned char *at)
{
    int axis = printer->view->rank - 1;
    size_t indent = (size_t)axis + 1;
    // Room for the brackets that may close after any of the elements.
    size_t line_width = LINE_WIDTH - indent;
    size_t column = indent;
    int64_t length = printer->view->shape[axis];
    for (int64_t i = 0; i < length; i++) {
        if (i > 0) {
            printer->pending_blanks++;
            column++;
        }
        if (i == EDGE_ITEMS && is_cut(printer, axis)) {
            column = put_element(printer, NULL, column, indent, line_width);
            printer->pending_blanks++;
            column++;
            i = length - EDGE_ITEMS;
        }
        column =
            put_element(printer, at + i * printer->strides[axis] * (int64_t)printer->element_size,
                        column, indent, line_width);
    }
    put_blanks(printer->out, printer->pending_blanks);
    printer->pending_blanks = 0;
}

// Dimension `axis` and all within.
static void put_block(struct printer *printer, int axis, const unsigned char *at)
{
    FILE *out = printer->out;
    int rank = printer->view->rank;
    int64_t length = printer->view->shape[axis];
    putc('[', out);
    if (axis == rank - 1) {
        put_row(printer, at);
        putc(']', out);
        return;
    }
    for (int64_t i = 0; i < length; i++) {
        bool is_gap = i == EDGE_ITEMS && is_cut(printer, axis);
        for (int n = 0; n < 1 + is_gap; n++) {
            if (i > 0) {
                for (int line = 0; line < rank - 1 - axis; line++) {
                    putc('\n', out);
                }
                put_blanks(out, (size_t)axis + 1);
            }
            if (is_gap && n == 0) {
                fputs("...", out);
            }
        }
        i = is_gap ? length - EDGE_ITEMS : i;
        put_block(printer, axis + 1,
                  at + i * printer->strides[axis] * (int64_t)printer->element_size);
    }
    putc(']', out);
}

static void set_strides(struct printer *printer)
{
    const struct print_view *view = printer->view;
    int64_t stride = 1;
    for (int axis = view->rank - 1; axis >= 0; axis--) {
        printer->strides[axis] = view->strides != NULL ? view->strides[axis] : stride;
        stride *= view->shape[axis];
    }
}

static void put_array(struct printer *printer)
{
    const struct print_view *view = printer->view;
    int64_t n_elements = 1;
    for (int i = 0; i < view->rank; i++) {
        if (view->shape[i] == 0) {
            fputs("[]", printer->out);
            return;
        }
        n_elements *= view->shape[i];
    }
    if (view->rank == 0 && is_opaque(view)) {
        bool is_bytes = view->kind == 'S';
        fputs(is_bytes ? "np.bytes_(" : "", printer->out);
        print_string(printer->out, view->kind, view->data, printer->element_size, false);
        fputs(is_bytes ? ")" : "", printer->out);
    } else if (view->rank == 0) {
        char text[NUMBER_SIZE];
        format_scalar(printer, view->data, text);
        fputs(text, printer->out);
    } else {
        set_strides(printer);
        printer->is_summary = n_elements > THRESHOLD;
        measure_columns(printer);
        put_block(printer, 0, view->data);
    }
}

bool print_array(FILE *out, const struct print_view *view)
{
    struct printer printer = {.out = out, .view = view};
    printer.element_size = clnd_dtype_size(view->dtype);
    assert(printer.element_size > 0);
    put_array(&printer);
    putc('\n', out);
    return ferror(out) == 0;
}
