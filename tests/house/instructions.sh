#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that a library built on x86-64 starts on every x86-64 processor, though some of its sources
# are compiled for newer ones:
#
#   - the other objects hold no instruction beyond the baseline (SSE2);
#   - the newer ones define no weak function. An inline function or a template that is not local to
#     its source stands in many objects, and the linker keeps any one of them, for all callers;
#   - the newer ones run nothing at program start.
#
#   tests/house/instructions.sh KERNELS OBJECTS
#
# KERNELS and OBJECTS are files of lines: the sources that are compiled for newer processors, as the
# ends of their paths, and all object files of the library.
set -euo pipefail

(($# == 2)) || { echo "usage: tests/house/instructions.sh KERNELS OBJECTS" >&2; exit 2; }
mapfile -t kernels < "$1"
mapfile -t objects < "$2"

violations=0
complain() {
  printf '%s\n' "$*"
  violations=$((violations + 1))
}

# Whatever is encoded with VEX or EVEX, and what came after SSE2 in the old encoding.
readonly newer='v[a-z0-9]+|kmov[bwdq]|aes[a-z0-9]+|pclmul[a-z]*|sha(1|256)[a-z0-9]+|popcnt[wlq]?|lzcnt[wlq]?|movbe[wlq]?'\
'|andn[lq]?|bextr[lq]?|bls(i|r|msk)[lq]?|bzhi[lq]?|mulx[lq]?|pdep[lq]?|pext[lq]?|(ro|sa|sh)[lr]x[lq]?|ad[co]x[lq]?'\
'|pshufb|p(abs|hadd|hsub|sign)[bwd]+|palignr|p(min|max)(s[bd]|u[wd])|pmul(ld|dq)|p(ins|ext)r[bdq]|ptest|pcmpgtq|round[ps][sd]|crc32[bwlq]?'

newer_instructions() {
  objdump --disassemble --no-show-raw-insn "$1" |
    grep -oE "^ +[0-9a-f]+:[[:space:]]+($newer)([[:space:]]|$)" | awk '{print $2}' | sort -u | xargs
}

is_kernel() {
  local kernel
  for kernel in "${kernels[@]}"; do
    [[ $1 == *"$kernel".o || $1 == *"$kernel".obj ]] && return 0
  done
  return 1
}

seen=0
for object in "${objects[@]}"; do
  found=$(newer_instructions "$object" || true)
  if ! is_kernel "$object"; then
    [[ -z $found ]] || complain "$object: not compiled for newer processors, but has: $found"
    continue
  fi
  seen=$((seen + 1))
  [[ -n $found ]] || complain "$object: compiled for newer processors, but has none of their instructions"
  weak=$(nm --demangle "$object" | sed -nE 's/^[0-9a-f]+ [WuG] //p' | awk 'NR <= 5')
  [[ -z $weak ]] || complain "$object: defines what other objects may take for their own: $weak"
  if objdump --section-headers "$object" | grep -E '\.(init_array|ctors)' > /dev/null; then
    complain "$object: runs code at program start"
  fi
done
((seen == ${#kernels[@]} && seen > 0)) ||
  complain "found $seen objects for the ${#kernels[@]} sources that are compiled for newer processors"

((violations == 0)) || { printf '%d violations\n' "$violations"; exit 1; }
printf '%d objects keep to the baseline, %d keep to themselves\n' $((${#objects[@]} - seen)) "$seen"
