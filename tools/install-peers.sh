#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the libraries that bench/peers.py compares clnd with into a virtual environment.
#
#     sh tools/install-peers.sh [--cuda] [VENV]
#
# VENV is build-peers/venv unless it is named. The packages come from the index that pip is
# configured for. What is there already stays; what cannot be installed is named at the end, and the
# others are usable nevertheless. Without --cuda for CPUs, with it for NVIDIA GPUs.
#
# PYTHON            the interpreter that the environment is made with; python3 by default
# PEERS_TORCH_INDEX an index for PyTorch alone. On x86-64 most indices have it with the CUDA
#                   libraries, several GB; one with builds for CPUs saves them
#
# NumPy, PyTorch, TensorFlow, JAX and ONNX Runtime take about 7 GB with these libraries. jemalloc,
# with which peers.py runs them, comes from the system's packages where apt-get can install it.

set -eu

cd "$(dirname "$0")/.."

say() {
    printf 'install-peers: %s\n' "$*"
}

# module, what pip is asked for: the major versions that the calls in bench/peer were written for
packages() {
    cat <<'TABLE'
numpy        numpy==2.*
onnx         onnx==1.*
torch        torch==2.*
TABLE
    if [ "$cuda" = yes ]; then
        cat <<'TABLE'
tensorflow   tensorflow[and-cuda]==2.*
jax          jax[cuda13]==0.10.*
onnxruntime  onnxruntime-gpu==1.*
cupy         cupy-cuda13x==14.*
TABLE
    else
        cat <<'TABLE'
tensorflow   tensorflow-cpu==2.*
jax          jax==0.10.*
onnxruntime  onnxruntime==1.*
TABLE
    fi
}

cuda=no
venv=
for word in "$@"; do
    case $word in
    --cuda) cuda=yes ;;
    -*)
        sed -n '4,17s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    *) venv=$word ;;
    esac
done
venv=${venv:-build-peers/venv}

if ! [ -x "$venv/bin/python" ]; then
    say "making $venv"
    "${PYTHON:-python3}" -m venv "$venv" || {
        say "python3 has no module venv (on Debian: apt-get install python3-venv)"
        exit 1
    }
fi
python=$venv/bin/python

# What is there in a version that is asked for needs no network.
install() {
    if [ "$1" = torch ] && [ -n "${PEERS_TORCH_INDEX:-}" ]; then
        "$python" -m pip install -q --no-input --disable-pip-version-check \
            --index-url "$PEERS_TORCH_INDEX" "$2"
    else
        "$python" -m pip install -q --no-input --disable-pip-version-check "$2"
    fi
}

# Importing is what shows that a package works on this machine.
works() {
    PYTHONDONTWRITEBYTECODE=1 "$python" -c "import $1" >"$venv/import.log" 2>&1
}

failed=
if ! ldconfig -p 2>/dev/null | grep -q 'libjemalloc\.so\.2'; then
    say "jemalloc"
    apt-get install -y -q libjemalloc2 >"$venv/jemalloc.log" 2>&1 ||
        failed=" jemalloc (not installed; on Debian: apt-get install libjemalloc2);"
fi
packages >"$venv/packages"
while read -r module package; do
    say "$package"
    if ! install "$module" "$package" </dev/null; then
        failed="$failed $module (not installed);"
    elif ! works "$module" </dev/null; then
        failed="$failed $module ($(tail -n 1 "$venv/import.log"));"
    fi
done <"$venv/packages"

say "in $venv:"
"$python" - <<'PYTHON'
import importlib.metadata as metadata

for name in ("numpy", "torch", "tensorflow", "tensorflow-cpu", "jax", "onnxruntime",
             "onnxruntime-gpu", "cupy-cuda13x"):
    try:
        print("    %-16s %s" % (name, metadata.version(name)))
    except metadata.PackageNotFoundError:
        pass
PYTHON
if [ -n "$failed" ]; then
    say "failed:$failed"
    exit 1
fi
say "now: $python bench/peers.py --interleave 'build/bench/clnd-bench'"
