#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the polynomial multiplier in all widths of a coefficient and several sizes: Verilator reports nothing
# under -Wall for accel/polynomials/rtl (of the generated modules unused bits and the like are no fault), Yosys
# reads all and finds what is instantiated. Exit status 77, skipped, with neither tool.
#
#   tests/accel/polynomials/lint.sh
set -euo pipefail
# shellcheck source=tests/accel/lint_tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lint_tools.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/../../../accel/polynomials"

printf '%s\n' '`verilator_config' 'lint_off -file "*generated/*"' > "$scratch/generated.vlt"

for file in rtl/*.sv generated/*/*.sv; do
  module=$(basename "$file" .sv)
  grep -q "^module $module\b" "$file" || complain "$file: holds no module of its name"
done
# check_with_verilator BITS MODULE PARAMETER VALUE
check_with_verilator() {
  in_background "$2, $1 bits, $3 = $4: Verilator complains" \
    verilator --lint-only -Wall -y rtl -y "generated/c$1" "-GC=$1" "-G$3=$4" --top "$2" \
    "$scratch/generated.vlt" "rtl/$2.sv"
}

for bits in 64 128 192; do
  if has verilator; then
    check_with_verilator "$bits" polynomial_multiplier N 8
    check_with_verilator "$bits" polynomial_multiplier N 32
    check_with_verilator "$bits" subtree SIZE 512  # those of N = 2048
  fi
  if has yosys; then
    in_background "$bits bits: Yosys complains" \
      yosys -q -p "read_verilog -sv -defer rtl/*.sv generated/c$bits/*.sv;
      hierarchy -check -top polynomial_multiplier -chparam C $bits -chparam N 32"
  fi
done

check_results
