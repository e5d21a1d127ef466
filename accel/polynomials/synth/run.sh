#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Synthesizes the parts of the polynomial multiplier for a Xilinx 7-series part with Yosys, and prints their resources
# and the sums for all sizes as Markdown tables, the latter as percentages of the paper's device beside its table III.
# Needs yosys and about 1 GB of memory; takes some minutes.
#
#   accel/polynomials/synth/run.sh [BITS ...]      the widths of a coefficient: 64 128 192 when not given
#
# Memories are counted in bits: split, combine and pair keep 4 c (s - 1), 4 c (s - 1) and c s bits in a subtree of
# s = n/4 coefficients.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
rtl=$root/accel/polynomials/rtl
generated=$root/accel/polynomials/generated
widths=("$@")
(($#)) || widths=(64 128 192)
for bits in "${widths[@]}"; do
  [[ -d $generated/c$bits ]] || {
    printf 'usage: %s [64|128|192 ...]\n' "$0" >&2
    exit 2
  }
done

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# count BITS MODULE: LUT, LUT as memory, registers, DSP48E1, RAMB36 of a module without its memory.
count() {
  local parameters="-chparam C $1"
  case $2 in
    karatsuba_*) parameters='' ;;
    stream_fifo) parameters="-chparam WIDTH $((2 * $1 + 2))" ;;
  esac
  yosys -q -p "
    read_verilog -sv -defer -lib $rtl/lane_ram.sv;
    read_verilog -sv -defer $rtl/stream_fifo.sv $rtl/*_level.sv $generated/c$1/*.sv;
    hierarchy -top $2 $parameters;
    synth_xilinx -family xc7 -noiopad -flatten;
    tee -o $scratch/stat stat" > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; return 1; }
  awk -f "$root/accel/fpga/synth/columns.awk" "$scratch/stat"
}

# Coefficients; percentages of BRAM, DSP, FF and LUT in the paper's table III, by width.
declare -A published=(
  [32,64]='9 24 5 7' [32,128]='23 72 8 13' [32,192]='32 72 13 19'
  [64,64]='19 24 7 10' [64,128]='37 72 18 25' [64,192]='52 72 18 25'
  [128,64]='24 24 9 13' [128,128]='49 72 15 21' [128,192]='67 72 23 31'
  [256,64]='30 24 11 15' [256,128]='60 72 19 26' [256,192]='83 72 28 37'
  [512,64]='36 24 13 18' [512,128]='72 72 22 30' [512,192]='99 72 33 43'
  [1024,64]='122 24 15 21' [1024,128]='223 72 26 35' [1024,192]='344 72 38 49'
  [2048,64]='299 24 17 24' [2048,128]='576 72 30 39' [2048,192]='875 72 43 55'
)

declare -A result
# shellcheck disable=SC2016  # the backticks are of Markdown
print_parts() {
  local bits module
  printf '| bits | module | LUT | LUT as memory | registers | DSP48E1 |\n|---:|---|---:|---:|---:|---:|\n'
  for bits in "${widths[@]}"; do
    for module in karatsuba_leaf stream_fifo split_level combine_level pair_level karatsuba_fork \
      karatsuba_join; do
      result[$bits,$module]=$(count "$bits" "$module")
      read -r lut memory registers dsp _ <<< "${result[$bits,$module]}"
      printf '| %d | `%s` | %d | %d | %d | %d |\n' "$bits" "$module" "$lut" "$memory" "$registers" "$dsp"
    done
  done
}

# whole BITS LEVELS: sums of LUT, LUT as memory, registers and DSP48E1 of nine subtrees and what joins them
whole() {
  {
    printf '%s %s\n' 9 "${result[$1,karatsuba_leaf]}" 9 "${result[$1,stream_fifo]}" \
      $((9 * $2)) "${result[$1,split_level]}" $((9 * $2)) "${result[$1,combine_level]}" \
      9 "${result[$1,pair_level]}" 1 "${result[$1,karatsuba_fork]}" 1 "${result[$1,karatsuba_join]}"
  } | awk '{ for (i = 2; i <= 5; i++) sum[i] += $1 * $i } END { print sum[2], sum[3], sum[4], sum[5] }'
}

print_wholes() {
  local bits size levels lut memory registers dsp kilobits
  printf '| n | bits | LUT | registers | DSP48E1 | memory | BRAM / DSP / FF / LUT | published |\n'
  printf '|---:|---:|---:|---:|---:|---:|---|---|\n'
  for size in 32 64 128 256 512 1024 2048; do
    levels=$(awk -v n="$size" 'BEGIN { print log(n) / log(2) - 2 }')
    for bits in "${widths[@]}"; do
      read -r lut memory registers dsp <<< "$(whole "$bits" "$levels")"
      kilobits=$((9 * bits * (8 * (size / 4 - 1) + size / 4) / 1024))
      awk -v n="$size" -v c="$bits" -v lut=$((lut + memory)) -v ff="$registers" -v dsp="$dsp" \
        -v kb="$kilobits" -v paper="${published[$size,$bits]}" 'BEGIN {
          gsub(" ", " / ", paper)
          printf "| %d | %d | %d | %d | %d | %d kbit | %.1f / %.0f / %.0f / %.0f %% | %s %% |\n", n, c, lut,
            ff, dsp, kb, 100 * kb / 36 / 3780, 100 * dsp / 1800, 100 * ff / 2148480,
            100 * lut / 1074240, paper }'
    done
  done
}

print_parts
printf '\n'
print_wholes
