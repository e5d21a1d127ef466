#!/usr/bin/env bash
# Checks every module of accel/fpga/rtl: Verilator reports nothing under -Wall, Yosys reads it and finds
# all that it instantiates. Each in all of its parameters. Exit status 77, skipped, with neither tool.
#
#   tests/accel/fpga/lint.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../../accel/fpga/rtl"

tools=()
for tool in verilator yosys; do
  if command -v "$tool" > /dev/null; then
    tools+=("$tool")
  else
    echo "not checked by $tool, which is not installed"
  fi
done
((${#tools[@]})) || exit 77

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
for lane in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15; do
  seq -f '%016.0f' 8192 > "$scratch/lane_$lane.hex"
done

failures=0
complain() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

has() { [[ " ${tools[*]} " == *" $1 "* ]]; }

# check MODULE [PARAMETER VALUE]
check() {
  local module=$1 for_verilator=() for_yosys=''
  if (($# == 3)); then
    for_verilator=("-G$2=$3")
    for_yosys="#(.$2($3))"
  fi
  if has verilator; then
    verilator --lint-only -Wall -y . "${for_verilator[@]}" --top "$module" "$module.sv" ||
      complain "$*: Verilator complains"
  fi
  if has yosys; then
    # Yosys takes no text for a parameter of its top module.
    echo "module top; $module $for_yosys checked (); endmodule" > "$scratch/top.sv"
    yosys -q -p "read_verilog -sv -defer *.sv $scratch/top.sv; hierarchy -check -top top" ||
      complain "$*: Yosys complains"
  fi
}

for file in *.sv; do
  module=${file%.sv}
  grep -q "^module $module\b" "$file" || complain "$file: holds no module of its name"
  case $module in
    radix16 | fft_processor)
      check "$module" LAYERED 0
      check "$module" LAYERED 1
      ;;
    twiddle_rom) check "$module" FILE "\"$scratch/lane_01.hex\"" ;;
    twiddle_factors | multiplier768) check "$module" ROM_DIR "\"$scratch/\"" ;;
    lhw_unit | lhw_multiplier)
      check "$module" BLOCK_BITS 64
      check "$module" BLOCK_BITS 128
      check "$module" BLOCK_BITS 256
      ;;
    *) check "$module" ;;
  esac
done

((failures == 0)) || { printf '%d failures\n' "$failures"; exit 1; }
echo "every module is clean: ${tools[*]}"
