#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs Intel's OpenCL runtime for CPUs, which the tests of suite `devices` also run on.
#
#     sh tools/install-intel.sh [FOLDER]
#
# FOLDER is build-intel unless it is named; it becomes a virtual environment of about 800 MB. The
# packages come from the index that pip is configured for. What is there already stays. Another
# folder than build-intel is one for the option `intel_runtime` of Meson.
#
# To use it for anything else, write the path of FOLDER/lib/libintelocl.so into a file whose name
# ends in .icd, and set OCL_ICD_VENDORS to the folder of that file.
#
# PYTHON  the interpreter that the environment is made with; python3 by default

set -eu

cd "$(dirname "$0")/.."
. tools/common.sh

case "${1-}" in
-*)
    sed -n '4,15s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
folder=${1:-build-intel}

say() {
    printf 'install-intel: %s\n' "$*"
}

if [ -f "$folder/lib/libintelocl.so" ]; then
    say "it is in $folder"
    exit 0
fi
say "Intel's OpenCL runtime goes into $folder"
make_environment "$folder" 'intel-opencl-rt==2026.*' 'intel-cmplr-lib-rt==2026.*' && exit 0
say "cannot be installed here"
exit 1
