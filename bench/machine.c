// SPDX-License-Identifier: Apache-2.0

#include "machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The first line of a file that has the word, without its end; "" where there is none.
static void find_line(const char *path, const char *word, char *line, int size)
{
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file && !found && fgets(line, size, file))
        found = strstr(line, word) != NULL;
    if (file)
        fclose(file);
    line[found ? strcspn(line, "\n") : 0] = 0;
}

// Of the first core's cache of a level, in bytes.
static double cache_size(int level)
{
    enum { INDICES = 8 };
    for (int i = 0; i < INDICES; ++i) {
        static const char folder[] = "/sys/devices/system/cpu/cpu0/cache";
        char path[96], line[32];
        int found = 0;
        double kilobytes = 0;
        snprintf(path, sizeof path, "%s/index%d/level", folder, i);
        find_line(path, "", line, sizeof line);
        sscanf(line, "%d", &found);
        snprintf(path, sizeof path, "%s/index%d/size", folder, i);
        find_line(path, "K", line, sizeof line);
        if (found == level && sscanf(line, "%lfK", &kilobytes) == 1)
            return kilobytes * 1024;
    }
    return 0;
}

// "always [madvise] never": the word in brackets.
static void find_policy(char policy[16])
{
    char line[64];
    find_line("/sys/kernel/mm/transparent_hugepage/enabled", "[", line, sizeof line);
    const char *word = strchr(line, '[');
    if (!word || sscanf(word, "[%15[a-z]", policy) != 1)
        snprintf(policy, 16, "unknown");
}

// "AMD EPYC (family 25, model 17)": in virtual machines the name alone does not tell which it is.
static void find_processor(char processor[128])
{
    char line[512];
    find_line("/proc/cpuinfo", "model name", line, sizeof line);
    const char *colon = strchr(line, ':');
    const int n = snprintf(processor, 128, "%.100s", colon ? colon + 2 : "unknown");
    int family, model;
    find_line("/proc/cpuinfo", "cpu family", line, sizeof line);
    const bool has_family = sscanf(line, "cpu family : %d", &family) == 1;
    find_line("/proc/cpuinfo", "model\t", line, sizeof line);
    if (has_family && sscanf(line, "model : %d", &model) == 1)
        snprintf(processor + n, 128 - (size_t)n, " (family %d, model %d)", family, model);
}

void machine_describe(struct machine *machine)
{
    char line[512];
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    *machine = (struct machine){.cores = online > 0 ? (int)online : 1,
                                .l2_cache = cache_size(2),
                                .l3_cache = cache_size(3)};
    find_processor(machine->processor);
    find_policy(machine->huge_pages);
    find_line("/proc/self/smaps_rollup", "AnonHugePages", line, sizeof line);
    double kilobytes = 0;
    if (sscanf(line, "AnonHugePages: %lf", &kilobytes) == 1)
        machine->huge_bytes = kilobytes * 1024;
    find_line("/proc/self/maps", "libjemalloc", line, sizeof line);
    machine->allocator = *line ? "jemalloc" : "system";
}
