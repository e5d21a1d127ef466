#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build and runs the guides of apps/documents against it, and compares errors.md with the sources.
#
#   tests/packaging/guides.sh BUILD_DIR PYTHON
#
# PYTHON is the interpreter that the Python package was built for. Exit status 77 without numpy: the test is skipped.
set -euo pipefail

build=$(cd "${1:?usage: tests/packaging/guides.sh BUILD_DIR PYTHON}" && pwd)
python=${2:?usage: tests/packaging/guides.sh BUILD_DIR PYTHON}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

(cd "$source" && awk -f apps/documents/errors.awk libfhe/error.hpp apps/support/failure.hpp apps/support/failure.cpp \
  apps/python/fhe/errors.py) | diff "$source/apps/documents/errors.md" - || {
  echo 'guides: apps/documents/errors.md is not what apps/documents/errors.awk makes of the sources' >&2
  exit 1
}
"$python" -c 'import numpy' 2> /dev/null || {
  echo 'guides: SKIP, numpy is missing (Debian: apt-get install python3-numpy)'
  exit 77
}
cmake --install "$build" --prefix "$scratch/prefix" > "$scratch/log" || { cat "$scratch/log"; exit 1; }
module=$(find "$scratch/prefix" -name '_core*.so')
mkdir "$scratch/bin"
ln -s "$(command -v "$python")" "$scratch/bin/python3"
export PATH=$scratch/prefix/bin:$scratch/bin:$PATH PYTHONPATH=$(dirname "$(dirname "$module")") PYTHONDONTWRITEBYTECODE=1
export CMAKE_PREFIX_PATH=$scratch/prefix FHE_EXAMPLES=$scratch/prefix/share/doc/fhe/apps/examples
export CMAKE_GENERATOR CXX
CMAKE_GENERATOR=$(sed -n 's/^CMAKE_GENERATOR:[A-Z]*=//p' "$build/CMakeCache.txt")
CXX=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 MPLCONFIGDIR=$scratch
"$python" "$here/guides.py" "$scratch" "$source"/apps/documents/guides/*.md
