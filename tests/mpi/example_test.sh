#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The example prints what README.md says. Ranks take turns, but their lines may reach the terminal
# in another order.
#
#     example_test.sh MPIEXEC EXAMPLE

set -u
here=$(dirname "$0")
expected=$(grep '^rank [0-9] holds' "$here/../../README.md")
got=$(sh "$here/run.sh" "$1" 3 "$2" | sort)
echo 1..1
if [ "$got" = "$expected" ]; then
    echo "ok 1 - the example prints what README.md says"
else
    printf 'not ok 1 - the example prints other lines than README.md\n%s\n' "$got" |
        sed '2,$s/^/# /'
fi
