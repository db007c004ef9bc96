#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# clnd-mpi with another MPI than the build's: MPICH, of which Debian has headers, mpicc.mpich and
# mpiexec.mpich beside Open MPI's.
#
#     mpich_test.sh SOURCE LIBRARY_FOLDER

set -u
source=$(realpath "$1")
libraries=$(realpath "$2")
if ! command -v mpicc.mpich >/dev/null || ! command -v mpiexec.mpich >/dev/null; then
    echo "1..0 # SKIP MPICH is not installed: tools/install-deps.sh cluster"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$source" || exit 1
mpi=$(find mpi -name '*.c' ! -name example.c)
helpers='tests/mpi/world.c tests/mpi/problem.c selftest/support/rng.c selftest/support/values.c
    selftest/ref/reduce.c selftest/ref/array.c'
echo 1..3
test=0

# check NAME OPTION RANKS [ARGUMENT...]: one program of tests/mpi
check() {
    name=$1 option=$2 ranks=$3
    shift 3
    test=$((test + 1))
    # shellcheck disable=SC2086 # lists
    if mpicc.mpich -std=c11 -O1 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE \
        -DCL_TARGET_OPENCL_VERSION=120 -I. -Iinclude -Impi/include -Iselftest/ref \
        -Iselftest/support "tests/mpi/$name.c" $mpi $helpers -o "$folder/$name" \
        -L"$libraries" -lclnd -lOpenCL -lm >"$folder/log" 2>&1 &&
        LD_LIBRARY_PATH=$libraries sh tests/mpi/run.sh mpiexec.mpich $option "$ranks" \
            "$folder/$name" "$@" >"$folder/log" 2>&1 && ! grep -q '^not ok' "$folder/log"; then
        echo "ok $test - $name"
    else
        echo "not ok $test - $name"
        sed 's/^/# /' "$folder/log"
    fi
}

check random '' 3 40
check refused '' 2
check killed --killed 2
