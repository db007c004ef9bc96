// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE // O_TMPFILE

#include "npy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "npy_header.h"

// What is written to one file.
struct content {
    char header[NPY_HEADER_SIZE];
    size_t header_size;
    const void *data;
    size_t data_size;
};

// The temporary file that npy_abandon removes; its name stays for as long as it may be looked at.
static struct {
    volatile sig_atomic_t exists;
    char name[PATH_MAX];
} unfinished;

// Room for the name of a temporary file without its directory.
#define MAX_BASE 64

#define LINK_SIZE 32

// The link in /proc to an open file.
static const char *descriptor_link(int fd, char link[LINK_SIZE])
{
    snprintf(link, LINK_SIZE, "/proc/self/fd/%d", fd);
    return link;
}

static bool fail_errno(char *error, const char *what)
{
    return text_fail(error, "cannot %s: %s", what, strerror(errno));
}

// False: errno says why.
static bool write_fully(int fd, const char *bytes, size_t size)
{
    const size_t most = (size_t)1 << 30;
    while (size > 0) {
        ssize_t n = write(fd, bytes, size < most ? size : most);
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (n == 0) {
            errno = EIO; // POSIX leaves this open; no progress must not become a loop
            return false;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd ready = {.fd = fd, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static bool write_content(int fd, const struct content *content)
{
    return write_fully(fd, content->header, content->header_size) &&
           write_fully(fd, content->data, content->data_size);
}

// A device or a FIFO: there is nothing to keep and nothing to rename.
static bool write_directly(const char *path, const struct content *content, char *error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return fail_errno(error, "open for writing");
    }
    if (!write_content(fd, content)) {
        fail_errno(error, "write");
        close(fd);
        return false;
    }
    return close(fd) == 0 || fail_errno(error, "write");
}

// Length of the part of `path` up to and with its last '/', 0 when it has none.
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

// `name` in the directory of `path`: allocated, NULL without memory.
static char *sibling(const char *path, const char *name)
{
    size_t directory = directory_length(path);
    size_t length = strlen(name);
    char *result = malloc(directory + length + 1);
    if (result != NULL) {
        memcpy(result, path, directory);
        memcpy(result + directory, name, length + 1);
    }
    return result;
}

// What the symbolic link `path` holds, `length` bytes by lstat: allocated, NULL with errno.
static char *read_link(const char *path, size_t length)
{
    // lstat says 0 for links that the kernel makes up, such as those of /proc.
    size_t size = (length > 0 ? length : 4096) + 1;
    char *text = malloc(size);
    if (text == NULL) {
        return NULL;
    }
    ssize_t got = readlink(path, text, size);
    if (got < 0 || (size_t)got == size) {
        errno = got < 0 ? errno : ENAMETOOLONG;
        free(text);
        return NULL;
    }
    text[got] = '\0';
    return text;
}

// The name behind the symbolic links that `path` may be, which need not exist: rename() would
// replace the link itself. Allocated; NULL with errno.
static char *follow_links(const char *path)
{
    enum { max_links = 40 }; // as Linux itself
    char *target = sibling("", path);
    for (int n = 0; target != NULL; n++) {
        struct stat status;
        if (lstat(target, &status) != 0 || !S_ISLNK(status.st_mode)) {
            return target; // also when nothing is there: creating the file gives the error
        }
        char *text = NULL;
        if (n == max_links) {
            errno = ELOOP;
        } else {
            text = read_link(target, (size_t)status.st_size);
        }
        char *next = text == NULL ? NULL : sibling(text[0] == '/' ? "" : target, text);
        int reason = errno;
        free(text);
        free(target);
        errno = reason;
        target = next;
    }
    return NULL;
}

// A file without a name in the directory of `target`, which vanishes with the process; -1 where
// there is no such thing, or no way to give it a name later.
static int create_unnamed(const char *target)
{
    int fd = -1;
#ifdef O_TMPFILE
    char *directory = sibling(target, ".");
    if (directory != NULL) {
        fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    }
    free(directory);
    char link[LINK_SIZE];
    if (fd >= 0 && access(descriptor_link(fd, link), F_OK) != 0) {
        close(fd);
        fd = -1;
    }
#endif
    return fd;
}

// Gives the unnamed file `*fd` a new name beside `target`, or creates one if that is -1. False:
// errno says why. open() and not mkstemp(): only the kernel can apply the umask without a moment in
// which another thread would create files under a wrong one.
static bool take_name(const char *target, int *fd)
{
    enum { max_attempts = 100 };
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned long seed = (unsigned long)now.tv_nsec ^ (unsigned long)now.tv_sec << 20;
    size_t directory = directory_length(target);
    if (directory >= sizeof unfinished.name - MAX_BASE) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(unfinished.name, target, directory);
    for (int i = 0; i < max_attempts; i++) {
        snprintf(unfinished.name + directory, MAX_BASE, ".clnd-%ld-%lx", (long)getpid(),
                 seed + (unsigned long)i);
        char link[LINK_SIZE];
        if (*fd < 0) {
            *fd = open(unfinished.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            unfinished.exists = *fd >= 0;
        } else {
            unfinished.exists = linkat(AT_FDCWD, descriptor_link(*fd, link), AT_FDCWD,
                                       unfinished.name, AT_SYMLINK_FOLLOW) == 0;
        }
        if (unfinished.exists || errno != EEXIST) {
            return unfinished.exists;
        }
    }
    return false;
}

// Gives the new file the mode, and as far as the system allows the owner, of the one it replaces.
static bool copy_ownership(int fd, const struct stat *old)
{
    if (fchown(fd, old->st_uid, old->st_gid) != 0) {
        // Only root may give a file away; to anybody else belongs what they write.
    }
    return fchmod(fd, old->st_mode & 0777) == 0;
}

// Fills the new file. `old` is the file that it will replace, or NULL.
static bool fill(int fd, const struct stat *old, const struct content *content)
{
    return (old == NULL || copy_ownership(fd, old)) && write_content(fd, content) &&
           // Some file systems have no fsync and say so with EINVAL.
           (fsync(fd) == 0 || errno == EINVAL);
}

// The names in the directory of `target` reach the disk. That is all that can be done: the file is
// in its place, and not every directory can be opened.
static void sync_directory(const char *target)
{
    char *directory = sibling(target, ".");
    int fd = directory == NULL ? -1 : open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

// No handler may run while a file is getting a name or losing it.
static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

static bool replace(const char *target, const struct stat *old, const struct content *content,
                    char *error)
{
    sigset_t before;
    int fd = create_unnamed(target);
    bool is_named = fd < 0;
    if (is_named) {
        block_signals(&before);
        bool is_good =
            take_name(target, &fd) || fail_errno(error, "create a file in its directory");
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (!is_good) {
            return false;
        }
    }
    bool is_good = fill(fd, old, content) || fail_errno(error, "write");
    block_signals(&before);
    if (is_good && !is_named) {
        is_good = take_name(target, &fd) || fail_errno(error, "create a file in its directory");
    }
    if (close(fd) != 0 && is_good) {
        is_good = fail_errno(error, "write");
    }
    if (is_good && rename(unfinished.name, target) != 0) {
        is_good = fail_errno(error, "replace");
    }
    if (!is_good) {
        npy_abandon();
    }
    unfinished.exists = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_good) {
        sync_directory(target);
    }
    return is_good;
}

// Whether `path` is the very file that `status` describes.
static bool is_same_file(const char *path, const struct stat *status)
{
    struct stat other;
    return lstat(path, &other) == 0 && other.st_dev == status->st_dev &&
           other.st_ino == status->st_ino;
}

static bool write_path(const char *path, const struct content *content, char *error)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (!exists && errno != ENOENT) {
        return fail_errno(error, "write");
    }
    if (exists && !S_ISREG(old.st_mode)) {
        return write_directly(path, content, error);
    }
    // rename() asks for a writable directory only, but write protection is meant to protect.
    if (exists && access(path, W_OK) != 0) {
        return fail_errno(error, "write");
    }
    char *target = follow_links(path);
    if (target == NULL) {
        return fail_errno(error, "write");
    }
    bool is_good;
    if (exists && !is_same_file(target, &old)) {
        // /dev/stdout on a file that has been removed, say: the link leads to no name.
        is_good = text_fail(error, "cannot replace: its symbolic link leads to no name");
    } else {
        is_good = replace(target, exists ? &old : NULL, content, error);
    }
    free(target);
    return is_good;
}

bool npy_write(const char *path, const struct npy_type *type, int rank, const int64_t *shape,
               const void *data, char *error)
{
    struct content content = {.data = data};
    if (!npy_data_size(type, rank, shape, &content.data_size)) {
        return text_fail(error, "the shape needs too many bytes");
    }
    content.header_size = npy_header_format(type, rank, shape, content.header);
    if (strcmp(path, "-") == 0) {
        return write_content(STDOUT_FILENO, &content) || fail_errno(error, "write");
    }
    return write_path(path, &content, error);
}

void npy_abandon(void)
{
    if (unfinished.exists) {
        unlink(unfinished.name);
    }
}
