#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of the Python package as `pip install ./apps/python` does, installs it in a new virtual environment, and
# computes with it. It carries all the libraries that it needs, and their licences.
#
#   tests/python/wheel.sh PYTHON
#
# PYTHON, or $FHE_WHEEL_PYTHON, is an interpreter that has pip, numpy, scikit-build-core and pybind11. Nothing is fetched.
# Exit status 77 where one of them is missing: the test is skipped.
set -euo pipefail

python=${FHE_WHEEL_PYTHON:-${1:?usage: tests/python/wheel.sh PYTHON}}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly python source
for package in pip venv numpy scikit_build_core; do
  "$python" -c "import $package" 2> /dev/null || {
    printf 'wheel: SKIP, no wheel is built: %s has no %s; FHE_WHEEL_PYTHON may name another interpreter\n' "$python" "$package"
    exit 77
  }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  printf 'wheel: %s\n' "$*" >&2
  exit 1
}

echo '== pip wheel'
"$python" -m pip wheel --no-index --no-build-isolation --no-deps --wheel-dir "$scratch" "$source/apps/python" \
  > "$scratch/log" 2>&1 || { cat "$scratch/log"; fail 'pip wheel failed'; }
wheel=$(find "$scratch" -name 'fhe-*.whl')
printf '%s: %s bytes\n' "$(basename "$wheel")" "$(stat -c %s "$wheel")"
version=$(sed -nE 's/^project\(fhe VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
[[ $(basename "$wheel") == "fhe-$version-"* ]] || fail "the wheel is not of version $version"

echo '== a new virtual environment'
"$python" -m venv "$scratch/venv"
"$scratch/venv/bin/python" -m pip install --no-index --no-deps --quiet "$wheel"
numpy=$("$python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))')
cd "$scratch"
env -i PYTHONPATH="$numpy" "$scratch/venv/bin/python" - "$scratch/venv" "$version" << 'END'
import importlib.metadata, pathlib, re, sys
import fhe

home, version = sys.argv[1:]
keys = fhe.keygen("cnt-mini")
assert keys.decrypt(keys.encrypt(13, fhe.Uint(8)) + 11) == 24
assert fhe.__version__ == importlib.metadata.version("fhe") == version
maps = pathlib.Path("/proc/self/maps").read_text()
for library in ("libgmp", "libntl", "libtbb", "libcrypto", "libfmt"):
    files = set(re.findall(rf"\S*/{library}[.-]\S*", maps))
    assert files and all(file.startswith(home) for file in files), (library, files)
names = [str(file) for file in importlib.metadata.files("fhe")]
for name in ("NOTICE", "py.typed", "_core.pyi"):
    assert any(file.endswith(name) for file in names), name
licences = [name for name in names if "/licences/" in name]
print(len(names), "files,", len(licences), "of licences; 13 + 11 is 24")
END
echo '== the first notebook'
"$python" "$source/tests/packaging/cells.py" "$source/apps/python/notebooks/1_twenty_lines.ipynb" > cells.py
env -i PYTHONPATH="$numpy" "$scratch/venv/bin/python" cells.py || fail 'the cells of the first notebook do not run'
echo 'wheel: all is well'
