#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes one target with libFuzzer, under the address and undefined-behaviour sanitizers.
#
#     sh tools/fuzz.sh TARGET SECONDS [LIBFUZZER OPTION...]
#     sh tools/fuzz.sh --minimise TARGET
#
# TARGET is one of tests/fuzz/fuzz_TARGET.c. It begins with tests/data/fuzz/TARGET.txt, which stays
# as it is but for a finding: the input that made it is put there as finding-*, to become a
# regression case. Inputs that reach new code are kept in FUZZ_BUILD/found/TARGET; --minimise
# makes the corpus anew of both, with as few inputs as reach the same. seed-* and finding-* stay.
#
# FUZZ_BUILD (build-fuzz) is where it builds. Status: 0 nothing found, 77 clang lacks libFuzzer or
# the target cannot run here, 2 wrong usage.

set -eu
cd "$(dirname "$0")/.."
. tools/common.sh

action=fuzz
if [ "${1-}" = --minimise ]; then
    action=minimise
    shift
fi
target=${1-}
seconds=${2-}
if [ ! -f "tests/fuzz/fuzz_$target.c" ] || { [ "$action" = fuzz ] && [ -z "$seconds" ]; }; then
    sed -n '4,17s/^# \{0,1\}//p' "$0"
    exit 2
fi
shift
[ "$action" = minimise ] || shift

build=${FUZZ_BUILD:-build-fuzz}
text=tests/data/fuzz/$target.txt
corpus=$build/corpus/$target
found=$build/found/$target
clang=${CLANG:-clang}

mkdir -p "$build"
if ! printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *d, size_t n);\n%s\n' \
    'int LLVMFuzzerTestOneInput(const char *d, size_t n) { return n > 9 && *d; }' |
    $clang -x c -fsanitize=fuzzer - -o "$build/has-libfuzzer" 2>"$build/has-libfuzzer.log"; then
    echo "fuzz: $clang cannot link with -fsanitize=fuzzer"
    exit 77
fi

CC=$clang configure "$build" -Dtests=enabled -Dfuzz=true -Dbench=disabled -Dexamples=false \
    --buildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false \
    >"$build/configure.log" || { cat "$build/configure.log" && exit 1; }
ninja -C "$build" -j "${FUZZ_JOBS:-2}" "tests/fuzz/fuzz_$target" >"$build/compile.log" ||
    { cat "$build/compile.log" && exit 1; }
program=$build/tests/fuzz/fuzz_$target
mkdir -p "$found"
rm -rf "$corpus"
python3 tools/fuzz_corpus.py unpack "$text" "$corpus"

# Leaks of OpenCL drivers are not ours, and the other tests look for ours.
# LLVM inside OpenCL drivers may not take the signal of a finding from libFuzzer.
asan=detect_leaks=0:handle_abort=2:allocator_may_return_null=1
export ASAN_OPTIONS="$asan${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
mkdir -p "$build/pocl-cache"
export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$(cd "$build/pocl-cache" && pwd)}"

if [ "$action" = minimise ]; then
    merged=$build/merged/$target
    rm -rf "$merged"
    mkdir -p "$merged"
    "$program" -merge=1 -rss_limit_mb=0 -max_len=1024 "$merged" "$corpus" "$found"
    # Seeds and findings, which have names, stay; the rest is made anew.
    find "$corpus" \( -name 'seed-*' -o -name 'finding-*' \) -exec cp {} "$merged/" \;
    exec python3 tools/fuzz_corpus.py pack "$merged" "$text"
fi

dictionary=tests/data/fuzz/$target.dict
seed=${FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
echo "# seed $seed"
[ ! -f "$dictionary" ] || set -- "-dict=$dictionary" "$@"
status=0
"$program" -seed="$seed" -max_total_time="$seconds" -timeout=180 -report_slow_units=180 \
    -max_len=1024 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$corpus/finding-" \
    "$@" "$found" "$corpus" || status=$?
[ "$status" -eq 0 ] || python3 tools/fuzz_corpus.py pack "$corpus" "$text"
exit "$status"
