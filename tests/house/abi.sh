#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the interface of the shared library of this tree with that of the last version, the last tag v*: fails when
# programs that were compiled with that version could not run with this one, although the name of the shared object
# (libfhe.so.MAJOR.MINOR) is the same. What was only added is no difference. Builds both versions, in a temporary folder.
#
#   tests/house/abi.sh BUILD_DIR
#
# BUILD_DIR says by which compiler and generator. Exit status 77 when there is nothing to compare with.
set -euo pipefail

build=$(realpath "${1:?usage: tests/house/abi.sh BUILD_DIR}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() {
  printf 'abi: skipped: %s\n' "$*"
  exit 77
}

command -v abidiff > /dev/null || skip 'abidiff is missing (Debian: apt-get install abigail-tools)'
tag=$(git describe --tags --match 'v[0-9]*' --abbrev=0 2> /dev/null) || skip 'no tag v* leads to this commit'

# soname: of the CMakeLists.txt on standard input.
soname() { sed -nE 's/^project\(fhe VERSION ([0-9]+\.[0-9]+).*/libfhe.so.\1/p'; }
old=$(git show "$tag:CMakeLists.txt" | soname)
new=$(soname < CMakeLists.txt)
[[ $old == "$new" ]] || skip "$tag has $old and this tree has $new: programs keep the one that they were linked with"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

# install_shared SOURCE NAME: builds it with debug information, from which abidiff knows the types.
install_shared() {
  printf '== %s\n' "$2"
  {
    cmake -S "$1" -B "$scratch/build-$2" -G "$(cached CMAKE_GENERATOR)" \
      -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_INSTALL_LIBDIR=lib \
      -DBUILD_SHARED_LIBS=ON -DFHE_BUILD_APPS=OFF -DFHE_BUILD_TESTS=OFF
    cmake --build "$scratch/build-$2" --parallel "$(nproc)"
    cmake --install "$scratch/build-$2" --prefix "$scratch/$2"
  } > "$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; exit 1; }
}

mkdir "$scratch/source"
git archive "$tag" | tar -x -C "$scratch/source"
install_shared "$scratch/source" "$tag"
install_shared . this-tree

status=0
abidiff --no-added-syms --headers-dir1 "$scratch/$tag/include" --headers-dir2 "$scratch/this-tree/include" \
  "$scratch/$tag/lib/libfhe.so" "$scratch/this-tree/lib/libfhe.so" || status=$?
if ((status != 0)); then
  printf 'abi: %s of this tree is not that of %s. Undo what changed, or give the project another minor version.\n' \
    "$new" "$tag"
  exit 1
fi
printf 'abi: %s can take the place of that of %s\n' "$new" "$tag"
