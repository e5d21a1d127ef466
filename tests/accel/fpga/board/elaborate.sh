#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the shell for the card, as a vendor's tool would get it but for the BIOS, and reads all of it with Verilator and
# Yosys, each where it is installed. The vendor's primitives are what Yosys knows of their ports and parameters; the
# PCIe endpoint has the ports that LitePCIe connects. Exit status 77 without LiteX.
#
#   tests/accel/fpga/board/elaborate.sh FOLDER ROMS
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../../.." && pwd)
folder=$1 roms=$2
"$root/accel/fpga/board/run.sh" --check
mkdir -p "$folder"
cd "$folder"
"$root/accel/fpga/board/run.sh" . --roms "$roms" --build --no-bios > log 2>&1 || { tail -n 40 log; exit 1; }
for name in gateware/fhe_acorn.xdc gateware/fhe_acorn.tcl driver/kernel/csr.h csr.json card.h; do
  [[ -s $name ]] || { echo "$name was not made"; exit 1; }
done
grep -q CSR_DDRPHY_BASE driver/kernel/csr.h # or the BIOS would find nothing to train
cd gateware
grep -q 'create_clock -name clk200_p -period 5.0' fhe_acorn.xdc
grep -q 'read_xdc -ref async_fifo' fhe_acorn.tcl

if ! command -v yosys > /dev/null; then
  echo 'made, and read by nobody: yosys is missing'
  exit
fi
cells=$(dirname "$(command -v yosys)")/../share/yosys/xilinx
mapfile -t sources < <(grep -v '^+' ../fhe_acorn.f)
of_device=() of_shell=()
for source in "${sources[@]}"; do
  case $source in
    *.sv) of_device+=("$source") ;;
    */pcie_s7.v) ;;
    *) of_shell+=("$source") ;;
  esac
done
yosys -q -p "
  read_verilog -lib $cells/cells_sim.v $cells/cells_xtra.v pcie_s7.v
  read_verilog -sv -defer -I$root/accel/fpga/rtl ${of_device[*]}
  read_verilog ${of_shell[*]}
  hierarchy -check -top fhe_acorn
  proc
  select -assert-count 1 t:pcie_s7
  select -assert-count 16 t:IDELAYE2" > yosys.log 2>&1 || { tail -n 20 yosys.log; exit 1; }
echo 'Yosys reads it'

if command -v verilator > /dev/null; then
  # Yosys leaves the order of the ports out, which Verilator wants.
  awk '
    /^module / { name = $2; ports = ""; body = ""; next }
    /^endmodule/ { printf "module %s (%s);\n%sendmodule\n", name, ports, body; next }
    { body = body $0 "\n" }
    /^ *(input|output|inout) / { port = $NF; sub(/;.*/, "", port); ports = ports (ports == "" ? "" : ", ") port }
  ' "$cells/cells_xtra.v" > primitives.v
  # The style of what LiteX writes is not ours to mend: only errors count.
  verilator --lint-only -Wno-fatal -Wno-lint -Wno-TIMESCALEMOD -Wno-COMBDLY -Wno-INITIALDLY -Wno-UNOPTFLAT \
    -f ../fhe_acorn.f primitives.v "$cells/cells_sim.v" --top-module fhe_acorn > verilator.log 2>&1 ||
    { grep -A3 '^%Error' verilator.log; exit 1; }
  echo 'Verilator reads it'
fi
