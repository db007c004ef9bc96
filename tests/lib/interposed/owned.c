// SPDX-License-Identifier: Apache-2.0

#include "owned.h"

#include <stdio.h>

#include "check.h"

enum { MOST = 4096 };

typedef struct reference {
    opencl_kind kind;
    const void *object;
    const char *maker;
    int number;
} reference;

static const char *const kind_names[OPENCL_KINDS] = {
    [OPENCL_CONTEXT] = "context", [OPENCL_DEVICE] = "device",   [OPENCL_QUEUE] = "queue",
    [OPENCL_MEMORY] = "buffer",   [OPENCL_PROGRAM] = "program", [OPENCL_KERNEL] = "kernel",
    [OPENCL_EVENT] = "event",
};

static struct {
    bool inside; // the library is at work
    int n;
    reference references[MOST]; // the oldest first
    int n_foreign;              // released without being owned
    opencl_kind foreign;
} owned;

void opencl_enter(void)
{
    owned.inside = true;
}

void opencl_leave(void)
{
    owned.inside = false;
}

void owned_add(opencl_kind kind, const void *object, const char *maker, int number)
{
    if (!owned.inside)
        return;
    check(owned.n < MOST, "more than %d references", MOST);
    owned.references[owned.n++] = (reference){kind, object, maker, number};
}

void owned_remove(opencl_kind kind, const void *object)
{
    for (int i = owned.n; i-- > 0;) {
        if (owned.references[i].object != object || owned.references[i].kind != kind)
            continue;
        for (--owned.n; i < owned.n; ++i)
            owned.references[i] = owned.references[i + 1];
        return;
    }
    if (owned.inside) {
        owned.n_foreign++;
        owned.foreign = kind;
    }
}

opencl_owned opencl_count(void)
{
    opencl_owned count = {{0}};
    for (int i = 0; i < owned.n; i++)
        count.count[owned.references[i].kind]++;
    return count;
}

const char *opencl_complaint(const opencl_owned *before)
{
    static char text[512];
    if (owned.n_foreign > 0) {
        snprintf(text, sizeof text, "a %s was released that the library does not own",
                 kind_names[owned.foreign]);
        return text;
    }
    const opencl_owned now = opencl_count();
    for (int kind = 0; kind < OPENCL_KINDS; kind++) {
        const int more = now.count[kind] - (before ? before->count[kind] : 0);
        if (more <= 0)
            continue;
        int newest = owned.n - 1;
        while ((int)owned.references[newest].kind != kind)
            newest--;
        snprintf(text, sizeof text, "leak: %d %s too many, the newest of %s (call number %d)", more,
                 kind_names[kind], owned.references[newest].maker, owned.references[newest].number);
        return text;
    }
    return NULL;
}
