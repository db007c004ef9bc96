#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs a build into a temporary folder and uses it as a stranger would: the installed files,
# pkg-config, the examples against the shared and the static library, the command. Prints TAP.
#
#     installed_test.sh BUILD_DIR CC
#
# shellcheck disable=SC2317 # functions that `check` calls

set -u
if [ $# -ne 2 ]; then
    sed -n '4,7s/^# \{0,1\}//p' "$0"
    exit 2
fi
build=$(cd "$1" && pwd) || exit 2
cc=$2
source=$(cd "$(dirname "$0")/../.." && pwd) || exit 2

root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
trap 'exit 1' HUP INT TERM
dest=$root/dest
work=$root/work
mkdir "$dest" "$work"

tests=0
failures=0

# check LABEL COMMAND...: one line of TAP; what the command says is shown when it fails.
check() {
    label=$1
    shift
    tests=$((tests + 1))
    if "$@" >"$root/log" 2>&1; then
        echo "ok $tests - $label"
    else
        failures=$((failures + 1))
        echo "not ok $tests - $label"
        tail -n 40 "$root/log" | sed 's/^/# /'
    fi
}

# check_on SPEC LABEL COMMAND...: as check, where there is such an OpenCL device; '' is any device.
check_on() {
    if [ "${CLND_TEST_REQUIRE_DEVICE-}" = 1 ] && [ -z "$1" ] ||
        CLND_DEVICE=$1 shared "$command" devices >/dev/null 2>&1; then
        shift
        check "$@"
    else
        tests=$((tests + 1))
        echo "ok $tests - $2 # SKIP no OpenCL device${1:+: $1}"
    fi
}

finish() {
    echo "1..$tests"
    [ "$failures" -eq 0 ]
    exit
}

version_number() {
    sed -n "s/^#define CLND_$1 *//p" "$source/include/clnd/version.h"
}

# prints WANTED COMMAND...: the command succeeds with exactly this text.
prints() {
    printf '%s\n' "$1" >"$root/wanted"
    shift
    "$@" >"$root/got" || return
    diff "$root/wanted" "$root/got"
}

same_headers() {
    diff -r --exclude=mpi.h "$source/include/clnd" "$include/clnd" &&
        { [ ! -e "$include/clnd/mpi.h" ] ||
            cmp "$source/mpi/include/clnd/mpi.h" "$include/clnd/mpi.h"; }
}

# A field of clnd.pc, as a program would get it if it were installed without DESTDIR.
pc_field() {
    sed -n "s/^$1: *//p" "$pc"
}

sane_pc() {
    cat "$pc"
    [ -n "$(pc_field Name)" ] && [ -n "$(pc_field Description)" ] &&
        [ "$(pc_field Version)" = "$version" ] &&
        pc_field Libs | grep -q -e '-lclnd' &&
        pc_field Cflags | grep -q -e '-I.*{includedir}' &&
        pc_field Requires | grep -q OpenCL
}

# FILE of the source tree is installed as share/PLACE.
shares() {
    cmp "$source/$1" "$prefix/share/$2"
}

names_no_build_folder() {
    ! sed '/^prefix=/d' "$pc" | grep -F -e "$build" -e "$source" -e "$root"
}

# The library as linkers and loaders look for it: libclnd.so -> libclnd.so.ABI -> the file.
linked_names() {
    [ -L "$libdir/libclnd.so" ] && [ -e "$libdir/libclnd.so.$(version_number ABI_VERSION)" ] &&
        nm -D "$libdir/libclnd.so" | grep -q ' T clnd_gather_nd$'
}

# A driver may call the library after a program has closed it.
stays_loaded() {
    readelf -d "$libdir/libclnd.so" | grep -q NODELETE
}

make_examples() {
    cp "$source/examples/Makefile" "$source"/examples/*.c "$work" &&
        make -C "$work" CC="$cc" CFLAGS='-std=c11 -Wall -Wextra -Wpedantic -Werror'
}

# build_as_readme NAME GREP_OPTION...: by the line that README.md has for it.
build_as_readme() {
    program=$work/$1
    shift
    line=$(grep '^cc program\.c' "$source/README.md" | grep "$@") &&
        cp "$source/examples/gather_rows.c" "$work/program.c" &&
        (cd "$work" && eval "$cc -std=c11 -o '$program' ${line#cc}")
}

needs_shared() {
    readelf -d "$1" | grep -q 'NEEDED.*libclnd\.so'
}

build_statically() {
    build_as_readme static -e --static && ! needs_shared "$work/static"
}

build_shared() {
    build_as_readme program -v -e --static -e rpath && needs_shared "$work/program"
}

build_with_rpath() {
    build_as_readme with_rpath -e rpath && needs_shared "$work/with_rpath"
}

shared() {
    LD_LIBRARY_PATH=$libdir "$@"
}

alone() {
    LD_LIBRARY_PATH=$root/nowhere "$@"
}

meson install -C "$build" --no-rebuild --destdir "$dest" >"$root/install" 2>&1
check "meson install" test $? -eq 0
pc=$(find "$dest" -name clnd.pc)
check "clnd.pc is installed" test -f "$pc"
if [ "$failures" -ne 0 ]; then
    sed 's/^/# /' "$root/install"
    finish
fi
libdir=$(dirname "$(dirname "$pc")")
prefix=$dest$(sed -n 's/^prefix=//p' "$pc")
include=$prefix/include
command=$prefix/bin/clnd
docdir=$prefix/share/doc/clnd
version=$(version_number VERSION_MAJOR).$(version_number VERSION_MINOR)
version=$version.$(version_number VERSION_PATCH)
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$dest
PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS
export PKG_CONFIG_ALLOW_SYSTEM_LIBS

check "the man page" shares docs/clnd.1 man/man1/clnd.1
check "the man page of the library" shares docs/clnd.3 man/man3/clnd.3
check "completion for bash" shares completions/clnd.bash bash-completion/completions/clnd
check "completion for zsh" shares completions/_clnd zsh/site-functions/_clnd
check "completion for fish" shares completions/clnd.fish fish/vendor_completions.d/clnd.fish

check "the licence" shares LICENSE doc/clnd/LICENSE
check "a document" shares docs/semantics.md doc/clnd/docs/semantics.md
check "links of documents" python3 "$source/tests/docs/check_links.py" --links "$docdir"
check "the tool that documents name" shares tools/make_example_data.py \
    doc/clnd/tools/make_example_data.py
check "no build files" test -z "$(find "$docdir" -name meson.build)"
check "an example" shares examples/gather_rows.c doc/clnd/examples/gather_rows.c

check "the public headers, all and only" same_headers
check "the shared library and its names" linked_names
check "the shared library stays loaded" stays_loaded
check "the static library" test -f "$libdir/libclnd.a"
check "clnd.pc has sane fields" sane_pc
check "clnd.pc names no folder of the build" names_no_build_folder
check "pkg-config gives the version" prints "$version" pkg-config --modversion clnd

check "the examples build through pkg-config" make_examples
rows='row 2: 20 21 22
row 0: 0 1 2
row 2: 20 21 22'
check_on '' "gather_rows" prints "$rows" shared "$work/gather_rows"
check_on '' "host_arrays" prints "$rows
votes: 8 1 106 1" shared "$work/host_arrays"
check_on cpu "bad_index" prints 'default: CLND_INDEX_OUT_OF_BOUNDS
    gather_nd: indices[1] = [5, 0] does not index into params shape [2, 2]
zero: CLND_OK
    output: 4 0' shared "$work/bad_index"
check_on '' "scatter_histogram" prints '0: 1
1: 3
2: 1
3: 2
4: 2' shared "$work/scatter_histogram"
check_on '' "embedding_gradient" prints 'loss 15.5
gradient of word 0: -1 0 1
gradient of word 1: 0 0 0
gradient of word 2: -1 2 5
gradient of word 3: 0 1 2
largest difference to the measured slopes: 0' shared "$work/embedding_gradient"
check "a program is built as README.md says" build_shared
check_on '' "it runs" prints "$rows" shared "$work/program"
check "a program is built with the library's folder in it, as README.md says" build_with_rpath
check_on '' "it runs by that" prints "$rows" alone "$work/with_rpath"
check "a program is linked statically as README.md says" build_statically
check_on '' "it runs without the shared library" prints "$rows" alone "$work/static"

# The benchmark looks for its data where it would be without DESTDIR.
if [ -x "$prefix/bin/clnd-bench" ]; then
    check "the benchmark's data" shares bench/spatter/amg.json clnd/spatter/amg.json
    check "the benchmark knows where" grep -q "${prefix#"$dest"}/share/clnd/spatter" \
        "$prefix/bin/clnd-bench"
fi

check "the command" test -x "$command"
check "clnd --version" prints "clnd $version" shared "$command" --version
check_on '' "clnd slice" prints '[[0 1]
 [4 5]
 [8 9]]' shared "$command" slice "$source/examples/data/matrix.npy" ':, :2'
finish
