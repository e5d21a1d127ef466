#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests fhe.RayExecutor on Ray itself: a cluster of processes of this machine.
#
#   tests/python/ray.sh PYTHON PACKAGES
#
# PYTHON is the interpreter that the package was built for, and PACKAGES the folder that holds it. $FHE_RAY_PYTHON may name an
# interpreter of the same version that has Ray; where $FHE_PACKAGE_INDEX is set instead, pip fetches it into a virtual environment.
# Exit status 77 where there is none, or pip reaches no package index: the test is skipped.
set -euo pipefail

(($# == 2)) || { echo 'usage: tests/python/ray.sh PYTHON PACKAGES' >&2; exit 2; }
python=${FHE_RAY_PYTHON:-$1}
export PYTHONPATH=$2 PYTHONDONTWRITEBYTECODE=1 RAY_USAGE_STATS_ENABLED=0
skip() {
  printf 'ray: SKIP, circuits do not run on Ray: %s\n' "$*"
  exit 77
}
if ! "$python" -c 'import ray' 2> /dev/null && [[ -n ${FHE_PACKAGE_INDEX-} ]]; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  "$python" -m venv --system-site-packages "$scratch" 2> /dev/null || skip "$python makes no virtual environments"
  "$scratch/bin/python" -m pip install --quiet ray > "$scratch/log" 2>&1 ||
    skip "pip fetches no ray: $(tail -n 1 "$scratch/log")"
  python=$scratch/bin/python
fi
for package in numpy pytest ray; do
  "$python" -c "import $package" 2> /dev/null || skip "$python has no $package; FHE_RAY_PYTHON may name another" \
    'interpreter, and with FHE_PACKAGE_INDEX=yes pip fetches Ray'
done
"$python" -m pytest -q -p no:cacheprovider "$(dirname "${BASH_SOURCE[0]}")/on_ray.py"
