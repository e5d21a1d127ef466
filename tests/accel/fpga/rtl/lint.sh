#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks every module of accel/fpga/rtl: Verilator reports nothing under -Wall, slang nothing at all, Yosys reads it
# and finds all that it instantiates. Each in all of its parameters. Exit status 77, skipped, with none of these tools.
#
#   tests/accel/fpga/rtl/lint.sh
set -euo pipefail
# shellcheck source=tests/accel/lint_tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../lint_tools.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/../../../../accel/fpga/rtl"

for lane in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15; do
  seq -f '%016.0f' 8192 > "$scratch/lane_$lane.hex"
done
for stage in 02 03 04 05 06 07 08 09 10 11 12 13; do
  for kind in forward inverse divided; do
    seq -f '%016.0f' $((1 << (10#$stage - 1))) > "$scratch/serial_${kind}_$stage.hex"
  done
done

for lane in 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15; do
  seq -f '%016.0f' 8192 > "$scratch/first_$lane.hex"
  seq -f '%016.0f' 512 > "$scratch/second_$lane.hex"
  seq -f '%016.0f' 256 > "$scratch/weight_$lane.hex"
done

seq -f '%016.0f' 2048 > "$scratch/powers_low.hex"
seq -f '%016.0f' 1024 > "$scratch/powers_high.hex"

folders=(*/)
folders=("${folders[@]%/}")

# The polynomial multiplier, of 64-bit coefficients where a module does not say; its generated modules are
# not looked at here.
karatsuba=../../polynomials
bits=64
printf '%s\n' '`verilator_config' 'lint_off -file "*/generated/*"' 'lint_off -rule PINMISSING -file "*/group_*"' \
  > "$scratch/exceptions.vlt"

# The moduli of the super-size multiplier, and their digits.
moduli=("65'h100000001" "65'hfff00001" "65'h10000000000000001" "65'hffffffff00000001")
digits=(8 12 24 28)

# check MODULE [PARAMETER VALUE]...: puts one form of a module into the lists that check_together goes through.
# $group is the one of Verilator, which goes through a hierarchy as often as it stands in one; the first in order begin first.
checks=0
check() {
  local module=$1 parameters=''
  shift
  while (($#)); do
    parameters+="${parameters:+, }.$1($2)"
    shift 2
  done
  checks=$((checks + 1))
  echo "$module ${parameters:+#($parameters)} check_$checks ();" | tee -a "$scratch/checks_$bits" >> "$scratch/group_${bits}_$group"
}

# top LIST: one module of what is in a list. All forms of all modules in few of them take a tenth of the time of a
# process for each.
top() {
  local name=${1##*/}
  { echo "module $name;" && cat "$1" && echo endmodule; } > "$scratch/$name.sv"
  echo "$name"
}

check_together() {
  local list bits top sources
  for list in "$scratch"/checks_*; do
    bits=${list##*_}
    top=$(top "$list")
    sources=(*/*.sv "$karatsuba"/rtl/*.sv "$karatsuba/generated/c$bits"/*.sv "$scratch/$top.sv")
    if has yosys; then
      in_background "with polynomials of $bits bits: Yosys complains" \
        yosys -q -p "read_verilog -sv -defer -I. ${sources[*]}; hierarchy -check -top $top"
    fi
    if has slang; then
      in_background "with polynomials of $bits bits: slang complains" \
        slang -I. --suppress-warnings "$karatsuba/generated" --top "$top" "${sources[@]}"
    fi
  done
  for list in "$scratch"/group_*; do
    bits=${list##*/group_} bits=${bits%%_*}
    top=$(top "$list")
    if has verilator; then
      in_background "$(cat "$list")"$'\n'"Verilator complains" \
        verilator --lint-only -Wall -I. "${folders[@]/#/-I}" -y "$karatsuba/rtl" -y "$karatsuba/generated/c$bits" \
        --top "$top" "$scratch/exceptions.vlt" "$scratch/$top.sv"
    fi
  done
}

for file in */*.sv; do
  module=$(basename "$file" .sv)
  group=${file%%/*}
  grep -q "^module $module\b" "$file" || complain "$file: holds no module of its name"
  case $module in
    radix16 | radix16_products | fft_processor | stream_processor)  # layered ones are in fhe_device
      check "$module" LAYERED 0
      ;;
    twiddle_rom)
      check "$module" PORTS 1 FILE "\"$scratch/lane_01.hex\""
      check "$module" PORTS 2 FILE "\"$scratch/lane_01.hex\""
      check "$module" WORDS 1024 PORTS 2 FILE "\"$scratch/powers_high.hex\""
      check "$module" WORDS 2048 PORTS 2 FILE "\"$scratch/powers_low.hex\""
      check "$module" WORDS 512 PORTS 2 FILE "\"$scratch/second_01.hex\""
      check "$module" WORDS 256 PORTS 1 FILE "\"$scratch/weight_01.hex\""
      ;;
    twiddle_factors)
      check "$module" PORTS 1 ROM_DIR "\"$scratch/\""
      check "$module" PORTS 2 ROM_DIR "\"$scratch/\""
      ;;
    weight_transform)
      check "$module" ROM_DIR "\"$scratch/\""
      ;;
    throughput_engine)  # the shortest; the longest is in fhe_device
      group=a_long_one
      check "$module" LOG2_POINTS 12 ROM_DIR "\"$scratch/\""
      ;;
    corner_turn)
      check "$module" WIDTH 1024
      ;;
    diagonal_sums)
      check "$module" MOST_WORDS 192
      check "$module" MOST_WORDS 3072
      ;;
    multiplier_throughput | forward_transform | inverse_transform) ;;  # in throughput_engine
    feedback_stage)
      for log2_distance in 8 9 10 11; do
        check "$module" LOG2_DISTANCE "$log2_distance" FORWARD 0
        check "$module" LOG2_DISTANCE "$log2_distance" FORWARD 1
      done
      ;;
    feedback_lane)
      for stage in 0 1 2 3; do
        check "$module" DISTANCE $((256 << stage)) STAGE "$stage" FORWARD 0
        check "$module" DISTANCE $((256 << stage)) STAGE "$stage" FORWARD 1
      done
      ;;
    radix4_group)
      check "$module" FORWARD 0
      check "$module" FORWARD 1
      ;;
    radix4_lanes)
      for lanes in 0 1; do
        check "$module" FORWARD 0 LANES "$lanes"
        check "$module" FORWARD 1 LANES "$lanes"
      done
      ;;
    radix16_lanes)
      check "$module" INVERSE 0
      check "$module" INVERSE 1
      ;;
    rotate_wide)
      check "$module" BITS 4 STEP 0
      check "$module" BITS 4 STEP 183
      check "$module" BITS 3 STEP 12
      ;;
    swap_lanes)
      check "$module" LOW 0 BITS 2
      check "$module" LOW 2 BITS 4
      check "$module" LOW 6 BITS 2
      ;;
    swap_pair)
      for distance in 1 2 4 128; do check "$module" DISTANCE "$distance"; done
      ;;
    transform_factors | root_powers | column_factors | four_step_product)
      check "$module" ROM_DIR "\"$scratch/\""
      ;;
    multiplier768 | multiplier768_stream | product_unit | block_engine | stream_engine) ;;  # in fhe_device
    datapath | element_memory | element_lines | super_size_engine) ;;                        # the same
    selection_engine)  # and window_engine: their other forms are in fhe_device
      check "$module" SLICE_WORDS 32
      ;;
    window_engine)
      check "$module" SLICE_WORDS 8 CHUNK 4
      ;;
    fhe_device)
      group=a_device
      check "$module" ROM_DIR "\"$scratch/\""
      check "$module" MUL768 "1'b0" STREAM768 "1'b0" LHW "1'b0" SERIAL_LOG2_POINTS 0 KARATSUBA_BITS 64 KARATSUBA_SIZE 32 \
        ELEMENTS "1'b0"
      group=a_second_device
      check "$module" MUL768 "1'b0" STREAM768 "1'b0" LHW "1'b0" SERIAL_LOG2_POINTS 0 SUPER_POINTS 16 ELEMENTS "1'b0"
      check "$module" MUL768 "1'b0" STREAM768 "1'b0" THROUGHPUT_LOG2_POINTS 16 LINE_WORDS 8 ROM_DIR "\"$scratch/\""
      ;;
    context_sizes)
      check "$module" SHIFT_BITS 512
      check "$module" SHIFT_BITS 28
      ;;
    word_port)
      check "$module" BITS 28
      check "$module" BITS 224 AHEAD 14 LINES 32
      ;;
    lhw_unit | lhw_multiplier | sparse_unit)
      check "$module" BLOCK_BITS 64
      check "$module" BLOCK_BITS 128
      check "$module" BLOCK_BITS 256
      ;;
    gearbox)
      check "$module" IN_BITS 512 OUT_BITS 384
      check "$module" IN_BITS 384 OUT_BITS 512
      check "$module" IN_BITS 512 OUT_BITS 28
      check "$module" IN_BITS 512 OUT_BITS 352
      check "$module" IN_BITS 352 OUT_BITS 512
      check "$module" IN_BITS 512 OUT_BITS 1024
      check "$module" IN_BITS 1024 OUT_BITS 512
      check "$module" IN_BITS 56 OUT_BITS 512
      for block in 64 128 256; do
        check "$module" IN_BITS 512 OUT_BITS "$block"
        check "$module" IN_BITS "$block" OUT_BITS 512
      done
      ;;
    window_sum)
      check "$module" BEAT_BITS 384
      check "$module" BEAT_BITS 56
      ;;
    polynomial_engine)
      for bits in 64 128 192; do check "$module" BITS "$bits" SIZE 32; done
      bits=64
      ;;
    deep_fifo)
      check "$module" WIDTH 512 DEPTH 32
      check "$module" WIDTH 512 DEPTH 512
      ;;
    fifo)
      check "$module" WIDTH 96 DEPTH 2
      check "$module" WIDTH 512 DEPTH 32
      ;;
    memory_reader)
      check "$module" DEPTH 32
      check "$module" DEPTH 16 WIDTH 2048
      check "$module" DEPTH 16 WIDTH 4096
      ;;
    read_arbiter)
      check "$module" CLIENTS 1 DEPTH 16
      check "$module" CLIENTS 3 DEPTH 64
      check "$module" CLIENTS 5 DEPTH 64 OWN_ERRORS "5'b10000"
      ;;
    serial_fft | serial_ifft) ;;  # in low_latency_multiplier
    low_latency_multiplier)
      for log2_points in 8 9 10 11 12 13; do
        check "$module" LOG2_POINTS "$log2_points" ROM_DIR "\"$scratch/\""
      done
      ;;
    serial_engine)  # that of 8 is in fhe_device
      check "$module" LOG2_POINTS 10 ROM_DIR "\"$scratch/\""
      ;;
    mdc_stage)
      check "$module" FORWARD 1 FILE "\"$scratch/serial_forward_02.hex\""
      check "$module" FORWARD 0 FILE "\"$scratch/serial_inverse_08.hex\""
      check "$module" FORWARD 0 SCALE 1 FILE "\"$scratch/serial_divided_08.hex\""
      ;;
    memory_line)
      check "$module" CLOCKS 1
      check "$module" CLOCKS 2
      check "$module" CLOCKS 3
      check "$module" CLOCKS 4096
      ;;
    block_requests)
      check "$module" PORT_A 0
      check "$module" PORT_A 1
      ;;
    modular_*)
      for modulus in "${moduli[@]}"; do check "$module" MODULUS "$modulus"; done
      ;;
    barrett_multiply)
      check "$module" MODULUS "${moduli[1]}"
      check "$module" MODULUS "${moduli[3]}"
      ;;
    fermat_reduce | fermat_rotate)
      check "$module" BITS 32
      check "$module" BITS 64
      ;;
    parallel_transform | super_size_multiplier | block_product) ;;  # in super_size_encrypt
    adder_tree)
      for size in 1 2 4 8; do check "$module" GROUP "$size"; done
      ;;
    super_size_encrypt)  # and in it the others that have these parameters
      for i in 0 1 2; do  # the last is in fhe_device
        check "$module" MODULUS "${moduli[i]}" POINTS 16 DIGIT "${digits[i]}"
      done
      check "$module" MODULUS "${moduli[0]}" POINTS 32 DIGIT "${digits[0]}"
      ;;
    *) check "$module" ;;
  esac
done

check_together
check_results
