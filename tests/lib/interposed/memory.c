// SPDX-License-Identifier: Apache-2.0

#include "memory.h"

#include <errno.h>
#include <pthread.h>

#include "host/base/alloc.h"

static struct {
    int next; // allocations until the one that fails
    bool failed;
    int count;
} state = {.next = -1};

void memory_fail(int number)
{
    state.next = number;
    state.failed = false;
}

bool memory_has_failed(void)
{
    return state.failed;
}

int memory_count(void)
{
    return state.count;
}

static bool fails(void)
{
    const bool now = state.next == 0;
    if (state.next >= 0)
        state.next--;
    state.failed = state.failed || now;
    state.count += now ? 0 : 1;
    return now;
}

// The names are the linker's.
void *__real_clnd__allocate(size_t size);
void *__wrap_clnd__allocate(size_t size);
void *__real_clnd__allocate_array(size_t size);
void *__wrap_clnd__allocate_array(size_t size);
void __real_clnd__free(void *memory);
void __wrap_clnd__free(void *memory);
int __real_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes);
int __real_pthread_mutex_destroy(pthread_mutex_t *lock);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *lock);

void *__wrap_clnd__allocate(size_t size)
{
    return fails() ? NULL : __real_clnd__allocate(size);
}

void *__wrap_clnd__allocate_array(size_t size)
{
    return fails() ? NULL : __real_clnd__allocate_array(size);
}

void __wrap_clnd__free(void *memory)
{
    if (memory)
        state.count--;
    __real_clnd__free(memory);
}

int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes)
{
    return fails() ? ENOMEM : __real_pthread_mutex_init(lock, attributes);
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *lock)
{
    state.count--;
    return __real_pthread_mutex_destroy(lock);
}
