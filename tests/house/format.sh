#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ source looks as .clang-format says. Needs clang-format 16 (another one may lay out
# differently) and is skipped without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v clang-format-16 > /dev/null; then
  echo 'clang-format-16 is missing (Debian: apt-get install clang-format-16): the layout was not checked'
  exit 77
fi
# By folder, not by git: a checkout may come without it.
find libfhe accel apps tests \( -name '*.cpp' -o -name '*.hpp' \) -print0 |
  xargs -0 -n 40 -P "$(nproc)" clang-format-16 --dry-run --Werror ||
  {
    echo 'run clang-format-16 -i over the files that are named above' >&2
    exit 1
  }
