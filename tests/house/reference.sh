#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The reference can be made without a warning: what is public is documented, and links lead somewhere.
# Needs Doxygen and is skipped without it.
#
#   tests/house/reference.sh build/release/libfhe/reference/Doxyfile
set -euo pipefail

# Without its settings Doxygen writes all it finds into the folder where it stands.
(($# == 1)) || { echo "usage: tests/house/reference.sh DOXYFILE" >&2; exit 2; }
if ! command -v doxygen > /dev/null; then
  echo 'doxygen is missing (Debian: apt-get install doxygen): the reference was not checked'
  exit 77
fi
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
{
  cat "$1"
  printf 'OUTPUT_DIRECTORY = "%s"\n' "$output"
} | doxygen - ||
  {
    echo 'libfhe/reference/comments.awk says how a comment documents what follows it' >&2
    exit 1
  }
