# SPDX-License-Identifier: Apache-2.0
# Sourced by the checks of the RTL: `has verilator` and `has yosys`; `in_background`, `check_results`. Exits with
# 77, skipped, with neither tool.
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
trap 'wait; rm -r "$scratch"' EXIT

complain() { printf '%s\n' "$*" >> "$scratch/complaints"; }

# in_background COMPLAINT COMMAND...: runs it beside others, at most one for each core. When it fails, what it
# printed and the complaint are kept for check_results.
jobs_begun=0
in_background() {
  local complaint=$1 log
  shift
  jobs_begun=$((jobs_begun + 1))
  log=$scratch/log_$jobs_begun
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
  { "$@" > "$log" 2>&1 || complain "$(cat "$log")"$'\n'"$complaint"; } &
}

# Waits for all, prints every complaint and fails when there is one.
check_results() {
  wait
  if [[ -s $scratch/complaints ]]; then
    cat "$scratch/complaints"
    exit 1
  fi
  echo "every module is clean: ${tools[*]}"
}
