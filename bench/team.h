// SPDX-License-Identifier: Apache-2.0
//
// A team of threads that share one loop at a time: for the data, the checks and the C baselines.

#ifndef CLND_BENCH_TEAM_H
#define CLND_BENCH_TEAM_H

#include <stdint.h>

struct team;

// Does the loop's turns [begin, end).
typedef void team_work(void *context, int64_t begin, int64_t end);

// A team of `threads`, the caller being one of them; fewer when the system has no more to give.
// NULL without memory.
struct team *team_create(int threads);
void team_destroy(struct team *team);

int team_size(const struct team *team);

// Divides [0, n) evenly among the threads, with at least `grain` turns for each, and returns when
// all is done.
void team_for(struct team *team, int64_t n, int64_t grain, team_work *work, void *context);

#endif
