#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the C++ class CLASS of the netlist of a module: FOLDER/CLASS holds CLASS.h and CLASS__ALL.a.
#
#   tests/accel/fpga/netlists/netlist.sh FOLDER CLASS MODULE [NAME=VALUE]...
set -euo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$tests/../../../.." && pwd)
# shellcheck source=accel/fpga/synth/synthesize.sh
source "$root/accel/fpga/synth/synthesize.sh"
folder=$1 class=$2 module=$3
shift 3

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
# The cells become Yosys's models of them, block RAMs remain, and all vectors are cut into bits: Verilator 5.006 finds
# loops in the chains of CARRY4, whose carries are one vector, and computes some of them wrongly.
synthesize "$module" "$*" '' "$(to_xc7); rename -top $module; read_verilog +/xilinx/cells_sim.v;
  blackbox RAMB36E1 RAMB18E1; hierarchy -top $module; proc; flatten; opt_expr; opt_clean; splitnets;
  write_verilog -noattr $scratch/netlist.v"

verilator --cc --build -O3 -Wno-fatal -Wno-lint --prefix "$class" --top-module "$module" --Mdir "$folder/$class" \
  -MAKEFLAGS "${CXX:+CXX=$CXX} OPT_FAST=-O0 OPT_SLOW=-O0 VM_PARALLEL_BUILDS=0" \
  "$scratch/netlist.v" "$tests/block_rams.sv" > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
