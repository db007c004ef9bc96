// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE // dladdr

#include "icd.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 10, NO_PLATFORM = -1001 }; // CL_PLATFORM_NOT_FOUND_KHR

// What every object of a driver begins with: the first functions of cl_icd_dispatch.
struct dispatch {
    void *get_platform_ids;
    cl_int(CL_API_CALL *get_platform_info)(cl_platform_id, cl_platform_info, size_t, void *,
                                           size_t *);
    cl_int(CL_API_CALL *get_device_ids)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *,
                                        cl_uint *);
};

typedef void *CL_API_CALL find_function(const char *name);
typedef cl_int CL_API_CALL list_platforms(cl_uint, cl_platform_id *, cl_uint *);

static void describe(cl_platform_id id, struct icd *icd)
{
    const struct dispatch *dispatch;
    memcpy(&dispatch, id, sizeof dispatch);
    cl_uint devices = 0;
    char *name = icd->platforms[icd->n_platforms].name;
    if (dispatch->get_platform_info(id, CL_PLATFORM_NAME, sizeof icd->platforms->name, name, NULL))
        snprintf(name, sizeof icd->platforms->name, "a platform without a name");
    if (dispatch->get_device_ids(id, CL_DEVICE_TYPE_ALL, 0, NULL, &devices))
        devices = 0;
    icd->platforms[icd->n_platforms++].devices = devices;
}

static void load(const char *library, struct icd *icd)
{
    find_function *find = NULL;
    list_platforms *list = NULL;
    void *symbol, *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
        snprintf(icd->problem, sizeof icd->problem, "%s", dlerror());
        return;
    }
    if ((symbol = dlsym(handle, "clGetExtensionFunctionAddress")))
        memcpy(&find, &symbol, sizeof find);
    if (find && (symbol = find("clIcdGetPlatformIDsKHR")))
        memcpy(&list, &symbol, sizeof list);
    if (!list) {
        snprintf(icd->problem, sizeof icd->problem, "is no OpenCL driver that a loader can use");
        return;
    }
    icd->loads = true;
    cl_platform_id ids[ICD_PLATFORMS];
    cl_uint n = 0;
    const cl_int code = list(ICD_PLATFORMS, ids, &n);
    if (code == NO_PLATFORM || (code == CL_SUCCESS && n == 0))
        snprintf(icd->problem, sizeof icd->problem, "loads, and has no platform here");
    else if (code != CL_SUCCESS)
        snprintf(icd->problem, sizeof icd->problem, "loads; clIcdGetPlatformIDsKHR gives error %d",
                 (int)code);
    for (cl_uint i = 0; code == CL_SUCCESS && i < n && i < ICD_PLATFORMS; ++i)
        describe(ids[i], icd);
}

// What drivers print is not for whoever reads the report.
static void be_quiet(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
}

static void work(const char *library, int to)
{
    struct icd icd = {0};
    be_quiet();
    for (int number = 1; number < NSIG; ++number)
        signal(number, SIG_DFL); // the command's own would undo its files
    alarm(SECONDS);
    load(library, &icd);
    const ssize_t written = write(to, &icd, sizeof icd);
    _exit(written != sizeof icd);
}

void icd_loader(char *path, size_t size)
{
    cl_int(CL_API_CALL *const function)(cl_uint, cl_platform_id *, cl_uint *) = clGetPlatformIDs;
    void *address;
    Dl_info info;
    memcpy(&address, &function, sizeof address);
    snprintf(path, size, "%s", dladdr(address, &info) && info.dli_fname ? info.dli_fname : "");
}

void icd_try(const char *library, struct icd *icd)
{
    int ends[2], status = 0;
    *icd = (struct icd){0};
    if (pipe(ends) != 0) {
        snprintf(icd->problem, sizeof icd->problem, "cannot be tried: no pipe");
        return;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        work(library, ends[1]);
    close(ends[1]);
    // No longer than what a pipe takes in one piece.
    const bool told = child > 0 && read(ends[0], icd, sizeof *icd) == sizeof *icd;
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    if (told)
        return;
    *icd = (struct icd){.is_deadly = true};
    if (child > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(icd->problem, sizeof icd->problem, "does not answer within %d seconds", SECONDS);
    else if (child > 0 && WIFSIGNALED(status))
        snprintf(icd->problem, sizeof icd->problem, "crashes (signal %d)", WTERMSIG(status));
    else
        snprintf(icd->problem, sizeof icd->problem, "ends the program that loads it");
}
