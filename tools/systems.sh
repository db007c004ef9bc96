#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs the README's two commands on fresh systems of other releases, one after the other. Needs
# root, network, mmdebstrap, and for Ubuntu its keys, which Ubuntu has in ubuntu-keyring. Each takes
# a quarter of an hour.
#
#     sh tools/systems.sh [SUITE...]     trixie and noble, unless others are named
#
# What is committed is tested. Each system and what it printed stay in build-systems/; a system that
# is there is used again, with a fresh clone.

set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- trixie noble
mkdir -p build-systems

# make SUITE FOLDER
make() {
    case $1 in
    bookworm | trixie | forky | sid) mmdebstrap --variant=apt "$1" "$2" ;;
    *)
        mmdebstrap --variant=apt --components=main,universe \
            --keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg "$1" "$2" \
            http://archive.ubuntu.com/ubuntu
        ;;
    esac
}

# inside FOLDER COMMAND: in mounts of its own, which end with it
# shellcheck disable=SC2016 # the inner shell knows them
inside() {
    unshare --mount sh -ec '
        mount --bind /proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mount --bind /sys "$1/sys"
        exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            sh -c "cd /clnd && $2"' - "$1" "$2"
}

status=0
for suite; do
    folder=$PWD/build-systems/$suite
    if [ ! -d "$folder" ]; then
        rm -rf "$folder.part"
        make "$suite" "$folder.part"
        mv "$folder.part" "$folder"
    fi
    rm -rf "$folder/clnd"
    git clone -q . "$folder/clnd"
    cp /etc/resolv.conf "$folder/etc/"
    for command in quickstart test; do
        log=build-systems/$suite-$command.log
        if inside "$folder" "sh tools/$command.sh" >"$log" 2>&1; then word=passed; else
            word=FAILED
            status=1
        fi
        printf '%s: %s.sh %s: %s\n' "$suite" "$command" "$word" "$(tail -n 1 "$log")"
    done
done
exit $status
