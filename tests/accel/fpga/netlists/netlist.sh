#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the C++ class CLASS of the netlist of a module: FOLDER/CLASS holds CLASS.h and CLASS__ALL.a. The modules PART stay
# what their sources say. The parameter ROM_DIR is the folder ROMS if that is not empty.
#
#   tests/accel/fpga/netlists/netlist.sh FOLDER CLASS ROMS MODULE [NAME=VALUE]... [without PART...]
set -euo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$tests/../../../.." && pwd)
# shellcheck source=accel/fpga/synth/synthesize.sh
source "$root/accel/fpga/synth/synthesize.sh"
folder=$1 class=$2 roms=$3 module=$4
shift 4
parameters='' texts='' parts=''
for word; do
  if [[ $word == without ]]; then shift; parts=$*; break; fi
  parameters+=" $word" texts+=".${word%%=*}(${word#*=}), "
  shift
done

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
top=$module
if [[ $roms ]]; then
  top=with_roms parameters=''
  with_texts "$top" "$module" "$texts.ROM_DIR(\"$roms\")"
fi
# The cells become Yosys's models of them, and all vectors are cut into bits: Verilator 5.006 finds loops in the chains of
# CARRY4, whose carries are one vector, and computes some of them wrongly. RAMs remain cells, whose models Verilator reads:
# cut into bits, those in look-up tables would take it many gigabytes.
synthesize "$top" "$parameters" "$parts" "$(to_xc7); rename -top netlist; techmap -map $tests/cells.v;
  read_verilog +/xilinx/cells_sim.v; blackbox RAM*; hierarchy -top netlist; proc; flatten; opt_expr; opt_clean; splitnets;
  write_verilog -noattr $scratch/netlist.v"

cells=$(dirname "$(command -v yosys)")/../share/yosys/xilinx/cells_sim.v
options=("+incdir+$root/accel/fpga/rtl")
for rtl in "$root"/accel/fpga/rtl/*/; do options+=(-y "$rtl"); done
verilator --cc --build -O3 -Wno-fatal -Wno-lint --prefix "$class" --top-module netlist --Mdir "$folder/$class" \
  -MAKEFLAGS "${CXX:+CXX=$CXX} OPT_FAST=-O0 OPT_SLOW=-O0 VM_PARALLEL_BUILDS=0" \
  "${options[@]}" "$scratch/netlist.v" "$tests/block_rams.sv" -v "$cells" > "$scratch/log" 2>&1 ||
  { cat "$scratch/log" >&2; exit 1; }
