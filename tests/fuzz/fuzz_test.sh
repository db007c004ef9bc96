#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes every target for a few seconds (CLND_FUZZ_SECONDS) and prints TAP; seeds are printed too.
# Skips where clang has no libFuzzer.
#
#     fuzz_test.sh BUILD_DIR TARGET...

set -u
cd "$(dirname "$0")/../.." || exit 1
FUZZ_BUILD=$1
export FUZZ_BUILD
shift
echo "1..$#"
number=0
for target; do
    number=$((number + 1))
    log=$FUZZ_BUILD/$target.log
    mkdir -p "$FUZZ_BUILD"
    rm -rf "$FUZZ_BUILD/found/$target" # so that each run begins alike
    sh tools/fuzz.sh "$target" "${CLND_FUZZ_SECONDS:-5}" >"$log" 2>&1
    status=$?
    sed -n 's/^# seed/# '"$target"': seed/p' "$log"
    case $status in
    0)
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "ok $number - $target: $runs inputs"
        ;;
    77)
        echo "ok $number - $target # SKIP $(sed -n 's/^fuzz: //p' "$log" | head -n 1)"
        ;;
    *)
        tail -n 60 "$log" | sed 's/^/# /'
        echo "not ok $number - $target: see $log"
        ;;
    esac
done
