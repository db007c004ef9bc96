#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the library and the program `concurrency` with ThreadSanitizer, runs it, and prints TAP:
# the program's own points, and whether anything was reported. Skips where the compiler has no
# ThreadSanitizer, or programs that it makes do not run.
#
#     tsan_test.sh BUILD_DIR CC

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tools/common.sh
. tools/common.sh
build=$1
program=$build/tests/concurrency/concurrency
log=$build/tsan.log
CC=$2
export CC

probe=$(mktemp -d) || exit 1
trap 'rm -rf "$probe"' EXIT
echo 'int main(void) { return 0; }' >"$probe/probe.c"
if ! "$CC" -fsanitize=thread -o "$probe/probe" "$probe/probe.c" >"$probe/log" 2>&1 ||
    ! "$probe/probe" >"$probe/log" 2>&1; then
    echo "1..0 # SKIP no ThreadSanitizer: $(head -n 1 "$probe/log")"
    exit 0
fi

# No option of the build that this test belongs to, and nothing but what the program needs.
if ! configure "$build" -Dtests=enabled -Dbench=disabled -Dexamples=false \
    --buildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false >"$probe/log" 2>&1 ||
    ! meson compile -C "$build" concurrency >"$probe/log" 2>&1; then
    tail -n 60 "$probe/log" | sed 's/^/# /'
    echo "1..1"
    echo "not ok 1 - build"
    exit 1
fi

# With the first report a program ends, and gives 66.
TSAN_OPTIONS="exitcode=66 halt_on_error=1"
export TSAN_OPTIONS
"$program" --race >"$probe/race" 2>&1
race=$?
"$program" >"$log" 2>"$log.reports"
status=$?

case "$(head -n 1 "$log")" in
"1..0"*)
    cat "$log"
    exit 0
    ;;
esac
points=$(grep -cE '^(not )?ok ' "$log")
echo "1..$((points + 2))"
grep -v '^1\.\.' "$log"
if [ "$race" = 66 ] && grep -q 'data race' "$probe/race"; then
    echo "ok $((points + 1)) - a race that was made on purpose is reported"
else
    echo "not ok $((points + 1)) - a race that was made on purpose is reported: status $race"
fi
if [ "$status" = 0 ] || { [ "$status" = 1 ] && [ ! -s "$log.reports" ]; }; then
    echo "ok $((points + 2)) - ThreadSanitizer reports nothing of the library"
else
    echo "not ok $((points + 2)) - ThreadSanitizer reports nothing of the library"
    echo "# status $status, $log.reports:"
    head -n 100 "$log.reports" | sed 's/^/# /'
fi
