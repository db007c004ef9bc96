// SPDX-License-Identifier: Apache-2.0
//
// Chains of calls that are held together by events alone. The first waits for a gate, which opens
// when all of them are enqueued: a call that forgets to wait runs at once, before the ones that it
// depends on, and an event that comes too early lets the result be read too early. Each result is
// compared with plain loops.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "device.h"

enum { LENGTH = 300, VECTORS = 3, LINKS = 24, CHAINS = 200, MAX_QUEUES = 2 };

// Three vectors that the calls of a chain read and write in turn, here and on the device.
typedef struct chain {
    const device *d;
    cl_command_queue queues[MAX_QUEUES];
    int n_queues;
    uint32_t expected[VECTORS][LENGTH];
    int32_t order[LENGTH];   // every place once
    int32_t meeting[LENGTH]; // some places often, some never
    clnd_tensor vectors[VECTORS], ordered, met, bad;
    clnd_report *report;
    int n_reported; // calls of this chain that the report was given to
    int refused;    // the first of them that has a bad row, or -1
    bool sorts;
} chain;

static clnd_tensor new_vector(const device *d, int rank, const void *content)
{
    const int64_t shape[] = {LENGTH, 1};
    clnd_tensor tensor;
    union {
        const void *constant;
        void *plain; // OpenCL's parameter is not const, but it only reads
    } host = {content};
    cl_int code;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_COPY_HOST_PTR, LENGTH * sizeof(int32_t),
                                   host.plain, &code);
    check_cl(code);
    check_status(clnd_tensor_dense(buffer, 0, CLND_INT32, rank, shape, &tensor), CLND_OK);
    return tensor;
}

static void chain_open(chain *c, const device *d, int n_queues, bool out_of_order)
{
    memset(c, 0, sizeof *c);
    c->d = d;
    c->sorts = device_sorts(d);
    c->n_queues = n_queues;
    for (int i = 0; i < n_queues; i++)
        c->queues[i] = device_new_queue(d, out_of_order);
    int32_t spoilt[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        c->order[i] = (7 * i + 11) % LENGTH;
        c->meeting[i] = i * i % 37 * 5;
        spoilt[i] = i == LENGTH / 2 ? LENGTH : i;
    }
    c->ordered = new_vector(d, 2, c->order);
    c->met = new_vector(d, 2, c->meeting);
    c->bad = new_vector(d, 2, spoilt);
    for (int v = 0; v < VECTORS; v++)
        c->vectors[v] = new_vector(d, 1, c->expected[v]);
    check_status(clnd_report_create(d->engine, &c->report), CLND_OK);
}

static void chain_close(chain *c)
{
    const clnd_tensor *all[] = {&c->ordered, &c->met, &c->bad};
    for (int i = 0; i < 3; i++) {
        check_cl(clReleaseMemObject(all[i]->buffer));
        check_cl(clReleaseMemObject(c->vectors[i].buffer));
    }
    for (int i = 0; i < c->n_queues; i++)
        check_cl(clReleaseCommandQueue(c->queues[i]));
    clnd_report_destroy(&c->report);
}

// Links -------------------------------------------------------------------------------------------
// Each changes vector `to` by vector `from`, on the device behind the last event, and here.

typedef struct link {
    chain *c;
    int from, to;
    cl_command_queue queue;
    cl_uint n_wait;
    const cl_event *wait;
    cl_event event;
} link;

static void link_scatter_update(link *l)
{
    static const char *const ways[] = {NULL, "must,store", "must,owner", "must,sort"};
    chain *c = l->c;
    const clnd_scatter_nd_options options = {.bounds = CLND_BOUNDS_SKIP};
    const device *d = device_with(c->d, ways[rng_range(case_rng(), 0, 2 + c->sorts)]);
    check_status(clnd_scatter_nd_into(d->engine, l->queue, &c->ordered, &c->vectors[l->from],
                                      &c->vectors[l->to], &options, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    for (int i = 0; i < LENGTH; i++)
        c->expected[l->to][c->order[i]] = c->expected[l->from][i];
}

// Adds, into what is there or into zeros, where rows meet.
static void scatter_sum(link *l, bool zeros)
{
    static const char *const ways[] = {NULL, "must,atomic", "must,owner", "must,private",
                                       "must,sort"};
    chain *c = l->c;
    const clnd_scatter_nd_options options = {
        .reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_ERROR, .report = c->report};
    const device *d = device_with(c->d, ways[rng_range(case_rng(), 0, 3 + c->sorts)]);
    check_status((zeros ? clnd_scatter_nd : clnd_scatter_nd_into)(
                     d->engine, l->queue, &c->met, &c->vectors[l->from], &c->vectors[l->to],
                     &options, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    c->n_reported++;
    if (zeros)
        memset(c->expected[l->to], 0, sizeof c->expected[l->to]);
    for (int i = 0; i < LENGTH; i++)
        c->expected[l->to][c->meeting[i]] += c->expected[l->from][i];
}

static void link_scatter_add(link *l)
{
    scatter_sum(l, false);
}

static void link_scatter_nd(link *l)
{
    scatter_sum(l, true);
}

static void link_gather_nd(link *l)
{
    chain *c = l->c;
    const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR, .report = c->report};
    check_status(clnd_gather_nd(c->d->engine, l->queue, &c->vectors[l->from], &c->ordered,
                                &c->vectors[l->to], &options, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    c->n_reported++;
    for (int i = 0; i < LENGTH; i++)
        c->expected[l->to][i] = c->expected[l->from][c->order[i]];
}

// A bad row, of which the report hears: the call changes nothing, and those behind it go on.
static void link_refused(link *l)
{
    chain *c = l->c;
    const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR, .report = c->report};
    check_status(clnd_gather_nd(c->d->engine, l->queue, &c->vectors[l->from], &c->bad,
                                &c->vectors[l->to], &options, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    if (c->refused < 0)
        c->refused = c->n_reported;
    c->n_reported++;
}

static clnd_tensor line_of(const clnd_tensor *tuples)
{
    clnd_tensor line = *tuples;
    line.rank = 1;
    return line;
}

static void link_gather(link *l)
{
    chain *c = l->c;
    const clnd_tensor places = line_of(&c->met);
    const clnd_gather_options options = {.bounds = CLND_BOUNDS_CLAMP};
    check_status(clnd_gather(c->d->engine, l->queue, &c->vectors[l->from], &places,
                             &c->vectors[l->to], &options, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    for (int i = 0; i < LENGTH; i++)
        c->expected[l->to][i] = c->expected[l->from][c->meeting[i]];
}

static void link_gather_elements(link *l)
{
    chain *c = l->c;
    const clnd_tensor places = line_of(&c->bad);
    const clnd_gather_elements_options options = {.bounds = CLND_BOUNDS_ZERO};
    check_status(clnd_gather_elements(c->d->engine, l->queue, &c->vectors[l->from], &places,
                                      &c->vectors[l->to], &options, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    memcpy(c->expected[l->to], c->expected[l->from], sizeof c->expected[l->to]);
    c->expected[l->to][LENGTH / 2] = 0;
}

static void link_scatter_elements(link *l)
{
    chain *c = l->c;
    const clnd_tensor places = line_of(&c->met);
    const clnd_scatter_elements_options options = {.reduce = CLND_REDUCE_SUB,
                                                   .bounds = CLND_BOUNDS_SKIP};
    check_status(clnd_scatter_elements(c->d->engine, l->queue, &places, &c->vectors[l->from],
                                       &c->vectors[l->to], &options, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    for (int i = 0; i < LENGTH; i++)
        c->expected[l->to][c->meeting[i]] -= c->expected[l->from][i];
}

static void link_slice_assign(link *l)
{
    chain *c = l->c;
    const clnd_slice odd = {.length = 1, .begin = {1}, .end = {LENGTH}, .strides = {2}};
    clnd_tensor half = c->vectors[l->from];
    half.shape[0] = LENGTH / 2;
    check_status(clnd_strided_slice_assign(c->d->engine, l->queue, &half, &odd, &c->vectors[l->to],
                                           NULL, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    for (int i = 0; i < LENGTH / 2; i++)
        c->expected[l->to][2 * i + 1] = c->expected[l->from][i];
}

static void link_slice(link *l)
{
    chain *c = l->c;
    const clnd_slice back = {.length = 1, .end_mask = 1, .begin = {-1}, .strides = {-1}};
    check_status(clnd_strided_slice(c->d->engine, l->queue, &c->vectors[l->from], &back,
                                    &c->vectors[l->to], NULL, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    for (int i = 0; i < LENGTH; i++)
        c->expected[l->to][i] = c->expected[l->from][LENGTH - 1 - i];
}

static void link_slice_grad(link *l)
{
    chain *c = l->c;
    const clnd_slice thirds = {.length = 1, .end = {LENGTH}, .strides = {3}};
    clnd_tensor third = c->vectors[l->from];
    third.shape[0] = LENGTH / 3;
    check_status(clnd_strided_slice_grad(c->d->engine, l->queue, &third, &thirds,
                                         &c->vectors[l->to], NULL, l->n_wait, l->wait, &l->event),
                 CLND_OK);
    for (int i = 0; i < LENGTH; i++)
        c->expected[l->to][i] = i % 3 ? 0 : c->expected[l->from][i / 3];
}

// OpenCL's own copy, of which it is one contiguous run.
static void link_copy(link *l)
{
    chain *c = l->c;
    check_status(clnd_copy(c->d->engine, l->queue, &c->vectors[l->from], &c->vectors[l->to], NULL,
                           l->n_wait, l->wait, &l->event),
                 CLND_OK);
    memcpy(c->expected[l->to], c->expected[l->from], sizeof c->expected[l->to]);
}

// Nothing to do, but an event that comes no sooner than those before it.
static void link_nothing(link *l)
{
    chain *c = l->c;
    clnd_tensor from = c->vectors[l->from], to = c->vectors[l->to];
    from.shape[0] = to.shape[0] = 0;
    check_status(clnd_copy(c->d->engine, l->queue, &from, &to, NULL, l->n_wait, l->wait, &l->event),
                 CLND_OK);
}

static void (*const links[])(link *l) = {
    link_scatter_update, link_scatter_add, link_scatter_nd,      link_gather_nd,
    link_refused,        link_gather,      link_gather_elements, link_scatter_elements,
    link_slice_assign,   link_slice,       link_slice_grad,      link_copy,
    link_nothing,
};

enum { N_LINKS = sizeof links / sizeof *links };

static cl_event new_gate(const device *d)
{
    cl_int code;
    cl_event gate = clCreateUserEvent(d->context, &code);
    check_cl(code);
    return gate;
}

// Numbers of their own in each vector, so that every mistake shows.
static void chain_fill(chain *c, int number)
{
    for (int v = 0; v < VECTORS; v++) {
        for (int i = 0; i < LENGTH; i++)
            c->expected[v][i] = (uint32_t)rng_u64(case_rng());
        check_cl(clEnqueueWriteBuffer(c->queues[number % c->n_queues], c->vectors[v].buffer,
                                      CL_TRUE, 0, sizeof c->expected[v], c->expected[v], 0, NULL,
                                      NULL));
    }
}

static void chain_check(chain *c, int v, cl_uint n_wait, const cl_event *wait)
{
    uint32_t got[LENGTH];
    check_cl(clEnqueueReadBuffer(c->queues[0], c->vectors[v].buffer, CL_TRUE, 0, sizeof got, got,
                                 n_wait, n_wait ? wait : NULL, NULL));
    for (int i = 0; i < LENGTH; i++)
        check(got[i] == c->expected[v][i], "vector %d, element %d is %u, expected %u", v, i, got[i],
              c->expected[v][i]);
}

// Whatever does not wait for the gate has had its time before it opens.
static void open_gate(const chain *c, cl_event gate)
{
    for (int i = 0; i < c->n_queues; i++)
        check_cl(clFlush(c->queues[i]));
    nanosleep(&(struct timespec){0, 300000}, NULL);
    check_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    check_cl(clReleaseEvent(gate));
}

// One chain: behind the gate, each link waits for the event of the one before it.
static void play_chain(chain *c, int number)
{
    cl_event gate = new_gate(c->d), last = gate;
    int to = 0;
    chain_fill(c, number);
    check_status(clnd_report_reset(c->report), CLND_OK);
    c->n_reported = 0;
    c->refused = -1;
    check_cl(clRetainEvent(gate)); // as `last`
    for (int i = 0; i < LINKS; i++) {
        const int from = to; // what the link before it wrote
        to = (from + (int)rng_range(case_rng(), 1, VECTORS - 1)) % VECTORS;
        link l = {c, from, to, c->queues[i % c->n_queues], 1, &last, NULL};
        links[rng_range(case_rng(), 0, N_LINKS - 1)](&l);
        check(l.event != NULL, "link %d has no event", i);
        check_cl(clReleaseEvent(last));
        last = l.event;
    }
    open_gate(c, gate);
    for (int v = 0; v < VECTORS; v++)
        chain_check(c, v, 1, &last);
    check_cl(clReleaseEvent(last));

    clnd_report_result result;
    check_status(clnd_report_wait(c->report, &result),
                 c->refused < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS);
    check(c->refused < 0 || (result.call == (uint64_t)c->refused && result.row == LENGTH / 2),
          "call %d, row %d; expected call %d", (int)result.call, (int)result.row, c->refused);
}

static void play_chains(const device *d, const char *name, int n_queues, bool out_of_order)
{
    static chain c;
    case_begin(name, 0);
    chain_open(&c, d, n_queues, out_of_order);
    for (int i = 0; i < case_count(CHAINS); i++) {
        case_begin(name, i);
        play_chain(&c, i);
    }
    chain_close(&c);
}

Test(ordering, chains_on_an_out_of_order_queue)
{
    const device *d = device_get();
    if (!d->facts->out_of_order_queues)
        cr_skip_test("%s has no out-of-order queues", d->facts->name);
    play_chains(d, "ordering, out of order", 1, true);
}

Test(ordering, chains_on_an_in_order_queue)
{
    play_chains(device_get(), "ordering, in order", 1, false);
}

// From queue to queue, of either kind.
static void over_two_queues(bool out_of_order)
{
    const device *d = device_get();
    if (strcmp(d->facts->platform, "rusticl") == 0)
        cr_skip_test("Mesa 22.3 does not always show one queue's writes to another");
    if (out_of_order && !d->facts->out_of_order_queues)
        cr_skip_test("%s has no out-of-order queues", d->facts->name);
    play_chains(d, "ordering, two queues", MAX_QUEUES, out_of_order);
}

Test(ordering, chains_over_two_in_order_queues)
{
    over_two_queues(false);
}

Test(ordering, chains_over_two_out_of_order_queues)
{
    over_two_queues(true);
}

// A call waits for all events of its list: each of three vectors is filled behind a gate of its
// own, and the gates open one after the other.
Test(ordering, calls_wait_for_every_event_of_their_lists)
{
    static chain c;
    const device *d = device_get();
    if (!d->facts->out_of_order_queues)
        cr_skip_test("%s has no out-of-order queues", d->facts->name);
    chain_open(&c, d, 1, true);
    for (int i = 0; i < case_count(CHAINS) / 4; i++) {
        cl_event gates[VECTORS], filled[VECTORS], joined;
        case_begin("ordering, joins", i);
        chain_fill(&c, i);
        for (int v = 0; v < VECTORS; v++) {
            uint32_t numbers[LENGTH];
            gates[v] = new_gate(d);
            for (int k = 0; k < LENGTH; k++)
                numbers[k] = c.expected[v][k] = (uint32_t)rng_u64(case_rng());
            clnd_tensor source = new_vector(d, 1, numbers);
            check_status(clnd_copy(d->engine, c.queues[0], &source, &c.vectors[v], NULL, 1,
                                   &gates[v], &filled[v]),
                         CLND_OK);
            check_cl(clReleaseMemObject(source.buffer));
        }
        // The op reads one of the vectors and writes another, both of which arrive.
        const int from = i % VECTORS, to = (i + 1) % VECTORS;
        link l = {&c, from, to, c.queues[0], VECTORS, filled, NULL};
        links[i % N_LINKS](&l);
        joined = l.event;
        for (int v = 0; v < VECTORS; v++) {
            open_gate(&c, gates[(v + i / VECTORS) % VECTORS]);
            check_cl(clWaitForEvents(1, &filled[(v + i / VECTORS) % VECTORS]));
        }
        for (int v = 0; v < VECTORS; v++) {
            chain_check(&c, v, 1, &joined);
            check_cl(clReleaseEvent(filled[v]));
        }
        check_cl(clReleaseEvent(joined));
    }
    chain_close(&c);
}
