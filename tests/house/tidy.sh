#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy 16 over the sources of library, accelerators and programs, with the checks of .clang-tidy: no reports.
#
#   tests/house/tidy.sh [PATTERN]    only the sources whose path matches the regular expression
#
# Half an hour on two cores. Exit code 77 where clang-tidy 16 is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly pattern=${1-"^$PWD/(libfhe|accel|apps)/"}

if ! command -v run-clang-tidy-16 > /dev/null; then
  echo "tidy.sh: clang-tidy 16 is missing (Debian: apt-get install clang-tidy-16)"
  exit 77
fi

# A configured folder is enough: all sources that are generated for it are, by then.
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cmake --preset dev -B "$build" > /dev/null
# What gcc alone understands.
sed -i 's/ --param=ggc-min-heapsize=[0-9]*//' "$build/compile_commands.json"
run-clang-tidy-16 -quiet -p "$build" -j "$(nproc)" -extra-arg=-Wno-unknown-warning-option "$pattern" 2> /dev/null |
  tee "$build/reports" | grep -E '(warning|error): ' | sort -u || true
if ! grep -q '^clang-tidy' "$build/reports"; then
  echo "tidy.sh: no source was checked; is there one that matches '$pattern'?" >&2
  exit 1
fi
! grep -qE '(warning|error): ' "$build/reports"
