#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tests and measures clnd on the GPU of this machine. gpu-kit.md beside it says more.
#
#     sh run.sh [PIECE...]
#
# Pieces, each of under ten minutes: machine selftest golden differential gathers scatters slices
# other spatter cuda peers-torch peers-cupy peers-jax. Without names: all. A piece that was cut off
# goes on where it stopped when it is run again; a case that has a result is left alone.
#
# Environment: KIT_OUT, where results go (results/ beside this file); KIT_LIMIT, seconds for a piece
# (540); KIT_DEVICE, as clnd's --device takes it (gpu); KIT_SIZE, of the cases (gpu);
# KIT_VENDOR, the OpenCL library of a vendor, where it is not found.

here=$(cd "$(dirname "$0")" && pwd)
OUT=${KIT_OUT:-$here/results}
limit=${KIT_LIMIT:-540}
device=${KIT_DEVICE:-gpu}
size=${KIT_SIZE:-gpu}
jobs=$(nproc 2>/dev/null || echo 1) # each has an engine, and a compiler in its driver
[ "$jobs" -le 8 ] || jobs=8
all='machine selftest golden differential gathers scatters slices other spatter cuda peers-torch
    peers-cupy peers-jax'
mkdir -p "$OUT/cases" || exit 1
OUT=$(cd "$OUT" && pwd)

# Some file systems lose the permission to execute, or are read-only.
if [ ! -x "$here/bin/clnd" ] && ! chmod +x "$here"/bin/* 2>/dev/null; then
    copy=$(mktemp -d) && cp -r "$here"/* "$copy" && chmod +x "$copy"/bin/* || exit 1
    here=$copy
fi
cd "$here" || exit 1

# Where drivers are, on a plain system, in containers, under Windows, from vendors' installers.
vendor_libraries() {
    [ -z "${KIT_VENDOR-}" ] || { echo "$KIT_VENDOR" && return; }
    for name in libnvidia-opencl.so.1 libamdocl64.so libigdrcl.so; do
        for folder in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/x86_64-linux-gnu \
            /usr/lib64 /usr/lib /usr/lib64/nvidia /usr/lib/wsl/lib /usr/lib/wsl/drivers/* \
            /opt/rocm*/lib /opt/rocm*/opencl/lib /opt/amdgpu*/lib/x86_64-linux-gnu \
            /usr/lib/x86_64-linux-gnu/intel-opencl /usr/lib64/intel-opencl \
            /run/opengl-driver/lib; do
            [ ! -e "$folder/$name" ] || { echo "$folder/$name" && break; }
        done
    done
}

mkdir -p "$OUT/vendors"
rm -f "$OUT"/vendors/*.icd
for library in $(vendor_libraries); do
    echo "$library" >"$OUT/vendors/$(basename "$library").icd"
done
if [ -z "${OCL_ICD_VENDORS-}" ] && [ -n "$(ls "$OUT/vendors")" ]; then
    export OCL_ICD_VENDORS="$OUT/vendors"
fi
# Drivers' own folders come last: theirs may hold another loader.
export LD_LIBRARY_PATH="$here/lib:${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/nvidia/lib64"
export CUDA_CACHE_PATH="${CUDA_CACHE_PATH:-${TMPDIR:-/tmp}/clnd-cuda-cache}"
export CUDA_CACHE_MAXSIZE=2147483648 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1

now() {
    date -u +%Y-%m-%dT%H:%M:%SZ
}

# The text on standard input as a string of JSON.
json_text() {
    LC_ALL=C tr -cd '\11\12\40-\176' | tail -c 20000 |
        sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g' | awk 'BEGIN { printf "\"" }
            { printf "%s%s", (NR == 1 ? "" : "\\n"), $0 } END { printf "\"" }'
}

# note FILE STATUS SECONDS LOG: what became of a piece or a case.
note() {
    {
        printf '{"name": "%s", "status": %s, "seconds": %s, "date": "%s",\n "device": %s,\n' \
            "$(basename "$1" .json)" "$2" "$3" "$(now)" "$(json_text <"$OUT/device.txt")"
        printf ' "log": %s}\n' "$(json_text <"$4")"
    } >"$1.part" && mv "$1.part" "$1"
}

# run_piece NAME COMMAND...: within the limit, to NAME.txt and NAME.json.
run_piece() {
    name=$1
    shift
    began=$(date +%s)
    timeout -k 10 "$limit" "$@" >"$OUT/$name.txt" 2>&1
    status=$?
    note "$OUT/$name.json" "$status" $(($(date +%s) - began)) "$OUT/$name.txt"
    tail -n 5 "$OUT/$name.txt"
    return "$status"
}

skip() {
    echo "skipped: $2" >"$OUT/$1.txt"
    note "$OUT/$1.json" 77 0 "$OUT/$1.txt"
    cat "$OUT/$1.txt"
}

# each_case PIECE FOLDER GLOBS COMMAND...: a process for each case that has no result yet, so that
# a driver that crashes or hangs costs one case. The command gets --filter and --json. What one
# case may take is a third of the limit.
each_case() {
    piece=$1 folder=$OUT/cases/$2 globs=$3
    shift 3
    mkdir -p "$folder"
    began=$(date +%s) failed=0 left=0
    : >"$OUT/$piece.txt"
    while read -r case; do
        is_one_of "$case" "$globs" && [ ! -s "$folder/$case.json" ] || continue
        room=$((limit - $(date +%s) + began))
        [ "$room" -ge 20 ] || { left=$((left + 1)) && continue; }
        [ "$room" -le $((limit / 3)) ] || room=$((limit / 3))
        start=$(date +%s)
        timeout -k 10 "$room" "$@" --filter "$case" --json "$folder/$case.part" \
            >"$folder/$case.txt" 2>&1 </dev/null
        status=$?
        if [ "$status" -eq 0 ]; then
            mv "$folder/$case.part" "$folder/$case.json"
        else
            note "$folder/$case.failed.json" "$status" $(($(date +%s) - start)) "$folder/$case.txt"
            rm -f "$folder/$case.part"
            failed=$((failed + 1))
        fi
        { echo "== $case: status $status" && tail -n 3 "$folder/$case.txt"; } >>"$OUT/$piece.txt"
    done <cases.txt
    echo "$piece: $failed failed, $left left for another run" | tee -a "$OUT/$piece.txt"
    note "$OUT/$piece.json" "$((failed + left > 0))" $(($(date +%s) - began)) "$OUT/$piece.txt"
    [ "$((failed + left))" -eq 0 ]
}

# is_one_of NAME GLOBS
is_one_of() {
    for glob in $2; do
        # shellcheck disable=SC2254 # it is a pattern
        case $1 in $glob) return 0 ;; esac
    done
    return 1
}

bench() {
    set -f
    each_case "$1" clnd "$2" bin/clnd-bench --device "$device" --size "$size" \
        --spatter-dir spatter --no-c --rounds 1 --samples 15 --seconds 0.3
    status=$?
    set +f
    return "$status"
}

peers() {
    python3 -c "import numpy, $1" 2>/dev/null ||
        { skip "peers-$1" "python3 has no NumPy or no $1" && return; }
    set -f
    each_case "peers-$1" "$1" '[!o]*' python3 peers.py --cases cases.json --size "$size" \
        --device "${KIT_PEER_DEVICE:-cuda}" --peers "$1" --samples 15 --seconds 0.3 --timeout 100
    status=$?
    set +f
    return "$status"
}

machine() {
    {
        now
        uname -a
        nproc
        head -n 1 /proc/meminfo
        cat commit.txt 2>/dev/null
        nvidia-smi 2>/dev/null
        ldconfig -p 2>/dev/null | grep -iE 'opencl|libcuda|amdocl|igdrcl'
        head -n 3 "$OUT"/vendors/*.icd 2>/dev/null
        for library in $(vendor_libraries); do
            ldd "$library" | grep 'not found'
        done
        ldd bin/clnd-bench
        bin/clnd devices
    } 2>&1
}

golden() {
    python3 -c 'import numpy' 2>/dev/null || { skip golden "python3 has no NumPy" && return; }
    run_piece golden python3 golden/run_cases.py --clnd "$here/bin/clnd" --device "$device" \
        -j "$jobs" golden/cases
}

cuda() {
    [ -d ptx ] || { skip cuda "the kit was made without PTX" && return; }
    command -v python3 >/dev/null || { skip cuda "no python3" && return; }
    run_piece cuda python3 kit_cuda.py --out "$OUT/cases/cuda" ptx
}

one() {
    case $1 in
    machine)
        machine >"$OUT/machine.txt"
        note "$OUT/machine.json" $? 0 "$OUT/machine.txt"
        cat "$OUT/machine.txt"
        ;;
    selftest) run_piece selftest bin/clnd selftest --device "$device" \
        --time-limit $((limit * 2 / 3)) ;;
    golden) golden ;;
    differential) CLND_DEVICE="$device" run_piece differential bin/differential --count 100000000 \
        --time-limit $((limit * 2 / 3)) --jobs "$jobs" ;;
    gathers) bench gathers 'embed-* llm-* rows-* batched-* voxel-* kv-* gather-*' ;;
    scatters) bench scatters 'gnn-* hot-* hist-* sparse-* voxelize-* scatter-* pic-* overwrite-*' ;;
    slices) bench slices 'slice-* small-* call-*' ;;
    other) bench other 'other-*' ;;
    spatter) bench spatter 'spatter-*' ;;
    cuda) cuda ;;
    peers-*) peers "${1#peers-}" ;;
    *) echo "run.sh: no piece '$1'; there are:" $all && return 2 ;;
    esac
}

bin/clnd devices 2>&1 | head -n 7 >"$OUT/device.txt"
[ $# -gt 0 ] || set -- $all
for wanted in "$@"; do
    echo "== $wanted, $(now)"
    one "$wanted" || worst=1
    # All in one file as well, after each piece: some ways back take few files.
    packed=$(mktemp) && tar czf "$packed" -C "$OUT" --exclude=results.tgz . &&
        mv "$packed" "$OUT/results.tgz"
done
exit "${worst:-0}"
