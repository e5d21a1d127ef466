#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that no shared object with libfhe in it is ever unloaded: GMP calls functions of it
# (libfhe/arith/gmp_memory.hpp), also when whoever loaded it has closed it.
#
#   tests/house/nodelete.sh OBJECT...
set -euo pipefail

(($# > 0)) || { echo 'usage: tests/house/nodelete.sh OBJECT...' >&2; exit 2; }
violations=0
for object in "$@"; do
  readelf --dynamic "$object" | grep -qE 'FLAGS_1.*NODELETE' && continue
  printf '%s: can be unloaded: link it with -Wl,-z,nodelete\n' "$object"
  violations=$((violations + 1))
done
((violations == 0)) || { printf '%d violations\n' "$violations"; exit 1; }
printf '%d shared objects stay loaded\n' $#
