# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the scripts beside it, from the root of the repository.
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

# make_environment FOLDER PACKAGE...: a virtual environment with all of the packages, or nothing.
# They come from the index that pip is configured for. PYTHON is the interpreter to make it with.
make_environment() {
    folder=$1
    shift
    if "${PYTHON:-python3}" -m venv "$folder" &&
        "$folder/bin/python" -m pip install -q --no-input --disable-pip-version-check \
            --only-binary :all: --retries 1 --timeout 20 "$@"; then
        return 0
    fi
    # Half of it would look like all of it at the next run.
    rm -rf "$folder"
    return 1
}

# The command prints arrays as NumPy 2.4 does. With an older one the tests skip that comparison.
use_python_with_numpy() {
    is_new='import numpy, sys; sys.exit(numpy.lib.NumpyVersion(numpy.__version__) < "2.4.0")'
    python3 -c "$is_new" 2>/dev/null && return 0
    if build-python/bin/python3 -c "$is_new" 2>/dev/null ||
        make_environment build-python 'numpy==2.4.*'; then
        export PATH="$PWD/build-python/bin:$PATH"
        return 0
    fi
    say "NumPy 2.4 cannot be installed here; the tests take the system's"
    # Some machines have a python3 without NumPy in front of it.
    python3 -c 'import numpy' 2>/dev/null && return 0
    if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
        export PATH="/usr/bin:$PATH"
    fi
}

# What the examples in Python use, and a newer DLPack than distributions have. Examples whose
# modules are missing are skipped.
install_python_bindings() {
    modules='import cffi, networkx, pyopencl, tvm_ffi'
    [ -x build-python/bin/python3 ] || return 0
    build-python/bin/python3 -c "$modules" 2>/dev/null ||
        build-python/bin/python3 -m pip install -q --no-input --disable-pip-version-check \
            --only-binary :all: --retries 1 --timeout 20 cffi networkx pyopencl apache-tvm-ffi ||
        say "cffi, networkx, PyOpenCL or TVM's FFI cannot be installed here"
}

# prepare BUILD_DIR: PoCL alone, unless the caller chose; implementations in one process can disturb
# one another. Compiled kernels are kept from one run to the next, and for all builds, apart from
# those of other programs.
prepare() {
    rm -rf "$1/reports"
    mkdir -p "$1/icd" "$1/reports" "$PWD/build-pocl-cache"
    if [ -z "${OCL_ICD_VENDORS-}" ] && [ -f /etc/OpenCL/vendors/pocl.icd ]; then
        cp /etc/OpenCL/vendors/pocl.icd "$1/icd/"
        export OCL_ICD_VENDORS="$1/icd"
    fi
    export POCL_CACHE_DIR="$PWD/build-pocl-cache"
}
