// SPDX-License-Identifier: Apache-2.0

#include "host/base/mutex.h"

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

_Static_assert(sizeof(clnd__mutex) == sizeof(SRWLOCK), "the lock is a pointer");

static SRWLOCK *slim(clnd__mutex *mutex)
{
    return (SRWLOCK *)mutex;
}

bool clnd__mutex_init(clnd__mutex *mutex)
{
    InitializeSRWLock(slim(mutex));
    return true;
}

void clnd__mutex_destroy(clnd__mutex *mutex)
{
    (void)mutex; // it owns nothing
}

void clnd__mutex_lock(clnd__mutex *mutex)
{
    AcquireSRWLockExclusive(slim(mutex));
}

bool clnd__mutex_trylock(clnd__mutex *mutex)
{
    return TryAcquireSRWLockExclusive(slim(mutex));
}

void clnd__mutex_unlock(clnd__mutex *mutex)
{
    ReleaseSRWLockExclusive(slim(mutex));
}

#else

bool clnd__mutex_init(clnd__mutex *mutex)
{
    return pthread_mutex_init(mutex, NULL) == 0;
}

void clnd__mutex_destroy(clnd__mutex *mutex)
{
    pthread_mutex_destroy(mutex);
}

void clnd__mutex_lock(clnd__mutex *mutex)
{
    pthread_mutex_lock(mutex);
}

bool clnd__mutex_trylock(clnd__mutex *mutex)
{
    return pthread_mutex_trylock(mutex) == 0;
}

void clnd__mutex_unlock(clnd__mutex *mutex)
{
    pthread_mutex_unlock(mutex);
}

#endif
