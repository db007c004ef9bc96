#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests in a build that counts the lines that are reached, and prints for each file of
# host/ how many were and which were not. Fails when a test does, or below 95 % of all lines.
#
#     sh tools/coverage.sh

set -eu
cd "$(dirname "$0")/.."
. tools/common.sh

least=95 # percent of lines
dir=build-coverage

if [ $# -gt 0 ]; then
    sed -n '4,7s/^# \{0,1\}//p' "$0"
    exit 2
fi

say "what the tests need"
sh tools/install-deps.sh build run test devices coverage
use_python_with_numpy
export CLND_TEST_REQUIRE_DEVICE=1

say "tests that count lines, in $dir/"
configure "$dir" -Dtests=enabled --buildtype=debug -Db_coverage=true
meson compile -C "$dir"
prepare "$PWD/$dir"
find "$dir" -name '*.gcda' -delete
tests=0
# Without what runs nothing of host/, and the list of symbols, to which the counting adds its own.
meson test -C "$dir" --no-rebuild --timeout-multiplier 3 \
    --no-suite lint --no-suite headers --no-suite kernels || tests=$?

say "lines of host/"
# The library is compiled twice, as shared and as static one; gcovr adds them up.
lines=0
gcovr --root . --filter 'host/' --txt --fail-under-line "$least" "$dir" || lines=$?
[ "$tests" -eq 0 ] || say "tests failed"
[ "$lines" -eq 0 ] || say "less than $least % of the lines were reached"
[ "$tests" -eq 0 ] && [ "$lines" -eq 0 ]
