#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs all tests of ops and all golden cases of a build on other implementations of OpenCL. The
# suite `devices` of `meson test` does the same with what takes long left out.
#
#     sh tools/devices.sh BUILD_DIR [DEVICE...]
#
# DEVICE is intel, rusticl or oclgrind; all of them unless some are named. What each program prints
# stays in BUILD_DIR/devices/. CLND_STRATEGY is handed on, CLND_INTEL_RUNTIME names the folder of
# Intel's runtime if that is not build-intel.
#
# A program that takes longer than LIMIT seconds (600) counts as failed. Tests that would never end
# on oclgrind are left out; tests/devices/meson.build says why.

set -eu
cd "$(dirname "$0")/.."
. tools/common.sh

[ $# -gt 0 ] && [ -d "$1/tests/ops" ] || {
    sed -n '4,15s/^# \{0,1\}//p' "$0"
    exit 2
}
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- intel rusticl oclgrind
use_python_with_numpy
mkdir -p "$build/devices"

# one DEVICE NAME ARGUMENT...: a line with the numbers of one program.
failed=0
one() {
    device=$1
    log="$build/devices/$1-$2.tap"
    shift 2
    status=0
    timeout "${LIMIT:-600}" python3 tests/devices/on_device.py --device "$device" \
        --runtime "${CLND_INTEL_RUNTIME:-build-intel}" \
        --memory "$build/tests/devices/oclgrind-memory.so" "$@" >"$log" 2>"$log.err" || status=$?
    printf '%-9s %-24s %s passed, %s failed, %s skipped, exit status %s\n' "$device" \
        "$(basename "$log" .tap | sed "s/^$device-//")" \
        "$(grep '^ok' "$log" | grep -vc '# SKIP' || true)" "$(grep -c '^not ok' "$log" || true)" \
        "$(grep -c '# SKIP' "$log" || true)" "$status"
    [ "$status" -eq 0 ] || failed=1
}

for device in "$@"; do
    for program in "$build"/tests/ops/test-*; do
        [ -f "$program" ] && [ -x "$program" ] || continue
        name=$(basename "$program")
        case $device-$name in
        oclgrind-test-engine)
            one "$device" "$name" --leave-out 'events/*' \
                --leave-out two_threads_share_an_engine -- "$program" --tap=-
            ;;
        oclgrind-test-report)
            one "$device" "$name" --leave-out never_waits \
                --leave-out serves_many_threads -- "$program" --tap=-
            ;;
        rusticl-test-rows) # tests/devices/meson.build says why
            one "$device" "$name" --leave-out add -- "$program" --tap=-
            ;;
        oclgrind-test-strategies)
            one "$device" "$name" --may-read-uninitialised -- "$program" --tap=-
            ;;
        *) one "$device" "$name" -- "$program" --tap=- ;;
        esac
    done
    prefix=
    [ "$device" != rusticl ] || prefix="MESA: "
    one "$device" cases --program "$build/cli/clnd" -- python3 tests/golden/run_cases.py \
        --clnd "$build/cli/clnd" ${prefix:+"--driver-prefix" "$prefix"} \
        tests/data/golden
done
exit "$failed"
