#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the source archive of a version from the commit that is checked out:
#
#   apps/packaging/release.sh FOLDER      writes FOLDER/fhe-VERSION.tar.gz and its digest beside it
#
# The same commit gives the same bytes, on any machine with git 2.20 and gzip: the archive is made twice and compared. It
# refuses a tree with changes that are not committed, a version whose section of the CHANGELOG has no date, and one that
# another commit has been tagged with.
set -euo pipefail

(($# == 1)) || { echo 'usage: apps/packaging/release.sh FOLDER' >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

refuse() {
  printf 'release.sh: %s\n' "$*" >&2
  exit 1
}

[[ $(git rev-parse --show-toplevel) == "$PWD" ]] || refuse 'this is no checkout of fhe'
changes=$(git status --porcelain)
[[ -z $changes ]] || refuse $'the tree has changes; commit or remove them first:\n'"$changes"
version=$(sed -nE 's/^project\(fhe VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
grep -qE "^## ${version//./\\.}, [0-9]{4}-[0-9]{2}-[0-9]{2}$" .github/CHANGELOG.md ||
  refuse "the section of $version in .github/CHANGELOG.md has no date: write \"## $version, YYYY-MM-DD\""
if tagged=$(git rev-parse --verify --quiet "v$version^{commit}") && [[ $tagged != "$(git rev-parse HEAD)" ]]; then
  refuse "v$version is another commit: change the version in CMakeLists.txt"
fi

archive() {
  git -c tar.umask=0022 archive --format=tar --prefix="fhe-$version/" HEAD | gzip -9n
}

name=fhe-$version.tar.gz
archive > "$folder/$name"
cmp --silent "$folder/$name" <(archive) || refuse "two archives of one commit differ: $folder/$name"
(cd "$folder" && sha256sum "$name" | tee "$name.sha256")
