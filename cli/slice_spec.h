// SPDX-License-Identifier: Apache-2.0
//
// A slice from the command line: text, or lists and masks.

#ifndef CLND_CLI_SLICE_SPEC_H
#define CLND_CLI_SLICE_SPEC_H

#include "session.h"

// `text` is NULL when there is none; then the lists of the arguments count. Refuses both and
// neither.
bool slice_spec_read(struct session *session, const char *text, clnd_slice *slice);

#endif
