#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the Python package with the oldest numpy that pyproject.toml allows and pip has for this interpreter, and the newest.
#
#   tests/python/numpy.sh PYTHON PACKAGES TOOL
#
# The arguments are those of run.sh. Exit status 77 unless $FHE_PACKAGE_INDEX is set and pip reaches a package index.
set -euo pipefail

(($# == 3)) || { echo 'usage: tests/python/numpy.sh PYTHON PACKAGES TOOL' >&2; exit 2; }
readonly python=$1 packages=$2 tool=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() {
  printf 'numpy: SKIP, other versions of numpy are not tested: %s\n' "$*"
  exit 77
}
[[ -n ${FHE_PACKAGE_INDEX-} ]] || skip 'FHE_PACKAGE_INDEX is not set'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m venv "$scratch/venv" 2> /dev/null || skip "$python makes no virtual environments"
readonly in_venv=$scratch/venv/bin/python
fetch() { "$in_venv" -m pip install --quiet --only-binary :all: "$@" > "$scratch/log" 2>&1; }
fetch pytest || skip "pip fetches no pytest: $(tail -n 1 "$scratch/log")"
bound=$(sed -nE 's/^dependencies = \["numpy>=([0-9.]+)"\]$/\1/p' "$here/../../apps/python/pyproject.toml")
[[ $bound ]] || { echo 'numpy: pyproject.toml states no oldest numpy' >&2; exit 1; }
mapfile -t versions < <("$in_venv" -m pip index versions numpy 2> /dev/null |
  sed -n 's/^Available versions: //p' | tr -d ' ' | tr ',' '\n' | sort -V)
((${#versions[@]})) || skip 'pip lists no versions of numpy'
test_with() {
  printf '== numpy %s: %s\n' "$1" "$("$in_venv" -c 'import numpy; print(numpy.__version__)')"
  "$here/run.sh" "$in_venv" "$packages" "$tool"
}

# Old versions have no wheel for a new interpreter.
for version in "${versions[@]}"; do
  [[ $(printf '%s\n' "$bound" "$version" | sort -V | head -n 1) == "$bound" ]] || continue
  if fetch "numpy==$version"; then
    test_with oldest
    break
  fi
done
fetch --upgrade numpy || skip "pip fetches no numpy: $(tail -n 1 "$scratch/log")"
test_with newest
