# Sourced by the checks of the RTL: `has verilator` and `has yosys`. Exits with 77, skipped, with neither.
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
