#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Synthesizes the modules for a Xilinx 7-series part with Yosys and prints their resources as Markdown
# tables: the multipliers, beside the published figures, and the execution units; (n) says that the netlist is
# simulated (tests/accel/fpga/netlists). Needs yosys, a C++20
# compiler and about 2 GB of memory; the row "16 sums" alone takes minutes.
#
#   accel/fpga/synth/run.sh [--quick]      without the rows that take minutes
#   accel/fpga/synth/run.sh --throughput   only the table of multiplier_throughput
#   accel/fpga/synth/run.sh --four-step    only that of four_step_product
#
# A part that is instantiated many times is synthesized once and left out of the others' rows.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
rtl=$root/accel/fpga/rtl
# shellcheck source=accel/fpga/synth/synthesize.sh
source "$root/accel/fpga/synth/synthesize.sh"
quick='' only_throughput='' only_four_step=''
case ${1-} in
  '') ;;
  --quick) quick=yes ;;
  --throughput) only_throughput=yes ;;
  --four-step) only_four_step=yes ;;
  *)
    printf 'usage: %s [--quick | --throughput | --four-step]\n' "$0" >&2
    exit 2
    ;;
esac

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
"${CXX:-c++}" -std=c++20 -O1 -I"$root" "$root/accel/fpga/roms/write_twiddles.cpp" \
  "$root/accel/fpga/roms/roms.cpp" \
  "$root/accel/cpu/goldilocks/field.cpp" -o "$scratch/write_twiddles"
"$scratch/write_twiddles" "$scratch/roms"

# Yosys takes no text for a parameter of its top module.
cat > "$scratch/one_rom.sv" << END
module one_rom (input clk, input [12:0] address, output [63:0] power);
  twiddle_rom #(.FILE("$scratch/roms/lane_01.hex"))
    rom (.clk(clk), .advance(1'b1), .address(address), .power(power));
endmodule
END
cat > "$scratch/two_port_rom.sv" << END
module two_port_rom (input clk, input [25:0] address, output [127:0] power);
  twiddle_rom #(.PORTS(2), .FILE("$scratch/roms/lane_01.hex"))
    rom (.clk(clk), .advance(1'b1), .address(address), .power(power));
endmodule
END
cat > "$scratch/short_rom.sv" << END
module short_rom (input clk, input [17:0] address, output [127:0] power);
  twiddle_rom #(.WORDS(512), .PORTS(2), .FILE("$scratch/roms/second_01.hex"))
    rom (.clk(clk), .advance(1'b1), .address(address), .power(power));
endmodule
END
cat > "$scratch/weight_rom.sv" << END
module weight_rom (input clk, input [7:0] address, output [63:0] power);
  twiddle_rom #(.WORDS(256), .FILE("$scratch/roms/weight_01.hex"))
    rom (.clk(clk), .advance(1'b1), .address(address), .power(power));
endmodule
END
for part in low:2048 high:1024; do  # PART:WORDS
  cat > "$scratch/${part%:*}_powers.sv" << END
module ${part%:*}_powers (input clk, input [2*\$clog2(${part#*:})-1:0] address, output [127:0] power);
  twiddle_rom #(.WORDS(${part#*:}), .PORTS(2), .FILE("$scratch/roms/powers_${part%:*}.hex"))
    rom (.clk(clk), .advance(1'b1), .address(address), .power(power));
endmodule
END
done
with_texts all_factors twiddle_factors ".ROM_DIR(\"$scratch/roms/\")"
for log2_points in 8 9 10 11 12 13; do
  with_texts "serial_$log2_points" low_latency_multiplier \
    ".LOG2_POINTS($log2_points), .ROM_DIR(\"$scratch/roms/\")"
done

# count MODULE PARAMETERS BOXES: the cells of MODULE, one a line, with BOXES left empty.
count() {
  synthesize "$1" "$2" "$3" "$(to_xc7); tee -o $scratch/stat stat"
  cat "$scratch/stat"
}

columns() { awk -f "$root/accel/fpga/synth/columns.awk"; }

declare -A result

# row KEY "TEXT" MODULE PARAMETERS BOXES [PUBLISHED]
row() {
  local key=$1 text=$2 published=${6-}
  result[$key]=$(count "$3" "$4" "$5" | columns)
  print_row "$text" "${result[$key]}" "$published"
}

print_row() {
  # shellcheck disable=SC2086  # the columns are words
  printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$1" $2 "$3"
}

# total KEY COUNT KEY COUNT ...: the sum of so many of each
total() {
  while (($#)); do
    printf '%s %s\n' "$2" "${result[$1]}"
    shift 2
  done | awk '{ for (i = 2; i <= 6; i++) sum[i] += $1 * $i }
    END { printf "%d %d %d %d %g\n", sum[2], sum[3], sum[4], sum[5], sum[6] }'
}

# super_size_rows POINTS DIGIT MODULUS "TEXT" PUBLISHED: the parts of a super_size_encrypt, and their sum.
# Of the butterflies of a transform, points - 1 have a factor of 1; of those of the inverse, points / 2
# have two factors and points - 2 have a factor of 1.
# shellcheck disable=SC2016  # the backticks are of Markdown
super_size_rows() {
  local points=$1 digit=$2 modulus=$3 text=$4 published=$5 stages half
  stages=$(awk -v k="$points" 'BEGIN { print log(k) / log(2) }')
  half=$((points / 2))
  row pointwise '`modular_multiply`'", $text (n)" modular_multiply "MODULUS=$modulus" ''
  row plain '`modular_butterfly`, factor 1'", $text (n)" modular_butterfly "MODULUS=$modulus TWIDDLED=0" ''
  row twiddled '`modular_butterfly`'", $text (n)" modular_butterfly "MODULUS=$modulus" ''
  row scaled '`modular_butterfly`, two factors'", $text (n)" modular_butterfly \
    "MODULUS=$modulus SCALED=1" ''
  row rest '`super_size_encrypt` without these'", $text" super_size_encrypt \
    "MODULUS=$modulus POINTS=$points DIGIT=$digit" block_product
  print_row '**`super_size_encrypt`, '"$points points, $text**" "$(total pointwise "$points" \
    plain $((2 * (points - 1) + points - 2)) \
    twiddled $((2 * (half * stages - points + 1) + half * (stages - 1) - points + 2)) \
    scaled "$half" rest 1)" "$published"
}

# serial_rows LOG2_POINTS PUBLISHED: a low_latency_multiplier without its arithmetic, and with it: the paper's table 2. Each
# stage of the transforms has two products and two butterflies in each direction.
# shellcheck disable=SC2016
serial_rows() {
  local log2_points=$1 points=$((1 << $1))
  row "serial$log2_points" '`low_latency_multiplier` without arithmetic, '"$points points" "serial_$log2_points" '' \
    'goldilocks_multiply goldilocks_sum_difference'
  print_row '**`low_latency_multiplier`, '"$points points**" \
    "$(total "serial$log2_points" 1 multiply $((4 * log2_points + 2)) butterfly $((4 * log2_points - 2)))" "XC7VX980T: $2"
}

print_header() {
  printf '| module | LUT | LUT as memory | registers | DSP48E1 | RAMB36 | published |\n'
  printf '|---|---:|---:|---:|---:|---:|---|\n'
}

# shellcheck disable=SC2016  # the backticks are of Markdown
print_multipliers() {
  print_header
  row multiply '`goldilocks_multiply` (n)' goldilocks_multiply '' ''
  row layers '`radix16`, four layers (n)' radix16 LAYERED=1 ''
  [[ $quick ]] || row sums '`radix16`, 16 sums' radix16 LAYERED=0 ''
  row processor '`fft_processor` without the two above (n)' fft_processor '' 'radix16 goldilocks_multiply'
  row rom '`twiddle_rom` (n)' one_rom '' ''
  row factors '`twiddle_factors` without it (n)' all_factors '' twiddle_rom
  row resolve '`resolve_carries` (n)' resolve_carries '' ''
  row top '`multiplier768` without all these (n)' multiplier768 '' \
    'fft_processor twiddle_factors resolve_carries'
  local stratix='Stratix V: 243,402 ALUT, 245,257 registers, 288 DSP, 8,912,896 bits'
  local rest=(processor 2 multiply 32 rom 15 factors 1 resolve 1 top 1)
  result[multiplier]=$(total layers 2 "${rest[@]}")
  print_row '**`multiplier768`, four layers** (n)' "${result[multiplier]}" "$stratix"
  [[ $quick ]] || print_row '**`multiplier768`, 16 sums**' "$(total sums 2 "${rest[@]}")" "$stratix"
  row stream_processor '`stream_processor` without multipliers and `radix16` (n)' stream_processor '' \
    'radix16 goldilocks_multiply'
  row two_ports '`twiddle_rom`, two ports (n)' two_port_rom '' ''
  row stream '`multiplier768_stream` without its parts (n)' multiplier768_stream '' \
    'stream_processor twiddle_factors resolve_carries'
  result[stream_multiplier]=$(total stream_processor 2 multiply 32 layers 2 two_ports 15 factors 2 \
    resolve 1 stream 1)
  print_row '**`multiplier768_stream`, four layers** (n)' "${result[stream_multiplier]}" ''
  row lhw64 '**`lhw_multiplier`, blocks of 64** (n)' lhw_multiplier BLOCK_BITS=64 '' \
    'XC7VX980T: 20,330 LUT, 7,553 registers'
  row lhw128 '**`lhw_multiplier`, blocks of 128** (n)' lhw_multiplier BLOCK_BITS=128 '' \
    'XC7VX980T: 41,883 LUT, 11,294 registers'
  row lhw256 '**`lhw_multiplier`, blocks of 256**' lhw_multiplier BLOCK_BITS=256 '' \
    'XC7VX980T: 82,711 LUT, 18,929 registers'
  row butterfly '`goldilocks_sum_difference` (n)' goldilocks_sum_difference '' ''
  serial_rows 8 '54,068 LUT, 39,643 registers, 544 DSP48E1'
  serial_rows 9 '61,668 LUT, 44,599 registers, 608 DSP48E1'
  serial_rows 10 '71,060 LUT, 49,538 registers, 672 DSP48E1'
  serial_rows 11 '83,930 LUT, 54,795 registers, 736 DSP48E1'
  serial_rows 12 '103,909 LUT, 59,996 registers, 800 DSP48E1'
  serial_rows 13 '138,175 LUT, 64,765 registers, 864 DSP48E1'
  row wide '**`wide_accumulate`, words of 512** (n)' wide_accumulate '' ''
  super_size_rows 64 8 "65'h100000001" '2^32 + 1' \
    'XC7VX980T: 237,031 LUT, 191,176 registers, 256 DSP'
  super_size_rows 64 12 "65'hfff00001" '2^32 - 2^20 + 1' \
    'XC7VX980T: 171,450 LUT, 213,788 registers, 6,292 DSP'
  super_size_rows 128 24 "65'h10000000000000001" '2^64 + 1' \
    'XC7VX980T: 1,215,166 LUT, 956,974 registers, 2,048 DSP'
  super_size_rows 128 28 "65'hffffffff00000001" '2^64 - 2^32 + 1' \
    'XC7VX980T: 954,955 LUT, 1,123,001 registers, 18,496 DSP'
}

# shellcheck disable=SC2016
print_units() {
  print_header
  row to_beats '`gearbox`, 512 to 384 (n)' gearbox 'IN_BITS=512 OUT_BITS=384' ''
  row to_words '`gearbox`, 384 to 512 (n)' gearbox 'IN_BITS=384 OUT_BITS=512' ''
  row to_blocks '`gearbox`, 512 to 256 (n)' gearbox 'IN_BITS=512 OUT_BITS=256' ''
  row from_blocks '`gearbox`, 256 to 512 (n)' gearbox 'IN_BITS=256 OUT_BITS=512' ''
  row to_digits '`gearbox`, 512 to 28 (n)' gearbox 'IN_BITS=512 OUT_BITS=28' ''
  row from_digits '`gearbox`, 56 to 512 (n)' gearbox 'IN_BITS=56 OUT_BITS=512' ''
  row window '`window_sum` without its parts (n)' window_sum '' 'gearbox wide_accumulate'
  row product '`product_unit` without its parts (n)' product_unit '' 'multiplier768 gearbox window_sum'
  row serial '`serial_engine` without its parts (n)' serial_engine '' \
    'low_latency_multiplier gearbox window_sum'
  row stream_engine '`stream_engine` without its parts (n)' stream_engine '' \
    'multiplier768_stream gearbox window_sum'
  row sparse '`sparse_unit` without its parts (n)' sparse_unit '' 'lhw_multiplier gearbox'
  print_row '**`product_unit`, four layers**' \
    "$(total multiplier 1 to_beats 2 to_words 1 wide 1 window 1 product 1)" ''
  print_row '**`stream_engine`, four layers**' \
    "$(total stream_multiplier 1 to_beats 2 to_words 1 wide 1 window 1 stream_engine 1)" ''
  print_row '**`serial_engine`, 256 points**' "$(total serial8 1 multiply 34 butterfly 30 to_digits 2 \
    from_digits 1 wide 1 window 1 serial 1)" ''
  print_row '**`sparse_unit`, blocks of 256**' \
    "$(total lhw256 1 to_blocks 2 from_blocks 1 sparse 1)" ''
  row sum '**`sum_unit`** (n)' sum_unit '' ''
  row reader '**`memory_reader`** (n)' memory_reader '' ''
  row line_reader '**`memory_reader`, lines of 2,048 bits** (n)' memory_reader 'WIDTH=2048 DEPTH=16' ''
  row writer '**`memory_writer`** (n)' memory_writer '' ''
  row arbiter '**`read_arbiter`, 5 clients** (n)' read_arbiter "CLIENTS=5 OWN_ERRORS=5'b10000" ''
  row lines '**`word_port`, words of 28** (n)' word_port BITS=28 ''
  row long_lines '**`word_port`, words of 224** (n)' word_port 'BITS=224 AHEAD=14 LINES=32' ''
  row narrow '`super_size_engine` without its parts, 16 points (n)' super_size_engine 'POINTS=16 DIGIT=28' \
    'super_size_encrypt word_port'
  row broad '`super_size_engine` without its parts, 128 points' super_size_engine 'POINTS=128 DIGIT=28' \
    'super_size_encrypt word_port'
  row polynomials '`polynomial_engine` without the multiplier, 64 bits' polynomial_engine \
    'BITS=64 SIZE=128' polynomial_multiplier
  row aes_round '`aes_round` (n)' aes_round '' ''
  row schedule '`aes_key_schedule` (n)' aes_key_schedule '' ''
  row elements '`element_memory` without its parts (n)' element_memory '' 'aes_round aes_key_schedule'
  print_row '**`element_memory`** (n)' "$(total aes_round 160 schedule 1 elements 1)" ''
  row columns '`selection_columns`' selection_columns '' ''
  row selection '`selection_engine` without it' selection_engine '' selection_columns
  print_row '**`selection_engine`**' "$(total columns 8 selection 1)" ''
  row windows '**`window_engine`**' window_engine '' ''
  row sum_engine '`sum_engine` without `sum_unit` (n)' sum_engine '' sum_unit
  row sparse_engine '`sparse_engine` without `sparse_unit` (n)' sparse_engine '' sparse_unit
  row block_engine '`block_engine` without `product_unit` (n)' block_engine '' product_unit
  local engines='sum_engine sparse_engine block_engine stream_engine serial_engine element_memory selection_engine window_engine'
  row datapath '`datapath` without engines, readers and writer (n)' datapath '' \
    "$engines memory_reader memory_writer"
  row sequencer '`command_sequencer` (n)' command_sequencer "FEATURES=32'h70e77" memory_reader
  row program '`command_program` (n)' command_program '' ''
  row shell '`fhe_device` without these (n)' fhe_device '' 'datapath command_sequencer command_program read_arbiter'
}

# The parts of multiplier_throughput, delays as registers or memory, and their sum.
# shellcheck disable=SC2016
print_throughput() {
  local forward stage distance rows=()
  local parts='goldilocks_multiply twiddle_product radix16_lanes radix4_lanes feedback_lane'
  parts+=' swap_pair twiddle_rom resolve_carries digit_products spectrum_sums'
  print_header
  row multiply '`goldilocks_multiply` (n)' goldilocks_multiply '' ''
  row twiddle '`twiddle_product`' twiddle_product '' ''
  row radix16 '`radix16_lanes`' radix16_lanes '' ''
  for forward in 1 0; do
    local text=forward
    ((forward)) || text=inverse
    row "second$forward" '`radix4_lanes`, second pass, '$text radix4_lanes "FORWARD=$forward LANES=0" ''
    row "third$forward" '`radix4_lanes`, third pass, '$text radix4_lanes "FORWARD=$forward LANES=1" ''
    rows+=("second$forward" $((1 + forward)) "third$forward" $((1 + 2 * forward)))
    for stage in 0 1 2 3; do
      row "stage$forward$stage" '`feedback_lane`, '"$((256 << stage)) clocks, $text" feedback_lane \
        "DISTANCE=$((256 << stage)) STAGE=$stage FORWARD=$forward" ''
      rows+=("stage$forward$stage" $((16 << forward)))
    done
  done
  for distance in 1 2 4 8 16 32 64 128; do
    row "swap$distance" '`swap_pair`, '"$distance clocks" swap_pair "DISTANCE=$distance" ''
    rows+=("swap$distance" $((distance < 4 ? 64 : 48)))
  done
  row first_rom '`twiddle_rom`, two ports, 8192 words' two_port_rom '' ''
  row second_rom '`twiddle_rom`, two ports, 512 words' short_rom '' ''
  row weight_rom '`twiddle_rom`, 256 words' weight_rom '' ''
  row digits '`digit_products`' digit_products '' ''
  row add_up '`spectrum_sums`' spectrum_sums '' ''
  row resolve '`resolve_carries` (n)' resolve_carries '' ''
  row throughput '`multiplier_throughput` without these' multiplier_throughput '' "$parts"
  print_row '**`multiplier_throughput`, 65,536 points**' "$(total "${rows[@]}" multiply 16 twiddle 96 \
    radix16 7 first_rom 16 second_rom 16 weight_rom 16 digits 16 add_up 1 resolve 1 throughput 1)" ''
}

# The parts of four_step_product, and their sum.
# shellcheck disable=SC2016
print_four_step() {
  local parts='column_transform column_factors corner_turn row_carries'
  print_header
  row multiply '`goldilocks_multiply` (n)' goldilocks_multiply '' ''
  row low '`twiddle_rom`, two ports, 2048 words (n)' low_powers '' ''
  row high '`twiddle_rom`, two ports, 1024 words (n)' high_powers '' ''
  row factors '`column_factors` without these (n)' column_factors '' 'goldilocks_multiply root_powers'
  row radix16 '`radix16_lanes`' radix16_lanes '' ''
  row third '`radix4_lanes`, third pass' radix4_lanes 'FORWARD=1 LANES=1' ''
  row columns '`column_transform` without these (n)' column_transform '' 'radix16_lanes radix4_lanes'
  row turn '`corner_turn` (n)' corner_turn '' ''
  row carries '`row_carries` (n)' row_carries '' ''
  row four_step '`four_step_product` without these' four_step_product '' "$parts"
  print_row '**`four_step_product`**' "$(total multiply 16 low 4 high 4 factors 1 radix16 1 third 1 \
    columns 1 turn 2 carries 1 four_step 1)" ''
}

if [[ $only_throughput ]]; then
  print_throughput
  exit
fi
if [[ $only_four_step ]]; then
  print_four_step
  exit
fi
print_multipliers
printf '\n'
print_units
printf '\n'
print_throughput
printf '\n'
print_four_step
