// SPDX-License-Identifier: Apache-2.0

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

// Creates an empty file of a new name beside `target`. Returns its descriptor and, in `*name`, its
// allocated name; -1 with errno. open() and not mkstemp(): only the kernel can apply the umask
// without a moment in which another thread would create files under a wrong one.
static int create_temporary(const char *target, char **name)
{
    enum { max_attempts = 100 };
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned long seed = (unsigned long)now.tv_nsec ^ (unsigned long)now.tv_sec << 20;
    for (int i = 0; i < max_attempts; i++) {
        char base[64];
        snprintf(base, sizeof base, ".clnd-%ld-%lx", (long)getpid(), seed + (unsigned long)i);
        *name = sibling(target, base);
        if (*name == NULL) {
            return -1;
        }
        int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            snprintf(unfinished.name, sizeof unfinished.name, "%s", *name);
            unfinished.exists = 1;
            return fd;
        }
        int reason = errno;
        free(*name);
        errno = reason;
        if (reason != EEXIST) {
            return -1;
        }
    }
    return -1;
}

// Gives the new file the mode, and as far as the system allows the owner, of the one it replaces.
static bool copy_ownership(int fd, const struct stat *old)
{
    if (fchown(fd, old->st_uid, old->st_gid) != 0) {
        // Only root may give a file away; to anybody else belongs what they write.
    }
    return fchmod(fd, old->st_mode & 0777) == 0;
}

// Fills the temporary file and closes it. `old` is the file that it will replace, or NULL.
static bool finish_temporary(int fd, const struct stat *old, const struct content *content,
                             char *error)
{
    bool is_good = (old == NULL || copy_ownership(fd, old)) && write_content(fd, content) &&
                   // Some file systems have no fsync and say so with EINVAL.
                   (fsync(fd) == 0 || errno == EINVAL);
    if (!is_good) {
        fail_errno(error, "write");
    }
    if (close(fd) != 0 && is_good) {
        return fail_errno(error, "write");
    }
    return is_good;
}

static bool replace(const char *target, const struct stat *old, const struct content *content,
                    char *error)
{
    char *temporary;
    int fd = create_temporary(target, &temporary);
    if (fd < 0) {
        return fail_errno(error, "create a file in its directory");
    }
    bool is_good = finish_temporary(fd, old, content, error);
    if (is_good && rename(temporary, target) != 0) {
        is_good = fail_errno(error, "replace");
    }
    if (!is_good) {
        unlink(temporary);
    }
    unfinished.exists = 0;
    free(temporary);
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
