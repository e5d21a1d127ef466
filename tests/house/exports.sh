#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares what a shared libfhe exports with what the public headers mark by FHE_EXPORT. Proves that
#   - every class and every function of a public header is marked, but for templates and what is inline, so that
#     programs can link with it;
#   - every function that is marked is exported;
#   - nothing else is: no internals, nothing of another library, no template that was instantiated.
# It does not prove that two versions have the same interface: abi.sh does.
#
#   tests/house/exports.sh LIBRARY HEADERS
#
# HEADERS is a file of lines: the public headers, by their paths from the top level.
set -euo pipefail
export LC_ALL=C  # one order for sort and comm

(($# == 2)) || { echo "usage: tests/house/exports.sh LIBRARY HEADERS" >&2; exit 2; }
library=$(realpath "$1")
mapfile -t headers < "$2"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

declarations=$(awk -f tests/house/exports.awk "${headers[@]}")
unmarked=$(sed -n 's/^unmarked //p' <<< "$declarations")
functions=$(sed -n 's/^function //p' <<< "$declarations" | sort -u)
classes=$(sed -n 's/^class //p' <<< "$declarations" | sort -u)

# Names without their arguments, and whatever belongs to a class as the class.
symbols=$(nm --dynamic --demangle --defined-only "$library" | sed -E 's/^[0-9a-f]+ . //')
names=$(sed -E 's/^(typeinfo|typeinfo name|vtable|VTT) for //; s/(\(|\[abi:).*//' <<< "$symbols" |
  awk 'NR == FNR { is_class[$0]; next }
       {
         name = $0
         while (!(name in is_class) && sub(/::[^:]*$/, "", name)) continue
         print ((name in is_class) ? name : $0)
       }' <(echo "$classes") - | sort -u)
[[ -n $functions && -n $classes && -n $names ]] || { echo "found nothing to compare"; exit 1; }

violations=0
# complain WHAT LINES
complain() {
  [[ -n $2 ]] || return 0
  sed "s|^|$1: |" <<< "$2"
  violations=$((violations + $(wc -l <<< "$2")))
}
complain 'is not marked by FHE_EXPORT' "$unmarked"
complain 'is marked, but not exported' "$(comm -23 <(echo "$functions") <(echo "$names"))"
complain 'is exported, but no public header marks it' "$(comm -13 <(sort <(echo "$functions") <(echo "$classes")) <(echo "$names"))"

((violations == 0)) || { printf '%d violations\n' "$violations"; exit 1; }
printf '%d symbols are exported, all of them of public headers\n' "$(wc -l <<< "$symbols")"
