// SPDX-License-Identifier: Apache-2.0

#define _DEFAULT_SOURCE // MAP_ANONYMOUS, madvise

#include "pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

static const size_t huge_page = (size_t)2 << 20;

enum { BLOCKS = 32 };

// All that was taken and is not dropped yet.
static struct block {
    void *memory; // NULL: the place is free
    size_t size;
    bool used;
} blocks[BLOCKS];

const char *pages_name(enum pages pages)
{
    return pages == PAGES_HUGE ? "huge" : "small";
}

static size_t whole_pages(size_t size)
{
    return (size + huge_page - 1) / huge_page * huge_page;
}

static void advise(void *memory, size_t size, enum pages pages)
{
#if defined(MADV_HUGEPAGE) && defined(MADV_NOHUGEPAGE)
    madvise(memory, size, pages == PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
    (void)memory, (void)size, (void)pages;
#endif
}

static void *map(size_t whole, enum pages pages)
{
    const size_t mapped = whole + huge_page;
    char *begin = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED)
        return NULL;
    const size_t before = whole_pages((uintptr_t)begin) - (uintptr_t)begin;
    char *memory = begin + before;
    if (before > 0)
        munmap(begin, before);
    munmap(memory + whole, huge_page - before);
    advise(memory, whole, pages);
    return memory;
}

// The smallest kept block that is large enough and wastes less than half of itself.
static struct block *find_kept(size_t whole)
{
    struct block *best = NULL;
    for (struct block *block = blocks; block < blocks + BLOCKS; ++block)
        if (block->memory && !block->used && block->size >= whole && block->size / 2 <= whole &&
            (!best || block->size < best->size))
            best = block;
    return best;
}

static struct block *find_place(void)
{
    for (struct block *block = blocks; block < blocks + BLOCKS; ++block)
        if (!block->memory)
            return block;
    return NULL;
}

void *pages_take(size_t size, enum pages pages)
{
    const size_t whole = whole_pages(size);
    if (whole < size || whole + huge_page < whole)
        return NULL;
    struct block *block = find_kept(whole);
    if (!block) {
        if (!(block = find_place())) {
            pages_drop();
            block = find_place();
        }
        if (!block || !(block->memory = map(whole, pages)))
            return NULL;
        block->size = whole;
    }
    block->used = true;
    return block->memory;
}

void pages_give(void *memory)
{
    for (struct block *block = blocks; block < blocks + BLOCKS; ++block)
        if (memory && block->memory == memory)
            block->used = false;
}

void pages_drop(void)
{
    for (struct block *block = blocks; block < blocks + BLOCKS; ++block)
        if (block->memory && !block->used) {
            munmap(block->memory, block->size);
            block->memory = NULL;
        }
}
