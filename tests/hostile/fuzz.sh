#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzzers of a build, as many at a time as there are processors, and reports on them:
#
#   tests/hostile/fuzz.sh BUILD_DIR MINUTES [TARGET...]
#
# All targets (or those named) share MINUTES evenly. What they learn stays in BUILD_DIR/hostile/corpus
# and is where the next run starts. Fails when there is a finding, and says where it lies.
set -euo pipefail

usage() {
  echo 'usage: tests/hostile/fuzz.sh BUILD_DIR MINUTES [TARGET...]' >&2
  exit 2
}

(($# >= 2)) && [[ $2 =~ ^[0-9]+$ ]] && (($2 > 0)) || usage
build=$(cd "$1" && pwd)
minutes=$2
shift 2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/hostile
cores=$(nproc)

if (($#)); then
  targets=("$@")
else
  mapfile -t targets < <(cd "$build/tests/hostile" &&
    find . -maxdepth 1 -type f -name 'fhe_hostile_*' -executable ! -name '*_write_seeds' |
      sed 's|./fhe_hostile_||' | sort)
fi
((${#targets[@]})) || { echo "no fuzzers in $build: build the preset fuzz" >&2; exit 2; }
parallel=$((cores < ${#targets[@]} ? cores : ${#targets[@]}))
seconds=$((minutes * 60 * parallel / ${#targets[@]}))

# Files on a disk would be most of what reading containers takes.
[[ -d /dev/shm && -w /dev/shm ]] && export TMPDIR=/dev/shm

# A stack that is reused and traces of four calls: twice to five times as many executions.
export ASAN_OPTIONS=detect_stack_use_after_return=0:malloc_context_size=4${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# seeds TARGET: the folders of files that it starts with.
seeds() {
  local data=$source/../data
  case $1 in
    bristol | blif | aiger | yosys_json) echo "$data/hostile/$1" "$data/hostile/circuit" ;;
    container) echo "$data/hostile/$1" "$data/frozen" ;;
    *) echo "$data/hostile/$1" ;;
  esac
}

run() {
  local target=$1 folder
  local program=$build/tests/hostile/fhe_hostile_$target
  local arguments=(-max_total_time="$seconds" -timeout=30 -rss_limit_mb=3072 -print_final_stats=1
    -artifact_prefix="$work/findings/$target/")
  [[ -f $source/dictionaries/$target.dict ]] &&
    arguments+=(-dict="$source/dictionaries/$target.dict")
  mkdir -p "$work/corpus/$target" "$work/findings/$target"
  arguments+=("$work/corpus/$target")
  for folder in $(seeds "$target"); do
    [[ -d $folder ]] && arguments+=("$folder")
  done
  local start=$SECONDS status=0
  "$program" "${arguments[@]}" > "$work/$target.log" 2>&1 || status=$?
  echo "$status $((SECONDS - start))" > "$work/$target.status"
}

mkdir -p "$work"
echo "${#targets[@]} targets, $seconds seconds each, $parallel at a time"
for target in "${targets[@]}"; do
  while (($(jobs -rp | wc -l) >= parallel)); do wait -n || true; done
  run "$target" &
done
wait

printf '\n%-16s %12s %9s %9s\n' target executions seconds findings
failed=()
total=0
for target in "${targets[@]}"; do
  read -r status took < "$work/$target.status"
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log" | tail -n 1)
  ((status == 0)) || failed+=("$target")
  total=$((total + ${executions:-0}))
  printf '%-16s %12s %9s %9s\n' "$target" "${executions:-0}" "$took" "$((status == 0 ? 0 : 1))"
done
printf '%-16s %12s\n' all "$total"

for target in ${failed[@]+"${failed[@]}"}; do
  echo
  echo "FINDING in $target; the end of $work/$target.log:"
  grep -E 'ERROR|runtime error|SUMMARY|FINDING|what\(\)|ALARM' "$work/$target.log" | head -n 5 || true
  while IFS= read -r line; do
    file=${line##*Test unit written to }
    echo "replay it: $build/tests/hostile/fhe_hostile_$target $file"
  done < <(grep 'Test unit written to' "$work/$target.log" || true)
  echo "keep it:   copy it to tests/data/hostile/$target and repair what it shows"
done
((${#failed[@]} == 0))
