#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that nothing of the library is destroyed while a process ends: threads that nobody waits for, and destructors
# of objects that are older, use it until then. So objects of static storage have no destructor, or live on the heap and
# are never destroyed: static auto* const x = new X. The compiler has a static object destroyed by a call of
# __cxa_atexit, in the function that makes it or, for one of namespace scope, in a function _GLOBAL__sub_I_...
#
#   tests/house/statics.sh OBJECTS
#
# OBJECTS is a file of lines: the object files to look at.
set -euo pipefail

(($# == 1)) || { echo 'usage: tests/house/statics.sh OBJECTS' >&2; exit 2; }
mapfile -t objects < "$1"

# That of <iostream>, which is in headers of NTL and others, counts its users by itself.
readonly stream='std::ios_base::Init::~Init()'

# registering OBJECT: each function with how many objects it has destroyed, those of <iostream> aside.
registering() {
  objdump --disassemble --reloc --demangle --no-show-raw-insn "$1" | awk -v stream="$stream" '
    /^[0-9a-f]+ <.*>:$/ { name = $0; sub(/^[0-9a-f]+ </, "", name); sub(/>:$/, "", name) }
    /R_[A-Z0-9_]+[[:space:]]+__cxa_atexit/ { ++calls[name] }
    /R_[A-Z0-9_]+[[:space:]]/ && index($0, stream) { seen[name] = 1 }
    END { for (name in calls) if (calls[name] - seen[name] > 0) print calls[name] - seen[name], "in", name }'
}

violations=0
for object in "${objects[@]}"; do
  nm --undefined-only "$object" | grep -qw __cxa_atexit || continue
  found=$(registering "$object")
  [[ -n $found ]] || continue
  printf '%s: static objects are destroyed at the end of the process:\n%s\n' "$object" "$found"
  violations=$((violations + 1))
done
((${#objects[@]} > 0)) || { echo 'found no objects'; exit 1; }
((violations == 0)) || { printf '%d violations\n' "$violations"; exit 1; }
printf 'none of %d objects has anything destroyed at the end of the process\n' "${#objects[@]}"
