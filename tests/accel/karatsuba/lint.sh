#!/usr/bin/env bash
# Checks the polynomial multiplier in all widths of a coefficient and several sizes: Verilator reports nothing
# under -Wall for accel/karatsuba/rtl (of the generated modules unused bits and the like are no fault), Yosys
# reads all and finds what is instantiated. Exit status 77, skipped, with neither tool.
#
#   tests/accel/karatsuba/lint.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../../accel/karatsuba"

tools=()
for tool in verilator yosys; do
  if command -v "$tool" > /dev/null; then
    tools+=("$tool")
  else
    echo "not checked by $tool, which is not installed"
  fi
done
((${#tools[@]})) || exit 77
has() { [[ " ${tools[*]} " == *" $1 "* ]]; }

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
printf '%s\n' '`verilator_config' 'lint_off -file "*generated/*"' > "$scratch/generated.vlt"

failures=0
complain() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

for file in rtl/*.sv generated/*/*.sv; do
  module=$(basename "$file" .sv)
  grep -q "^module $module\b" "$file" || complain "$file: holds no module of its name"
done
for bits in 64 128 192; do
  for size in 8 512 2048; do
    if has verilator; then
      verilator --lint-only -Wall -y rtl -y "generated/c$bits" "-GC=$bits" "-GN=$size" \
        --top polynomial_multiplier "$scratch/generated.vlt" rtl/polynomial_multiplier.sv ||
        complain "$bits bits, $size coefficients: Verilator complains"
    fi
  done
  if has yosys; then
    yosys -q -p "read_verilog -sv -defer rtl/*.sv generated/c$bits/*.sv;
      hierarchy -check -top polynomial_multiplier -chparam C $bits -chparam N 32" ||
      complain "$bits bits: Yosys complains"
  fi
done

((failures == 0)) || { printf '%d failures\n' "$failures"; exit 1; }
echo "every module is clean: ${tools[*]}"
