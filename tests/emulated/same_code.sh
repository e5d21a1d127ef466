#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the kernels for AVX-IFMA are what their twins are, which tests run (avxifma.cmake), and that processors
# without AVX-512 have all of their instructions:
#
#   - the library's objects have 52-bit products with VEX, and nothing with EVEX;
#   - the twins' objects have the same instructions in the same order, these products with EVEX.
#
#   tests/emulated/same_code.sh SHIPPED TWINS
#
# SHIPPED and TWINS are files of lines: all objects of the library, and those of the twins.
set -euo pipefail

(($# == 2)) || { echo "usage: tests/emulated/same_code.sh SHIPPED TWINS" >&2; exit 2; }
mapfile -t shipped < <(grep -E 'avxifma\.cpp\.(o|obj)$' "$1")
mapfile -t twins < <(grep -E 'avxifma\.cpp\.(o|obj)$' "$2")

violations=0
complain() {
  printf '%s\n' "$*"
  violations=$((violations + 1))
}

# evex OBJECT: how many instructions begin with the byte that EVEX begins with, and nothing else in 64-bit code.
evex() { objdump --disassemble "$1" | grep -cE $'^ +[0-9a-f]+:\t62 ' || true; }

# products OBJECT PREFIX: how many 52-bit products are written so.
products() { objdump --disassemble --no-show-raw-insn "$1" | grep -cE $'^ +[0-9a-f]+:\t'"$2"'vpmadd52[lh]uq ' || true; }

# code OBJECT: its instructions without addresses, which the lengths of encodings change, and without padding.
code() {
  objdump --disassemble --no-show-raw-insn "$1" | sed -nE $'s/^ +[0-9a-f]+:\t//p' |
    sed -E 's/^\{vex\} //; s/^((j[a-z]+|call) +).*/\1/; s/(-?0x)?[0-9a-f]+\(%rip\).*/(%rip)/; s/[[:space:]]+$//' |
    grep -vE '^(cs |data16 )*(nop|xchg +%ax,%ax)'
}

for object in "${shipped[@]}"; do
  name=${object##*/}
  room=$(basename "$(dirname "$object")")
  twin=''
  for candidate in "${twins[@]}"; do
    [[ $candidate == *"/$room/$name" ]] && twin=$candidate
  done
  [[ -n $twin ]] || { complain "$object has no twin"; continue; }
  with_vex=$(products "$object" '\{vex\} ')
  ((with_vex > 0)) || complain "$object has no 52-bit products with VEX"
  (($(evex "$object") == 0)) || complain "$object has instructions with EVEX"
  (($(products "$twin" '') == with_vex && $(evex "$twin") == with_vex)) ||
    complain "$twin has other instructions with EVEX than 52-bit products"
  diff <(code "$object") <(code "$twin") > /dev/null || complain "$object and $twin are not the same code"
  printf '%s/%s: %d 52-bit products\n' "$room" "$name" "$with_vex"
done
((${#shipped[@]} > 0 && ${#shipped[@]} == ${#twins[@]})) ||
  complain "found ${#shipped[@]} kernels for AVX-IFMA, and ${#twins[@]} twins"

((violations == 0)) || { printf '%d violations\n' "$violations"; exit 1; }
