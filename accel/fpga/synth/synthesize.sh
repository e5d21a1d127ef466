# SPDX-License-Identifier: Apache-2.0
# Sourced by what makes netlists with Yosys. Needs `root`, the top of this tree, and `scratch`, a folder for the log,
# which may hold sources of its own.

# Commands for COMMANDS below: the cells of a Xilinx 7-series part, without ports of the chip. Two faults of Yosys 0.23 are
# kept out of the netlists, each of which would make modules compute wrongly:
# - registers that it puts into look-up tables as shift registers lose their clock enable (YosysHQ/yosys#6058), so that a
#   module goes on where it should stall: there are no such shift registers;
# - four bits of a word of 72 bits are not written into a block RAM (YosysHQ/yosys#5833): they are connected.
readonly xc7_options='-family xc7 -noiopad -nosrl -flatten'
# shellcheck disable=SC2016  # the fields are of awk
readonly connect_parity='
  /^  cell / { wide = 0; block = $2 == "\\RAMB36E1" }
  block && $2 == "\\WRITE_WIDTH_B" && $3 == 72 { wide = 1 }
  wide && $2 == "\\DIPBDIP" { sub(/\[3:0\]$/, "[7:4]") }
  { print }'
to_xc7() {
  printf '%s' "synth_xilinx $xc7_options -run begin:map_ffram; write_ilang $scratch/memories;
    exec -expect-return 0 -- awk -f $scratch/connect_parity $scratch/memories > $scratch/connected;
    design -reset; read_ilang $scratch/connected; synth_xilinx $xc7_options -run map_ffram:"
}

# with_texts NAME MODULE PARAMETERS: a source in `scratch` of the module NAME, which is MODULE with the PARAMETERS given as
# .NAME(VALUE), .. , on which none of its ports depends: Yosys takes no text for a parameter of its top module.
with_texts() {
  local header
  header=$(sed -n '/^module/,/^);/p' "$root"/accel/fpga/rtl/*/"$2.sv")
  printf '%s\n  %s #(%s) all (.*);\nendmodule\n' "${header/module $2/module $1}" "$2" "$3" > "$scratch/$1.sv"
}

# synthesize MODULE PARAMETERS BOXES COMMANDS: reads MODULE, its PARAMETERS given as NAME=VALUE, with BOXES left empty;
# then does what Yosys is told by COMMANDS.
synthesize() {
  local module=$1 parameters=$2 boxes=$3 commands=$4 rtl=$root/accel/fpga/rtl
  local file name sources='' empty='' set_parameters='' pair status
  for file in "$rtl"/*/*.sv "$scratch"/*.sv "$root/accel/polynomials/rtl/polynomial_multiplier.sv"; do
    [[ -e $file ]] || continue
    name=$(basename "$file" .sv)
    if [[ " $boxes " == *" $name "* ]]; then empty+=" $file"; else sources+=" $file"; fi
  done
  printf '%s' "$connect_parity" > "$scratch/connect_parity"
  for pair in $parameters; do set_parameters+=" -chparam ${pair%%=*} ${pair#*=}"; done
  yosys -q -p "
    ${empty:+read_verilog -sv -I$rtl -lib $empty;}
    read_verilog -sv -defer -I$rtl $sources;
    hierarchy -top $module $set_parameters;
    $commands" > "$scratch/log" 2>&1 || { status=$?; cat "$scratch/log" >&2; return "$status"; }
}
