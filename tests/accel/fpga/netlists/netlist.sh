#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the C++ class CLASS of the netlist of a module: FOLDER/CLASS holds CLASS.h and CLASS__ALL.a. The modules PART stay
# what their sources say. A VALUE in " is a text.
#
#   tests/accel/fpga/netlists/netlist.sh FOLDER CLASS MODULE [NAME=VALUE]... [without PART...]
#
# Or the class of the source of a module PARENT, in which netlists take the place of each MODULE with these parameters, and
# with others as by default; there must be one.
#
#   tests/accel/fpga/netlists/netlist.sh FOLDER CLASS PARENT [NAME=VALUE]... {with MODULE [NAME=VALUE]... [without PART...]}...
set -euo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$tests/../../../.." && pwd)
# shellcheck source=accel/fpga/synth/synthesize.sh
source "$root/accel/fpga/synth/synthesize.sh"
folder=$1 class=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
mkdir -p "$scratch/chosen" "$folder"

# write_netlist NAME MODULE [NAME=VALUE]... [without PART...]: the netlist, a module of this name.
# The cells become Yosys's models of them, and all vectors are cut into bits: Verilator 5.006 finds loops in the chains of
# CARRY4, whose carries are one vector, and computes some of them wrongly. RAMs remain cells, whose models Verilator reads:
# cut into bits, those in look-up tables would take it many gigabytes.
write_netlist() {
  local name=$1 top=$2 parameters='' passed='' texts=''
  shift 2
  while (($#)) && [[ $1 != without ]]; do
    if [[ $1 == *'="'* ]]; then
      texts+=", .${1%%=*}(${1#*=})"
    else
      parameters+=" $1" passed+=", .${1%%=*}(${1%%=*})"
    fi
    shift
  done
  if [[ $texts ]]; then
    with_texts "texts_of_$name" "$top" "${texts#, }$passed"
    top=texts_of_$name
  fi
  synthesize "$top" "$parameters" "${*:2}" "$(to_xc7); rename -top $name; techmap -map $tests/cells.v;
    read_verilog +/xilinx/cells_sim.v; blackbox RAM*; hierarchy -top $name; proc; flatten; opt_expr; opt_clean; splitnets;
    write_verilog -noattr $scratch/chosen/$name.v"
}

# parameters_of MODULE: "NAME VALUE" of each, by default.
parameters_of() {
  sed -nE '/^module/,/^\) \(/s|^ *parameter (.* )?([A-Z0-9_]+) = ([^,/ ]*).*|\2 \3|p' "$root"/accel/fpga/rtl/*/"$1.sv"
}

# same_parameters MODULE [NAME=VALUE]...: an expression in the module.
same_parameters() {
  local name value word
  parameters_of "$1" | while read -r name value; do
    for word in "${@:2}"; do
      [[ $word != "$name="* ]] || value=${word#*=}
    done
    printf '%s == %s && ' "$name" "$value"
  done
  printf '1'
}

# write_choice MODULE BRANCHES: a module of this name, which is one of the netlists in BRANCHES or what its source says.
write_choice() {
  local module=$1 branches=$2 source passed
  source=$(echo "$root"/accel/fpga/rtl/*/"$module.sv")
  passed=$(parameters_of "$module" | awk '{ printf "%s.%s(%s)", (NR > 1 ? ", " : ""), $1, $1 }')
  sed "s/^module $module\b/module source_of_$module/" "$source" > "$scratch/chosen/source_of_$module.sv"
  printf '%s\n%s source_of_%s #(%s) source (.*);\nendmodule\n' "$(sed '/^module/,/^);/!d' "$source")" "$branches" \
    "$module" "$passed" > "$scratch/chosen/$module.sv"
}

options=("+incdir+$root/accel/fpga/rtl" -y "$scratch/chosen")
for rtl in "$root"/accel/fpga/rtl/*/; do options+=(-y "$rtl"); done
if [[ " $* " == *' with '* ]]; then
  top=$1
  shift
  while [[ $1 != with ]]; do options+=("-G$1"); shift; done
  declare -A branches=()
  count=0
  while (($#)); do
    shift
    words=()
    while (($#)) && [[ $1 != with ]]; do words+=("$1"); shift; done
    write_netlist "netlist$((++count))" "${words[@]}"
    branches[${words[0]}]+="if ($(same_parameters "${words[@]}")) begin
      \$info(\"used: netlist$count\");
      netlist$count netlist (.*);
    end else "
  done
  for module in "${!branches[@]}"; do write_choice "$module" "${branches[$module]}"; done
else
  top=netlist count=0
  write_netlist netlist "$@"
fi

cells=$(dirname "$(command -v yosys)")/../share/yosys/xilinx/cells_sim.v
verilator --cc --build -O3 -Wno-fatal -Wno-lint --prefix "$class" --top-module "$top" --Mdir "$folder/$class" \
  -MAKEFLAGS "${CXX:+CXX=$CXX} OPT_FAST=-O0 OPT_SLOW=-O0 VM_PARALLEL_BUILDS=0" \
  "${options[@]}" "$top" "$tests/block_rams.sv" -v "$cells" > "$scratch/log" 2>&1 ||
  { cat "$scratch/log" >&2; exit 1; }
used=$(sed -n 's/.*used: \(netlist[0-9]*\).*/\1/p' "$scratch/log" | sort -u | wc -l)
((used == count)) || { printf '%s: no instance of %d netlists\n' "$class" $((count - used)) >&2; exit 1; }
