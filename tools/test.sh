#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds clnd with its tests, and runs them. The last line sums up what
# really ran.
#
#     sh tools/test.sh --fast   after an edit: on PoCL, minutes
#     sh tools/test.sh          what CI runs: all suites, also on other devices what differs there,
#                               and what handles memory under sanitizers
#     sh tools/test.sh --all    hours: all suites everywhere, every case and every mutation
#
# The tests run on PoCL, so that they mean the same on every machine. To run them on other OpenCL
# implementations: OCL_ICD_VENDORS=/etc/OpenCL/vendors sh tools/test.sh

set -eu
cd "$(dirname "$0")/.."
. tools/common.sh

# Suites of the default level under the address and undefined-behaviour sanitizers.
sanitized='unit ops faults fuzz'
case "${1-}" in
'') level=default ;;
--fast) level=fast ;;
--all) level=all ;;
*)
    sed -n '4,14s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac

# At a time: one more than cores, because many wait for their own children.
programs=$(($(nproc) + 1))

# run_tests BUILD_DIR TESTS MESON_OPTION...: notes the exit status for the summary. TESTS are words
# that choose among the tests of the level.
results=
run_tests() {
    dir=$1
    tests=$2
    shift 2
    status=0
    rm -f "$dir/meson-logs"/testlog*.json
    # shellcheck disable=SC2086 # a list
    {
        configure "$dir" -Dtests=enabled "$@" &&
            meson compile -C "$dir" &&
            wait &&
            prepare "$PWD/$dir" &&
            meson test -C "$dir" --no-rebuild --num-processes "$programs" --setup "$level" $tests
    } || status=$?
    results="$results $dir=$status"
}

say "what the tests need"
sh tools/install-deps.sh build run test mpi bench devices kernels
use_python_with_numpy
[ "$level" = fast ] || install_python_bindings
# While the tests are built. Without Intel's runtime the tests on it are skipped, without nvdisasm
# the model of GPUs says nothing of NVIDIA's.
if [ "$level" != fast ]; then
    sh tools/install-intel.sh &
    [ -d build-nvidia ] || make_environment build-nvidia nvidia-cuda-nvdisasm &
fi
# Without them tests of the suite packaging are skipped.
if [ "$level" = all ]; then
    sh tools/install-deps.sh packaging cluster
    [ -x build-meson/bin/meson ] || make_environment build-meson meson || true
    [ -x build-conan/bin/conan ] || make_environment build-conan 'conan==2.*' || true
    [ -d build-zig ] || make_environment build-zig 'ziglang==0.13.*' || true
fi
# A machine without any device must not look like a machine on which all is well.
export CLND_TEST_REQUIRE_DEVICE=1

say "tests, in build-test/"
# What sanitizers run below and see more of is left to them.
tests=
[ "$level" != default ] || tests='--no-suite faults'
run_tests build-test "$tests" --buildtype=debugoptimized

if [ "$level" != fast ]; then
    say "tests under sanitizers, in build-sanitize/"
    # To files: the test framework loses what a test writes to stderr, and what happens at its exit.
    log="log_path='$PWD/build-sanitize/reports/report'"
    # The last option keeps the leak check from crashing (signal 11). Runtimes up to GCC 13 and
    # LLVM 16 take a thread's variables for a block of glibc before 2.25 when they happen to lie 16
    # bytes into a page, and scan at the address that they believe is written before them.
    export ASAN_OPTIONS="detect_leaks=1:$log:intercept_tls_get_addr=0"
    export LSAN_OPTIONS="suppressions='$PWD/tools/lsan.supp':print_suppressions=0"
    export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:$log"
    tests=
    # shellcheck disable=SC2086 # a list
    [ "$level" = all ] || tests=$(printf -- '--suite %s ' $sanitized)
    run_tests build-sanitize "$tests" \
        --buildtype=debug -Db_sanitize=address,undefined -Db_lundef=false \
        -Dbench=disabled -Dmpi=disabled -Dexamples=false
fi

say "summary"
# shellcheck disable=SC2086 # a list
exec python3 tools/test_summary.py $results
