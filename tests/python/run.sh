#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the Python package with pytest.
#
#   tests/python/run.sh PYTHON PACKAGES TOOL [SERVER]
#
# PYTHON is the interpreter that the package was built for, PACKAGES the folder that holds it, TOOL the program `fhe` and
# SERVER the program `fhe-outsource`, where it is built.
# Exit status 77 where numpy or pytest are missing: the test is skipped.
set -euo pipefail

(($# == 3 || $# == 4)) || { echo 'usage: tests/python/run.sh PYTHON PACKAGES TOOL [SERVER]' >&2; exit 2; }
python=$1
export PYTHONPATH=$2 FHE_CLI_PATH=$3 FHE_OUTSOURCE_PATH=${4-} PYTHONDONTWRITEBYTECODE=1
for package in numpy pytest; do
  "$python" -c "import $package" 2> /dev/null || {
    echo "python: SKIP, the package is not tested: $package is missing (Debian: apt-get install python3-$package)"
    exit 77
  }
done
exec "$python" -m pytest -q -p no:cacheprovider --strict-markers -W error "$(dirname "${BASH_SOURCE[0]}")"
