# SPDX-License-Identifier: Apache-2.0
#
# Sourced by quickstart.sh and test.sh, from the root of the repository.
#
# shellcheck shell=sh

say() {
    printf '\n== %s\n' "$*"
}

# configure BUILD_DIR MESON_OPTION...: once; a build that is there and whole stays as it is.
configure() {
    build_dir=$1
    shift
    if [ -f "$build_dir/build.ninja" ] && [ -f "$build_dir/meson-private/coredata.dat" ] &&
        meson configure "$build_dir" >/dev/null 2>&1; then
        return 0
    fi
    # Cut off half-way, or made by another version of Meson: nothing in it is worth keeping.
    if [ -d "$build_dir/meson-private" ]; then
        rm -rf "$build_dir"
    fi
    meson setup "$build_dir" "$@"
}
