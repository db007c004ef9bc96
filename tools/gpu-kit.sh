#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes a folder that tests and measures clnd on a machine with a GPU, without network, compiler or
# packages there: copy it, and run its run.sh (docs/gpu-kit.md).
#
#     sh tools/gpu-kit.sh [FOLDER [BUILD_DIR]]
#
# FOLDER is build-gpu-kit/kit by default. BUILD_DIR is a build whose programs are taken; without it
# build-gpu-kit/build is made for the purpose. The C library over there must not be older than the
# one here.

set -eu
cd "$(dirname "$0")/.."
. tools/common.sh

kit=${1:-build-gpu-kit/kit}
build=${2:-build-gpu-kit/build}
use_python_with_numpy
if [ $# -lt 2 ]; then
    # shellcheck disable=SC2016 # for the linker
    configure "$build" --buildtype=release -Dbench=enabled \
        '-Dc_link_args=-Wl,-rpath,$ORIGIN/../lib'
    nice ninja -C "$build" cli/clnd bench/clnd-bench tests/differential/differential \
        tests/kernels/list-launches
fi

say "programs and the libraries that they need"
rm -rf "$kit"
mkdir -p "$kit/bin" "$kit/lib" "$kit/golden"
programs="$build/cli/clnd $build/bench/clnd-bench $build/tests/differential/differential"
# shellcheck disable=SC2086 # a list
cp $programs "$kit/bin/"
# What the system over there has in its own version, or cannot have in another.
system='^(linux-vdso|ld-linux.*|libc|libm|libpthread|libdl|librt)\.so'
for program in $programs; do
    ldd "$program" | awk '$3 ~ /^\// { print $1, $3 }' | grep -Ev "$system"
done | sort -u | while read -r name path; do
    cp -L "$path" "$kit/lib/$name"
done
for file in "$kit"/bin/* "$kit"/lib/*; do
    strip --strip-unneeded "$file" 2>/dev/null || true
done

say "cases, golden cases, other libraries' scripts"
cp -r bench/spatter bench/peers.py bench/peer "$kit/"
"$build/bench/clnd-bench" --describe-json --spatter-dir bench/spatter >"$kit/cases.json"
"$build/bench/clnd-bench" --list --size gpu --spatter-dir bench/spatter >"$kit/cases.txt"
cp tests/golden/run_cases.py tests/golden/case_text.py "$kit/golden/"
cp -r tests/data/golden "$kit/golden/cases"
find "$kit" -name __pycache__ -prune -exec rm -rf {} +
cp tools/gpu/kit_run.sh "$kit/run.sh"
cp tools/gpu/kit_cuda.py docs/gpu-kit.md "$kit/"
git rev-parse HEAD >"$kit/commit.txt" 2>/dev/null || true

say "kernels for the CUDA driver"
if python3 tools/gpu/kit_pack.py --launches "$build/tests/kernels/list-launches" "$kit/ptx"; then
    say "$(find "$kit/ptx" -name '*.ptx' | wc -l) files of PTX"
else
    rm -rf "$kit/ptx"
    say "left out: the piece 'cuda' of run.sh will be skipped"
fi
chmod +x "$kit/run.sh" "$kit"/bin/*
say "$kit: $(du -sh "$kit" | cut -f1)"
