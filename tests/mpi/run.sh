#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a test program on some ranks, more than there are cores and as root if need be.
#
#     run.sh MPIEXEC RANKS PROGRAM [ARGUMENT...]
#     run.sh MPIEXEC --killed RANKS PROGRAM     it must end in time, and not well

set -u
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Of Open MPI 4 and 5.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1
# Each rank is a process with threads of its own.
export POCL_MAX_PTHREAD_COUNT=1
mpiexec=$1
shift
killed=
if [ "$1" = --killed ]; then
    killed=yes
    shift
fi
ranks=$1
program=$(realpath "$2")
shift 2
[ "$killed" ] || exec "$mpiexec" -n "$ranks" "$program" "$@"
echo 1..1
said=$(timeout 60 "$mpiexec" -n "$ranks" "$program" 2>&1)
status=$?
case $status-$said in
124-*) echo "not ok 1 - the other ranks wait for ever" ;;
0-*) echo "not ok 1 - nobody was killed" ;;
*"calls begin"*) echo "ok 1 - the other ranks end: status $status" ;;
*) printf 'not ok 1 - nothing began\n%s\n' "$said" | sed '2,$s/^/# /' ;;
esac
