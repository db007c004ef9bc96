#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs what clnd needs from the distribution's packages, and only what is missing.
#
#     sh tools/install-deps.sh GROUP...
#
# Groups: build (compile), run (an OpenCL device for machines without a GPU), test (run the tests),
# mpi (the library for many machines), cluster (what that library is tried with), devices (more
# OpenCL devices for the tests; Intel's comes with tools/install-intel.sh), kernels (compilers of
# kernels for GPUs, which need no GPU), bench (the benchmark), packaging (tools for packages and
# other systems), coverage (which lines the tests reach). Debian 12 and 13, Ubuntu 24.04. When all
# is there, nothing is done and no network is needed.
#
# shellcheck disable=SC2086 # lists of package names are meant to be split

set -eu

# group, package, needed or optional, what for
packages() {
    cat <<'TABLE'
build   gcc                needed    C compiler
build   libc6-dev          needed    headers of the C library
build   meson              needed    build system
build   ninja-build        needed    runs the build that Meson writes
build   pkg-config         needed    finds the OpenCL library
build   python3            needed    embeds the kernels in the library
build   ocl-icd-opencl-dev needed    OpenCL headers and the library that finds devices
build   dpkg-dev           needed    tells Meson and CMake where Debian has libraries
run     pocl-opencl-icd    needed    OpenCL on the CPU, so that there is always a device
test    g++                needed    the public headers are compiled as C++ too
test    make               needed    builds the examples against the installed library
test    cmake              optional  builds programs with the installed library, and the library
test    binutils           needed    lists the symbols that the library exports
test    libcriterion-dev   needed    unit test framework
test    libclblast-dev     optional  an example calls CLBlast
test    libdlpack-dev      optional  an example takes and gives DLPack tensors
test    opencl-clhpp-headers optional an example uses OpenCL's C++ header
test    python3-numpy      needed    independent results to compare with
test    python3-venv       optional  gives the tests a newer NumPy, and Intel's runtime, in folders
mpi     libopenmpi-dev     needed    gather and scatter over many machines
mpi     openmpi-bin        needed    starts programs on them
test    doxygen            optional  the reference in HTML
test    python3-yaml       optional  checks the files for CI of examples/ci
bench   libjansson-dev     needed    the benchmark reads and writes JSON
bench   gnuplot-nox        optional  draws the benchmark's pictures
devices mesa-opencl-icd    optional  a second OpenCL implementation (rusticl) to test on
cluster libmpich-dev       optional  another MPI
cluster mpich              optional  starts programs of it
cluster libstarpu-dev      optional  an example runs clnd's ops as tasks of a cluster
cluster libpetsc-real-dev  optional  the benchmark of many machines compares clnd with it
packaging debhelper optional    builds the Debian packages
packaging lintian  optional     checks them
packaging mmdebstrap optional   installs them in a system of their own
packaging gcc-mingw-w64-x86-64 optional compiles the library for Windows
packaging wine     optional     runs unit tests for Windows
packaging libwine-dev optional  headers of Windows, for clang in MSVC's place
coverage gcovr             needed    sums up which lines were reached
devices oclgrind           optional  an OpenCL device that finds invalid memory accesses
test    abigail-tools      optional  compares the library with that of the last release
kernels clang-15           optional  compiles the kernels for many devices
kernels libclc-15          optional  the OpenCL functions of AMD and NVIDIA devices for clang
kernels intel-opencl-icd   optional  ocloc, the compiler of Intel's GPUs
TABLE
}

say() {
    printf 'install-deps: %s\n' "$*"
}

is_installed() {
    for name in "$@"; do
        case "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" in
        installed*) return 0 ;;
        esac
    done
    return 1
}

# Packages of the asked groups that are missing, as table lines.
missing() {
    packages | while read -r group package need why; do
        case " $* " in
        *" $group "*) ;;
        *) continue ;;
        esac
        case $package in
        pkg-config) is_installed pkg-config pkgconf && continue ;;
        *) is_installed "$package" && continue ;;
        esac
        printf '%s %s %s\n' "$package" "$need" "$why"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

can_be_root() {
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null 2>&1 || return 1
    # sudo may ask for a password only when there is somebody to ask.
    sudo -n true 2>/dev/null || [ -t 0 ]
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"
}

# Those of the packages that the archive has: one call, because each takes half a second.
in_archive() {
    apt-cache madison "$@" 2>/dev/null | awk '!seen[$1]++ { print $1 }'
}

can_install() {
    apt-get -qq install -s --no-remove --no-install-recommends "$@" >/dev/null 2>&1
}

# Those that can be installed beside the needed ones and what is there: some conflict with it.
installable() {
    known=$(in_archive "$@")
    if [ -z "$known" ] || can_install $needed $known; then
        printf '%s\n' $known
        return
    fi
    chosen=
    for package in $known; do
        ! can_install $needed $chosen $package || chosen="$chosen $package"
    done
    printf '%s\n' $chosen
}

[ $# -gt 0 ] || {
    sed -n '3,14s/^# \{0,1\}//p' "$0"
    exit 2
}

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    say "this system has no apt-get. clnd needs what these Debian packages hold:"
    packages | while read -r group package need why; do
        case " $* " in *" $group "*) printf '    %-18s %s\n' "$package" "$why" ;; esac
    done
    say "going on in the hope that they are there"
    exit 0
fi

wanted=$(missing "$@")
needed=$(printf '%s\n' "$wanted" | awk '$2 == "needed" { print $1 }')
optional=$(printf '%s\n' "$wanted" | awk '$2 == "optional" { print $1 }')

# An optional package that this system cannot have would otherwise be asked for at every run.
if [ -z "$needed" ] && [ -z "$(installable $optional)" ]; then
    say "everything is installed"
    [ -z "$optional" ] || say "cannot be installed here, left out:" $optional
    exit 0
fi

say "these packages will be installed, with those that they depend on:"
printf '%s\n' "$wanted" | while read -r package need why; do
    [ "$need" = needed ] || why="$why (if this system has it)"
    printf '    %-18s %s\n' "$package" "$why"
done

if ! can_be_root; then
    if command -v sudo >/dev/null 2>&1; then
        say "sudo asks for a password, and there is no terminal to type it on."
    else
        say "this needs root, and there is no sudo."
    fi
    say "Run as root: apt-get install --no-install-recommends" $needed $optional
    [ -z "$needed" ] || exit 1
    say "going on without the optional ones"
    exit 0
fi

apt_get update || say "apt-get update failed; trying with what is known"
available=" $(in_archive $needed | tr '\n' ' ') "
for package in $needed; do
    case $available in
    *" $package "*) ;;
    *)
        say "the package $package is not in this system's archive" \
            "(on Ubuntu: is the component 'universe' enabled?)"
        exit 1
        ;;
    esac
done
install="$needed $(installable $optional | tr '\n' ' ')"
for package in $optional; do
    case " $install " in
    *" $package "*) ;;
    *) say "cannot be installed here, left out: $package" ;;
    esac
done
set -- $install
[ $# -eq 0 ] || apt_get install -y --no-remove --no-install-recommends "$@"
say "done"
