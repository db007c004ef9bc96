// SPDX-License-Identifier: Apache-2.0
//
// Locks: POSIX's, and on Windows slim reader/writer locks. No thread takes one that it holds.

#ifndef CLND_BASE_MUTEX_H
#define CLND_BASE_MUTEX_H

#include <stdbool.h>

#ifdef _WIN32
typedef struct clnd__mutex {
    void *slim; // an SRWLOCK, which is one pointer; <windows.h> brings too many names
} clnd__mutex;
#else
#include <pthread.h>
typedef pthread_mutex_t clnd__mutex;
#endif

bool clnd__mutex_init(clnd__mutex *mutex); // false when there is no memory
void clnd__mutex_destroy(clnd__mutex *mutex);
void clnd__mutex_lock(clnd__mutex *mutex);
bool clnd__mutex_trylock(clnd__mutex *mutex); // whether it is held now
void clnd__mutex_unlock(clnd__mutex *mutex);

#endif
