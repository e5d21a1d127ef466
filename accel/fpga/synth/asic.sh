#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Synthesizes modules to the standard cells of an ASIC process with Yosys and its ABC, and prints their area, their size
# in NAND gates of two inputs and their longest path as a Markdown table. Nothing is placed: wires have no delay and take
# no area. Memories become registers: no row should have a large one.
#
#   accel/fpga/synth/asic.sh LIBRARY NAND2 [MODULE...]     the rows of these modules, or all
#
# LIBRARY is a file in the Liberty format, which is not a part of this tree, and NAND2 its smallest NAND of two inputs;
# README.md says which ones were used. Needs yosys, and sta (OpenSTA) for the longest path. Exit status 77 without yosys.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
# shellcheck source=accel/fpga/synth/synthesize.sh
source "$root/accel/fpga/synth/synthesize.sh"
(($# >= 2)) || {
  printf 'usage: %s LIBRARY NAND2 [MODULE...]\n' "$0" >&2
  exit 2
}
library=$(realpath "$1")
readonly library nand=$2 picoseconds=5000 # of a clock at 200 MHz, for which cells are sized
shift 2
readonly wanted=" $* "
command -v yosys > /dev/null || { echo 'nothing is synthesized: yosys is missing'; exit 77; }

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
nand_area=$(awk -v cell="($nand)" '
  $1 == "cell" && $2 == cell || $1 == "cell" cell { inside = 1 }
  inside && $1 == "area" { gsub(/[^0-9.]/, "", $3); print $3; exit }' "$library")
[[ $nand_area ]] || {
  printf 'there is no cell %s with an area in %s\n' "$nand" "$library" >&2
  exit 2
}
# What an output of a module drives, in femtofarads, and no more: cells are sized for what follows them.
printf 'set_load 10\n' > "$scratch/constraints"

# longest_path MODULE: of the netlist, in ns, from or to registers or ports.
longest_path() {
  command -v sta > /dev/null || return 0
  cat > "$scratch/path.tcl" << END
read_liberty $library
read_verilog $scratch/netlist.v
link_design $1
create_clock -name clk -period 100 [get_ports clk]
set_input_delay 0 -clock clk [all_inputs]
set_output_delay 0 -clock clk [all_outputs]
report_worst_slack
END
  sta -exit "$scratch/path.tcl" 2>&1 | awk '/^worst slack/ { printf "%.2f", 100 - $NF }'
}

# row "TEXT" MODULE [PARAMETERS]
row() {
  [[ $wanted == '  ' || $wanted == *" $2 "* ]] || return 0
  synthesize "$2" "${3-}" '' "synth -flatten; rename -top $2; dfflibmap -liberty $library;
    abc -liberty $library -constr $scratch/constraints -D $picoseconds; splitnets -ports; opt_clean -purge;
    tee -o $scratch/stat stat -liberty $library; write_verilog -noattr $scratch/netlist.v"
  printf '| %s | %s | %s |\n' "$1" "$(awk -v nand="$nand_area" '
    /Chip area/ { printf "%d | %.1f", $NF + 0.5, $NF / nand / 1000 }' "$scratch/stat")" "$(longest_path "$2")"
}

printf '%s; %s, %s of %s um2; cells sized for %s ps; %s\n\n' "$(yosys -V)" "$(basename "$library")" "$nand" "$nand_area" \
  "$picoseconds" "$(date -u +%F)"
printf '| module | cells, um2 | NAND2, thousands | longest path, ns |\n|---|---:|---:|---:|\n'
# shellcheck disable=SC2016  # the backticks are of Markdown
{
  row '`goldilocks_multiply`' goldilocks_multiply
  row '`goldilocks_sum_difference`' goldilocks_sum_difference
  row '`radix16`, four layers' radix16 LAYERED=1
  row '`radix16`, 16 sums' radix16 LAYERED=0
  row '`resolve_carries`' resolve_carries
  row '`lhw_unit`, blocks of 64' lhw_unit BLOCK_BITS=64
  row '`lhw_unit`, blocks of 256' lhw_unit BLOCK_BITS=256
  row '`wide_accumulate`, words of 512' wide_accumulate
  row '`modular_butterfly`, 2^32 + 1' modular_butterfly "MODULUS=65'h100000001"
  row '`modular_butterfly`, 2^64 - 2^32 + 1' modular_butterfly
}
