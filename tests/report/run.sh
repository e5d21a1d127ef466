#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests apps/report with pytest, and `fhe-bench report`, which uses it.
#
#   tests/report/run.sh PYTHON BENCH
#
# PYTHON is an interpreter, and BENCH the program `fhe-bench`.
# Exit status 77 where a package is missing: the test is skipped.
set -euo pipefail

(($# == 2)) || { echo 'usage: tests/report/run.sh PYTHON BENCH' >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PYTHONPATH=$here/../../apps/report/fhe_report FHE_BENCH_PATH=$2 PYTHONDONTWRITEBYTECODE=1
for package in jinja2 matplotlib pytest; do
  "$1" -c "import $package" 2> /dev/null || {
    echo "report: SKIP, it is not tested: $package is missing (Debian: apt-get install python3-$package)"
    exit 77
  }
done
exec "$1" -m pytest -q -p no:cacheprovider --strict-markers -W error "$here"
