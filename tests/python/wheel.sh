#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of the Python package as `pip install ./apps/python` does, installs it in a new virtual environment, and
# computes with it, the cells of the first notebook too. It carries all the libraries that it needs, and their licences.
#
#   tests/python/wheel.sh PYTHON BUILD
#
# PYTHON, or $FHE_WHEEL_PYTHON, is an interpreter that has pip, numpy, scikit-build-core and pybind11. Nothing is fetched. Where
# $FHE_PACKAGE_INDEX is set, pip is enough, and fetches the others, as it does for a user. BUILD is the folder in which it
# compiles, and which it uses again.
# Exit status 77 where something is missing, or pip reaches no package index: the test is skipped.
set -euo pipefail

(($# == 2)) || { echo 'usage: tests/python/wheel.sh PYTHON BUILD' >&2; exit 2; }
python=${FHE_WHEEL_PYTHON:-$1}
build=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly python build source
skip() {
  printf 'wheel: SKIP, no wheel is built: %s\n' "$*"
  exit 77
}
needed=(pip venv)
[[ -n ${FHE_PACKAGE_INDEX-} ]] || needed+=(numpy scikit_build_core)
for package in "${needed[@]}"; do
  "$python" -c "import $package" 2> /dev/null || skip "$python has no $package; FHE_WHEEL_PYTHON may name another" \
    'interpreter, and with FHE_PACKAGE_INDEX=yes pip fetches what is missing'
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  printf 'wheel: %s\n' "$*" >&2
  exit 1
}

if [[ -n ${FHE_PACKAGE_INDEX-} ]]; then
  echo '== what pip fetches'
  "$python" -m pip download --quiet --no-deps --dest "$scratch/index" scikit-build-core > "$scratch/log" 2>&1 ||
    skip "pip reaches no package index: $(tail -n 1 "$scratch/log")"
  building=() installing=()
else
  building=(--no-index --no-build-isolation) installing=(--no-index --no-deps)
fi

echo '== pip wheel'
"$python" -m pip wheel "${building[@]}" --no-deps --wheel-dir "$scratch" --config-settings "build-dir=$build" \
  "$source/apps/python" > "$scratch/log" 2>&1 || { cat "$scratch/log"; fail 'pip wheel failed'; }
wheel=$(find "$scratch" -name 'fhe-*.whl')
printf '%s: %s bytes\n' "$(basename "$wheel")" "$(stat -c %s "$wheel")"
version=$(sed -nE 's/^project\(fhe VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
[[ $(basename "$wheel") == "fhe-$version-"* ]] || fail "the wheel is not of version $version"

echo '== a new virtual environment'
"$python" -m venv "$scratch/venv"
"$scratch/venv/bin/python" -m pip install "${installing[@]}" --quiet "$wheel"
numpy=
[[ -n ${FHE_PACKAGE_INDEX-} ]] ||
  numpy=$("$python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))')
# Nothing but the wheel, and numpy.
in_venv() { env -i PYTHONPATH="$numpy" "$scratch/venv/bin/python" "$@"; }
cd "$scratch"
in_venv - "$scratch/venv" "$version" "$source" << 'END'
import importlib.metadata, pathlib, re, sys
import fhe

home, version, source = sys.argv[1:]
keys = fhe.keygen("cnt-mini")
assert keys.decrypt(keys.encrypt(13, fhe.Uint(8)) + 11) == 24
assert fhe.__version__ == importlib.metadata.version("fhe") == version
maps = pathlib.Path("/proc/self/maps").read_text()
for library in ("libgmp", "libntl", "libtbb", "libcrypto", "libfmt"):
    files = set(re.findall(rf"\S*/{library}[.-]\S*", maps))
    assert files and all(file.startswith(home) for file in files), (library, files)
assert source not in maps and "libfhe" not in maps, "what was built elsewhere is loaded too"
names = [str(file) for file in importlib.metadata.files("fhe")]
for name in ("NOTICE", "py.typed", "_core.pyi"):
    assert any(file.endswith(name) for file in names), name
licences = [name for name in names if "/licences/" in name]
print(len(names), "files,", len(licences), "of licences; 13 + 11 is 24")
END
echo '== the first notebook'
"$python" "$source/tests/packaging/cells.py" "$source/apps/python/notebooks/1_twenty_lines.ipynb" > cells.py
in_venv cells.py || fail 'the cells of the first notebook do not run'
echo 'wheel: all is well'
