# SPDX-License-Identifier: Apache-2.0
# Sourced by what makes netlists with Yosys. Needs `root`, the top of this tree, and `scratch`, a folder for the log,
# which may hold sources of its own.

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
  for pair in $parameters; do set_parameters+=" -chparam ${pair%%=*} ${pair#*=}"; done
  yosys -q -p "
    ${empty:+read_verilog -sv -defer -I$rtl -lib $empty;}
    read_verilog -sv -defer -I$rtl $sources;
    hierarchy -top $module $set_parameters;
    $commands" > "$scratch/log" 2>&1 || { status=$?; cat "$scratch/log" >&2; return "$status"; }
}
