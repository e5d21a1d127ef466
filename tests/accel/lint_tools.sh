# SPDX-License-Identifier: Apache-2.0
# Sourced by the checks of the RTL: `has verilator`, `has yosys` and `has slang`; `slang`, `in_background`,
# `check_results`. Exits with 77, skipped, with none of these tools.
slang_lint=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/slang_lint.py
slang() { python3 "$slang_lint" "$@"; }
is_installed() {
  case $1 in
    slang) python3 -c 'import pyslang.driver' 2> /dev/null ;;
    *) command -v "$1" > /dev/null ;;
  esac
}
tools=()
for tool in verilator yosys slang; do
  if is_installed "$tool"; then
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
