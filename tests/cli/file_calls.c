// SPDX-License-Identifier: Apache-2.0
//
// Loaded before the C library, this lists how a program opens, writes, syncs and names the files of
// a folder, and disturbs it there. Environment variables:
//
//   FILE_CALLS         the folder, without links in its path
//   FILE_CALLS_LOG     gets a line for each call that was done, such as "rename out.npy"
//   FILE_CALLS_NAMED   if set, the folder's file system has no files without a name
//   FILE_CALLS_SIGNAL  "NUMBER K": the process gets this signal right after the K-th of these calls

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_WRITTEN = 1 << 20 }; // at once, so that there are moments within a file

static bool is_inside(const char *path)
{
    const char *folder = getenv("FILE_CALLS");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static bool is_file_inside(int fd, char path[4096])
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, 4095);
    path[length > 0 ? length : 0] = '\0';
    return is_inside(path);
}

// Returns the result of the call.
static int note(int result, const char *call, const char *path)
{
    static int calls;
    if (result < 0)
        return result;
    int number, at;
    const char *signal = getenv("FILE_CALLS_SIGNAL");
    const int log = (int)syscall(SYS_openat, AT_FDCWD, getenv("FILE_CALLS_LOG"),
                                 O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    dprintf(log, "%s %s\n", call, path + strlen(getenv("FILE_CALLS")));
    close(log);
    ++calls;
    if (signal && sscanf(signal, "%d %d", &number, &at) == 2 && at == calls)
        kill(getpid(), number);
    return result;
}

int open(const char *path, int flags, ...)
{
    const bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    unsigned mode = 0;
    if (is_unnamed || flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, unsigned);
        va_end(rest);
    }
    if (is_unnamed && is_inside(path) && getenv("FILE_CALLS_NAMED")) {
        errno = EOPNOTSUPP;
        return -1;
    }
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (!is_inside(path))
        return fd;
    return note(fd, is_unnamed ? "unnamed" : flags & O_CREAT ? "create" : "open", path);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    char path[4096];
    if (!is_file_inside(fd, path))
        return syscall(SYS_write, fd, bytes, size);
    size = size < MOST_WRITTEN ? size : MOST_WRITTEN;
    return note((int)syscall(SYS_write, fd, bytes, size), "write", path);
}

int fsync(int fd)
{
    char path[4096];
    const int result = (int)syscall(SYS_fsync, fd);
    return is_file_inside(fd, path) ? note(result, "fsync", path) : result;
}

int linkat(int old_folder, const char *old, int new_folder, const char *new, int flags)
{
    const int result = (int)syscall(SYS_linkat, old_folder, old, new_folder, new, flags);
    return is_inside(new) ? note(result, "link", new) : result;
}

int rename(const char *old, const char *new)
{
    const int result = (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
    return is_inside(new) ? note(result, "rename", new) : result;
}
