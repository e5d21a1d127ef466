#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves what one file of this folder says of modules of accel/fpga/rtl, and shows for each of its faults that the
# proof fails when a module has it. Exit status 77, skipped, without Yosys or the solver.
#
#   tests/accel/fpga/formal/prove.sh NAME        NAME.sv
#
# README.md says what the comments at the top of a file mean.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
rtl=$(cd ../../../../accel/fpga/rtl && pwd)
name=${1?usage: prove.sh NAME}
readonly solver=z3
for tool in yosys yosys-smtbmc "$solver"; do
  if ! command -v "$tool" > /dev/null; then
    echo "nothing is proved: $tool is not installed"
    exit 77
  fi
done

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# lines KEY: what the comments `// KEY: ..` of the file say.
lines() { sed -n "s|^// $1: ||p" "$name.sv"; }

# With several clocks, a step of the solver is any moment, in which any of them may rise or fall.
sampled=''
[[ $(lines clocks) != several ]] || sampled=clk2fflogic

# compile FOLDER PARAMETERS: the modules in FOLDER and what is asserted of them, for the solver. Memories become
# registers before the modules are joined, so that assertions can name their words.
compile() {
  local sources='' module pair set_parameters=''
  for module in $(lines modules); do sources+=" $1/$module"; done
  for pair in $2; do set_parameters+=" -chparam ${pair%=*} ${pair#*=}"; done
  yosys -q -p "
    read_verilog -sv -formal -I$rtl $name.sv $sources;
    hierarchy -check -top ${name}_proof $set_parameters;
    proc; memory_collect; memory_map; flatten; opt_clean; $sampled; dffunmap; check -assert;
    write_smt2 -wires $scratch/smt2" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
}

# solve OPTIONS..: `PASSED` or `FAILED`, of the file that was compiled last; what else happens is an error.
solve() {
  yosys-smtbmc -s "$solver" --unroll --noprogress --presat "$@" "$scratch/smt2" > "$scratch/log" 2>&1 || true
  sed -n 's/.*Status: \(PASSED\|FAILED\)$/\1/p' "$scratch/log" | grep . || { cat "$scratch/log"; exit 1; }
}

# expect RESULT OPTIONS..
expect() {
  local expected=$1 result
  shift
  result=$(solve "$@")
  [[ $result == "$expected" ]] && return
  cat "$scratch/log"
  printf '%s: %s, not %s\n' "$name" "$result" "$expected"
  exit 1
}

read -r kind clocks < <(lines proof)
# A fault must be seen from the reset on, not only where an induction begins: in as many clocks as it may need.
from_reset=$clocks
[[ $kind != induction ]] || from_reset=12
mapfile -t parameters < <(lines with)
((${#parameters[@]})) || parameters=('')
for set in "${parameters[@]}"; do
  compile "$rtl" "$set"
  expect PASSED -t "$clocks"
  [[ $kind != induction ]] || expect PASSED -i -t "$clocks"
  printf '%s%s: proved, %s %s\n' "$name" "${set:+ ($set)}" "$kind" "$clocks"
done
while read -r module change; do
  rm -rf "$scratch/rtl"
  mkdir "$scratch/rtl"
  for file in $(lines modules); do install -D -m 644 "$rtl/$file" "$scratch/rtl/$file"; done
  sed -i "$change" "$scratch/rtl/$module"
  if cmp -s "$rtl/$module" "$scratch/rtl/$module"; then
    printf '%s: the fault %s changes nothing in %s\n' "$name" "$change" "$module"
    exit 1
  fi
  compile "$scratch/rtl" "${parameters[0]}"
  expect FAILED -t "$from_reset"
  printf '%s: found: %s\n' "$name" "$change"
done < <(lines fault)
