#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Executes the notebooks as Jupyter does, in a folder like the installed one, and checks that those of git have no outputs.
#
#   tests/packaging/notebooks.sh PYTHON PACKAGES [NOTEBOOK...]
#
# PACKAGES is the folder that holds the Python package. Exit status 77 where nbclient, ipykernel or matplotlib are missing: the
# test is skipped.
set -euo pipefail

(($# >= 2)) || { echo 'usage: tests/packaging/notebooks.sh PYTHON PACKAGES [NOTEBOOK...]' >&2; exit 2; }
python=$1
packages=$2
shift 2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if (($# == 0)); then set -- "$source"/apps/python/notebooks/*.ipynb; fi
for package in nbclient ipykernel matplotlib numpy; do
  "$python" -c "import $package" 2> /dev/null || {
    echo "notebooks: SKIP, $package is missing (Debian: apt-get install python3-nbclient python3-ipykernel python3-matplotlib)"
    exit 77
  }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$source/apps/bench/aes/sbox.blif" "$scratch"
export PYTHONPATH=$packages HOME=$scratch MPLCONFIGDIR=$scratch/matplotlib JUPYTER_RUNTIME_DIR=$scratch/runtime
for notebook in "$@"; do
  "$python" - "$notebook" "$scratch" << 'END'
import sys
import time

import nbformat
from nbclient import NotebookClient

path, folder = sys.argv[1:]
book = nbformat.read(path, as_version=4)
nbformat.validate(book)
for cell in book.cells:
    assert not cell.get("outputs") and cell.get("execution_count") is None, f"{path}: a cell has outputs: clear them"
start = time.perf_counter()
NotebookClient(book, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
pictures = sum("image/png" in output.get("data", {}) for cell in book.cells for output in cell.get("outputs", []))
print(f"{path.rsplit('/', 1)[-1]}: {len(book.cells)} cells, {pictures} pictures, {time.perf_counter() - start:.0f} s", flush=True)
END
done
