#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the C++ class FheAcorn of the simulated card in FOLDER: FheAcorn.h, FheAcorn__ALL.a and card.h. ROMS is the
# folder of the twiddle factors, with its slash.
#
#   tests/accel/fpga/board/model.sh FOLDER ROMS
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1 roms=$2
mkdir -p "$folder"
log=$folder/log
# What LiteX writes is full of widths that do not fit and of other things that Verilator warns of.
{
  "$here/../../../../accel/fpga/board/run.sh" "$folder" --roms "$roms" --sim
  verilator --cc --build -O3 -Wno-fatal -Wno-lint --prefix FheAcorn --top-module fhe_acorn --Mdir "$folder" \
    --output-split 40000 -MAKEFLAGS "${CXX:+CXX=$CXX} OPT_FAST=-O1 OPT_SLOW=-O0 VM_PARALLEL_BUILDS=1" \
    -f "$folder/fhe_acorn.f"
} > "$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }
