// SPDX-License-Identifier: Apache-2.0

#include "slice_spec.h"

#include <string.h>

#include "text.h"

static bool fail_usage(struct session *session, const char *text)
{
    session->status = refuse(session->command, STATUS_USAGE, "%s", text);
    return false;
}

bool slice_spec_read(struct session *session, const char *text, clnd_slice *slice)
{
    const struct arguments *a = session->arguments;
    memset(slice, 0, sizeof *slice);
    if (session->status)
        return false;
    const bool lists = a->begin.given || a->end.given || a->strides.given;
    if (text && lists)
        return fail_usage(session, "only one of SPEC and --begin, --end, --strides can be given");
    if (!text && !(a->begin.given && a->end.given))
        return fail_usage(session, "SPEC, or --begin and --end, must be given");
    if (text)
        return clnd_slice_parse(text, slice) == CLND_OK ||
               fail_usage(session, session_last_error());
    const struct number_list *other = a->begin.length != a->end.length ? &a->end : &a->strides;
    if (other->given && a->begin.length != other->length) {
        char error[TEXT_ERROR_SIZE];
        text_fail(error, "--begin has length %d, --%s has %d; they must be the same",
                  a->begin.length, other == &a->end ? "end" : "strides", other->length);
        return fail_usage(session, error);
    }
    slice->length = a->begin.length;
    for (int i = 0; i < slice->length; ++i) {
        slice->begin[i] = a->begin.values[i];
        slice->end[i] = a->end.values[i];
        slice->strides[i] = a->strides.given ? a->strides.values[i] : 1;
    }
    // Bits beyond the list mean nothing, and neither do those beyond the longest list.
    slice->begin_mask = (uint32_t)a->begin_mask;
    slice->end_mask = (uint32_t)a->end_mask;
    slice->ellipsis_mask = (uint32_t)a->ellipsis_mask;
    slice->new_axis_mask = (uint32_t)a->new_axis_mask;
    slice->shrink_axis_mask = (uint32_t)a->shrink_axis_mask;
    return true;
}
