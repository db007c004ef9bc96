// SPDX-License-Identifier: Apache-2.0

#include "team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct member {
    struct team *team;
    int number; // 1, 2, ...; the caller is 0
    pthread_t thread;
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    int size;
    uint64_t loops; // begun so far
    int working;
    bool leaving;
    int shares; // of the current loop
    int64_t n;
    team_work *work;
    void *context;
    struct member members[];
};

// n * number / shares without overflow.
static int64_t border(int64_t n, int shares, int number)
{
    return n / shares * number + n % shares * number / shares;
}

static void do_share(const struct team *team, int number)
{
    if (number < team->shares)
        team->work(team->context, border(team->n, team->shares, number),
                   border(team->n, team->shares, number + 1));
}

static void *member_main(void *context)
{
    const struct member *member = context;
    struct team *team = member->team;
    uint64_t done = 0;
    pthread_mutex_lock(&team->lock);
    while (true) {
        while (team->loops == done && !team->leaving)
            pthread_cond_wait(&team->begun, &team->lock);
        if (team->leaving)
            break;
        done = team->loops;
        pthread_mutex_unlock(&team->lock);
        do_share(team, member->number);
        pthread_mutex_lock(&team->lock);
        if (--team->working == 0)
            pthread_cond_signal(&team->ended);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

struct team *team_create(int threads)
{
    const size_t others = threads > 1 ? (size_t)threads - 1 : 0;
    struct team *team = calloc(1, sizeof *team + others * sizeof *team->members);
    if (!team)
        return NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begun, NULL);
    pthread_cond_init(&team->ended, NULL);
    team->size = 1;
    for (size_t i = 0; i < others; ++i) {
        struct member *member = &team->members[i];
        *member = (struct member){.team = team, .number = (int)i + 1};
        if (pthread_create(&member->thread, NULL, member_main, member))
            break;
        ++team->size;
    }
    return team;
}

void team_destroy(struct team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->leaving = true;
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->size - 1; ++i)
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->begun);
    pthread_cond_destroy(&team->ended);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

int team_size(const struct team *team)
{
    return team->size;
}

void team_for(struct team *team, int64_t n, int64_t grain, team_work *work, void *context)
{
    if (n <= grain || team->size == 1) {
        if (n > 0)
            work(context, 0, n);
        return;
    }
    const int64_t most = n / grain;
    pthread_mutex_lock(&team->lock);
    team->shares = most < team->size ? (int)most : team->size;
    team->n = n;
    team->work = work;
    team->context = context;
    team->working = team->size - 1;
    ++team->loops;
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->lock);
    do_share(team, 0);
    pthread_mutex_lock(&team->lock);
    while (team->working)
        pthread_cond_wait(&team->ended, &team->lock);
    pthread_mutex_unlock(&team->lock);
}
