// SPDX-License-Identifier: Apache-2.0

#include "selftest_order.h"

#include <string.h>

// Neighbours in a group that share a menu, and with it most kernels, before the next way's turn.
enum { MOST_IN_A_ROW = 10 };

static void make_groups(struct selftest_order *order)
{
    int n = 0;
    for (int op = 0; op < N_OPS; op++)
        if (!op_is_scatter((op_id)op))
            order->groups[n++].op = (op_id)op;
    for (int reduce = CLND_REDUCE_UPDATE; reduce <= CLND_REDUCE_MAX; reduce++)
        for (int op = 0; op < N_OPS; op++)
            if (op_is_scatter((op_id)op))
                order->groups[n++] =
                    (struct selftest_group){.op = (op_id)op, .reduce = (clnd_reduce)reduce};
    // Each begins with another way: all have their turn, also where there is time for few problems.
    for (int i = 0; i < n; i++)
        order->groups[i].way = i * 5 % n_ways;
}

static uint8_t group_of(const struct selftest_order *order, const problem *p)
{
    int i = 0;
    while (order->groups[i].op != p->op || order->groups[i].reduce != p->reduce)
        i++;
    return (uint8_t)i;
}

// One kind of indices for each reduction, few axes, no report; what only moves has four bytes.
static bool shares_kernels(const problem *p)
{
    const int kind = p->index_dtype == CLND_INT32 ? 0 : p->index_dtype == CLND_INT64 ? 1 : 2;
    const bool computes = p->reduce > CLND_REDUCE_UPDATE;
    return !p->reported && !p->high_rank && (computes || ref_size(p->dtype) == 4) &&
           (!op_has_indices(p->op) || kind == (int)p->reduce % 3);
}

void selftest_order_make(struct selftest_order *order, uint64_t seed)
{
    problem p;
    rng r;
    check(n_ways <= SELFTEST_WAYS, "%d ways", n_ways);
    memset(order, 0, sizeof *order);
    make_groups(order);
    for (uint32_t i = 0; i < SELFTEST_PROBLEMS; i++) {
        problem_draw(&p, seed, i, &r);
        order->group[i] = group_of(order, &p);
        order->way[i] = (uint8_t)p.way;
        order->shares[i] = shares_kernels(&p);
    }
}

// The next problem of a group for the way whose turn it is.
static uint32_t find(const struct selftest_order *order, int group)
{
    const struct selftest_group *g = &order->groups[group];
    uint32_t at = g->next[g->way];
    while (at < SELFTEST_PROBLEMS &&
           (order->group[at] != group || order->way[at] != g->way || order->shares[at] == g->rest))
        at++;
    return at;
}

static bool take(struct selftest_order *order, int group, bool go_on, uint64_t *number)
{
    struct selftest_group *g = &order->groups[group];
    for (int turns = 0; turns <= n_ways; turns++) {
        const uint32_t last = g->next[g->way], at = find(order, group);
        const bool in_row = g->in_a_row > 0 && g->in_a_row < MOST_IN_A_ROW &&
                            at / MENU_PROBLEMS == (last - 1) / MENU_PROBLEMS;
        if (go_on && !in_row)
            return false;
        if (at < SELFTEST_PROBLEMS && (in_row || g->in_a_row == 0)) {
            g->in_a_row++;
            g->next[g->way] = at + 1;
            *number = at;
            return true;
        }
        g->way = (g->way + 1) % n_ways;
        g->in_a_row = 0;
    }
    return false;
}

bool selftest_order_next(struct selftest_order *order, int group, bool go_on, uint64_t *number)
{
    struct selftest_group *g = &order->groups[group];
    if (take(order, group, go_on, number))
        return true;
    if (g->rest || go_on)
        return false;
    g->rest = true;
    memset(g->next, 0, sizeof g->next);
    return take(order, group, false, number);
}
