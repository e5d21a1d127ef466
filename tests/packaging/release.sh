#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plays apps/packaging/release.sh in a clone of this tree: what it refuses, and that the archive of a commit is always the same.
# Exit status 77 where this is no checkout of git: the test is skipped.
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if ! git -C "$source" rev-parse --verify HEAD > /dev/null 2>&1; then
  echo 'release: SKIP, this is no checkout of git'
  exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
fail() {
  printf 'release: %s\n' "$*" >&2
  exit 1
}

# The tree as it is here, in a repository of its own, with a version that is out.
tree=$scratch/tree
mkdir "$tree"
git -C "$source" ls-files -z --cached --others --exclude-standard | (cd "$source" && xargs -0 ls -d 2> /dev/null) |
  tar -C "$source" --no-recursion -cf - -T - | tar -C "$tree" -xf -
version=$(sed -nE 's/^project\(fhe VERSION ([0-9.]+).*/\1/p' "$tree/CMakeLists.txt")
sed -i "s/^## $version, .*/## $version, not yet released/" "$tree/.github/CHANGELOG.md"
git -C "$tree" init --quiet
commit() {
  git -C "$tree" add --all
  git -C "$tree" commit --quiet --message "$1"
}
commit first
release() { "$tree/apps/packaging/release.sh" "$1" > "$scratch/said" 2>&1; }
# refused PART: what it says has PART.
refused() {
  if release "$scratch/none"; then fail "an archive was made, though: $1"; fi
  grep -qF -- "$1" "$scratch/said" || { cat "$scratch/said"; fail "it does not say: $1"; }
  [[ -z $(ls "$scratch/none") ]] || fail 'a refused archive was written'
}

refused 'has no date'
sed -i "s/^## $version, .*/## $version, 2026-01-31/" "$tree/.github/CHANGELOG.md"
refused 'the tree has changes'
commit dated
touch "$tree/untracked"
refused 'untracked'
rm "$tree/untracked"

release "$scratch/one" || { cat "$scratch/said"; fail 'no archive'; }
archive=fhe-$version.tar.gz
(cd "$scratch/one" && sha256sum --check --quiet "$archive.sha256")

# From another clone, later, with other settings of the user.
sleep 1
git clone --quiet "$tree" "$scratch/clone"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C GZIP='' "$scratch/clone/apps/packaging/release.sh" "$scratch/two" > /dev/null)
cmp "$scratch/one/$archive" "$scratch/two/$archive" || fail 'two archives of one commit differ'

tar -C "$scratch" -xf "$scratch/one/$archive"
[[ -x $scratch/fhe-$version/tests/run.sh && ! -e $scratch/fhe-$version/.git ]] || fail 'the archive is not the tree'
diff -r --exclude .git "$tree" "$scratch/fhe-$version" || fail 'the archive is not the tree'

git -C "$tree" tag "v$version" HEAD~
refused "v$version is another commit"
git -C "$tree" tag --force "v$version" HEAD > /dev/null
release "$scratch/three" || { cat "$scratch/said"; fail 'the tagged commit is refused'; }
echo 'release: all is well'
