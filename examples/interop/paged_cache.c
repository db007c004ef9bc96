// SPDX-License-Identifier: Apache-2.0
//
// The key-value cache of a language model in pages, as in vLLM's paged attention: sequences share
// one pool, and a table says which pages are whose. A new key is one scatter into the pool; the
// keys of all sequences are one gather of pages. A table entry of -1 is a page that is not there.
//
//     cc paged_cache.c -o paged_cache $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 6, SLOTS = 2, WIDTH = 2, SEQUENCES = 2, LONGEST = 3 };

static void need(clnd_status status)
{
    if (status == CLND_OK)
        return;
    fprintf(stderr, "paged_cache: %s\n", clnd_last_error());
    exit(EXIT_FAILURE);
}

int main(void)
{
    static float pool[PAGES][SLOTS][WIDTH], seen[SEQUENCES][LONGEST][SLOTS][WIDTH];
    const int32_t pages[SEQUENCES][LONGEST] = {{4, 0, 2}, {5, -1, -1}}; // the table
    int32_t place[SEQUENCES][2];                                        // page and slot
    float key[SEQUENCES][WIDTH];
    int length[SEQUENCES] = {0, 0};

    clnd_engine *engine;
    clnd_array cache, table, places, keys, out;
    need(clnd_engine_open(NULL, NULL, &engine));
    need(clnd_array_dense(pool, CLND_FLOAT32, 3, (int64_t[]){PAGES, SLOTS, WIDTH}, &cache));
    need(clnd_array_dense(pages, CLND_INT32, 2, (int64_t[]){SEQUENCES, LONGEST}, &table));
    need(clnd_array_dense(place, CLND_INT32, 2, (int64_t[]){SEQUENCES, 2}, &places));
    need(clnd_array_dense(key, CLND_FLOAT32, 2, (int64_t[]){SEQUENCES, WIDTH}, &keys));
    need(clnd_array_dense(seen, CLND_FLOAT32, 4, (int64_t[]){SEQUENCES, LONGEST, SLOTS, WIDTH},
                          &out));

    // pool[page, slot, :] = key. The second sequence ends after two tokens: page -1 is skipped.
    const clnd_scatter_nd_options append = {.bounds = CLND_BOUNDS_SKIP, .unique_indices = true};
    for (int step = 0; step < 5; step++) {
        for (int s = 0; s < SEQUENCES; s++) {
            place[s][0] = pages[s][step / SLOTS];
            place[s][1] = step % SLOTS;
            key[s][0] = (float)(s + 1);
            key[s][1] = (float)step;
            length[s] += place[s][0] >= 0;
        }
        need(clnd_host_scatter_nd_into(engine, &places, &keys, &cache, &append));
    }

    // seen[s, i, :, :] = pool[table[s, i], :, :], zeros where there is no page
    const clnd_gather_options read = {.bounds = CLND_BOUNDS_ZERO};
    need(clnd_host_gather(engine, &cache, &table, &out, &read));
    for (int s = 0; s < SEQUENCES; s++) {
        printf("sequence %d, %d keys:", s + 1, length[s]);
        for (int i = 0; i < LONGEST * SLOTS; i++)
            printf(" (%g, %g)", seen[s][i / SLOTS][i % SLOTS][0], seen[s][i / SLOTS][i % SLOTS][1]);
        printf("\n");
    }
    clnd_engine_destroy(&engine);
}
