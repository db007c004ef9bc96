#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds clnd with its tests, and runs all of them: once as usual, once
# under the address and undefined-behaviour sanitizers. The last line sums up what really ran.
#
#     sh tools/test.sh [--quick | --sanitize]
#
# --quick runs the usual build only, --sanitize the sanitized build only.
#
# The tests run on PoCL, so that they mean the same on every machine. To run them on other OpenCL
# implementations: OCL_ICD_VENDORS=/etc/OpenCL/vendors sh tools/test.sh

set -eu
cd "$(dirname "$0")/.."
. tools/common.sh

quick=yes
sanitize=yes
case "${1-}" in
'') ;;
--quick) sanitize=no ;;
--sanitize) quick=no ;;
*)
    sed -n '4,13s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac

# At a time: Criterion runs the tests of each on all cores, but not to the end.
programs=$((($(nproc) * 3 + 3) / 4))

# run_tests BUILD_DIR TIMEOUT_MULTIPLIER MESON_OPTION...: notes the exit status for the summary.
results=
run_tests() {
    dir=$1
    timeouts=$2
    shift 2
    status=0
    rm -f "$dir/meson-logs/testlog.json"
    {
        configure "$dir" -Dtests=enabled "$@" &&
            meson compile -C "$dir" &&
            prepare "$PWD/$dir" &&
            meson test -C "$dir" --no-rebuild --num-processes "$programs" \
                --timeout-multiplier "$timeouts"
    } || status=$?
    results="$results $dir=$status"
}

say "what the tests need"
sh tools/install-deps.sh build run test bench devices kernels
# Without it the tests on Intel's runtime are skipped.
sh tools/install-intel.sh || true
use_python_with_numpy
# A machine without any device must not look like a machine on which all is well.
export CLND_TEST_REQUIRE_DEVICE=1
# Of random cases; CLND_TEST_CASES=1 sh tools/test.sh runs all of them.
export CLND_TEST_CASES="${CLND_TEST_CASES:-0.15}"

if [ "$quick" = yes ]; then
    say "tests, in build-test/"
    run_tests build-test 1 --buildtype=debugoptimized
fi

if [ "$sanitize" = yes ]; then
    say "tests under sanitizers, in build-sanitize/"
    # To files: the test framework loses what a test writes to stderr, and what happens at its exit.
    log="log_path='$PWD/build-sanitize/reports/report'"
    export ASAN_OPTIONS="detect_leaks=1:$log"
    export LSAN_OPTIONS="suppressions='$PWD/tools/lsan.supp':print_suppressions=0"
    export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:$log"
    run_tests build-sanitize 4 --buildtype=debug -Db_sanitize=address,undefined -Db_lundef=false
fi

say "summary"
# shellcheck disable=SC2086 # a list
exec python3 tools/test_summary.py $results
