#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds clnd, and runs its three main operations on the examples of
# TensorFlow's documentation.
#
#     sh tools/quickstart.sh
#
# CLND_DEVICE=gpu (or cpu, 0:0, part of a name) chooses the OpenCL device.

set -eu
cd "$(dirname "$0")/.."
. tools/common.sh

clnd=build/cli/clnd
data=examples/data

# Prints a command as it could be typed, and runs it.
run() {
    printf '\n$'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./=,:-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$@"
}

say "what clnd needs"
sh tools/install-deps.sh build run

say "building clnd in build/"
configure build --buildtype=release -Dtests=disabled
meson compile -C build

say "the OpenCL devices of this machine"
run $clnd devices

say "gather: elements, then rows, of an array of strings"
run $clnd show $data/letters.npy
run $clnd show $data/letters-pick.npy
run $clnd gather-nd $data/letters.npy $data/letters-pick.npy
run $clnd show $data/cube.npy
run $clnd show $data/cube-pick.npy
run $clnd gather-nd $data/cube.npy $data/cube-pick.npy

say "scatter: single elements, then repeated places, which add up, then whole 4x4 blocks"
run $clnd show $data/places.npy
run $clnd show $data/places-values.npy
run $clnd scatter-nd $data/places.npy $data/places-values.npy --shape 8
run $clnd show $data/repeats.npy
run $clnd show $data/repeats-values.npy
run $clnd scatter-nd $data/repeats.npy $data/repeats-values.npy --shape 5
run $clnd show $data/blocks.npy
run $clnd show $data/blocks-values.npy
run $clnd scatter-nd $data/blocks.npy $data/blocks-values.npy --shape 4,4,4

say "slice: what Python writes as grid[1, 2:4, None, ..., :-3:-1, :]"
run $clnd show $data/grid.npy
run $clnd slice $data/grid.npy '1, 2:4, None, ..., :-3:-1, :'

say "done. The command is $clnd; try: $clnd --help"
