#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of a preset. Tests that fail run once more, alone: one that then passes is upset by a busy machine, which
# only those listed in tests/upset_by_load.txt are allowed to be.
#
#   tests/check.sh PRESET BUILD
#
# BUILD is the folder that the preset was built in.
set -euo pipefail

(($# == 2)) || { echo 'usage: tests/check.sh PRESET BUILD' >&2; exit 2; }
readonly preset=$1 build=$2
list=$(dirname "${BASH_SOURCE[0]}")/upset_by_load.txt

# Two more at once than there are cores, since many of them wait for processes, servers and disks.
if ctest --preset "$preset" --parallel $(($(nproc) + 2)); then exit; fi

mapfile -t failed < <(sed 's/^[0-9]*://' "$build/Testing/Temporary/LastTestsFailed.log")
printf '== tests of %s that failed, once more and one at a time\n' "$preset"
ctest --preset "$preset" --rerun-failed

# The reason that the list gives for a test, nothing for one that is not in it.
reason_of() { awk -v name="$1" 'listed && sub(/^    /, "") { print; exit } { listed = $0 == name }' "$list"; }

unlisted=()
for name in "${failed[@]}"; do
  reason=$(reason_of "$name")
  if [[ $reason ]]; then
    printf '== passed only when alone: %s (%s)\n' "$name" "$reason"
  else
    unlisted+=("$name")
  fi
done
((${#unlisted[@]})) || exit 0
printf '== passed only when alone, and not listed in tests/upset_by_load.txt: mend it, or list it with the reason\n'
printf '%s\n' "${unlisted[@]}"
exit 1
