#!/usr/bin/env bash
# Makes DIR a Debian of the given suite, with Emscripten: makeDebian.sh DIR SUITE. DIR is there once it is complete: it
# is made under another name.
set -euo pipefail
dir=$1
suite=$2
unfinished=$dir.unfinished

mkdir -p "$(dirname "$dir")"
exec 9>"$dir.lock"
flock 9
if [[ -d $dir ]]; then exit; fi # another build made it while this one waited

# debootstrap mounts /proc in what it makes; one that was killed leaves it mounted.
umount "$unfinished/proc" 2>/dev/null || true
rm -rf --one-file-system "$unfinished"

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=$PATH:/usr/sbin:/sbin
debootstrap --variant=minbase "$suite" "$unfinished"
chroot "$unfinished" apt-get install -y --no-install-recommends emscripten cmake ninja-build ca-certificates
chroot "$unfinished" apt-get clean
mv "$unfinished" "$dir"
