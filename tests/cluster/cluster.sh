#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs circuits by `mpirun fhe run --engine starpu` and compares with `fhe run`, byte by byte.
#
#   tests/cluster/cluster.sh FHE same          1, 2 and 4 ranks, keys of all schemes
#   tests/cluster/cluster.sh FHE refusals      what cannot be run ends with one clear error
#   tests/cluster/cluster.sh FHE lost [TIMES]  a rank is killed at any moment; others go on
set -euo pipefail
fhe=$1
part=$2
times=${3:-2}
sbox_circuit=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../apps/bench/aes" && pwd)/sbox.blif

# Tests may run as root, and on fewer cores than there are ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}
on_ranks() {
  local ranks=$1
  shift
  mpirun --oversubscribe -n "$ranks" "$fhe" run --engine starpu --threads 1 "$@"
}
# A key of the group, and a byte under it.
prepare() {
  "$fhe" keygen --params "$1" --out "$1" > /dev/null 2> /dev/null
  "$fhe" encrypt --key "$1/public.fhe" --bits 10110010 --out "$1/x.fhe" > /dev/null
  sbox=("$sbox_circuit" --key "$1/public.fhe" --input "$1/x.fhe")
  "$fhe" run "${sbox[@]}" --out "$1/one.fhe" > /dev/null
}

same() {
  local group ranks
  for group in cnt-toy cmnt-toy gh-512; do
    prepare "$group"
    for ranks in 1 2 4; do
      on_ranks "$ranks" "${sbox[@]}" --out "$group/$ranks.fhe" > report
      cmp "$group/one.fhe" "$group/$ranks.fhe" || fail "$ranks ranks give other outputs under $group"
      [[ $(wc -l < report) -eq 2 ]] || fail "the report is not that of one process: $(cat report)"
    done
  done
  # A compiled program, and a report for other programs.
  "$fhe" circuit compile "$sbox_circuit" --key gh-512/public.fhe --out sbox.fhe > /dev/null
  on_ranks 2 sbox.fhe --key gh-512/public.fhe --input gh-512/x.fhe --out again.fhe --json > report
  cmp gh-512/one.fhe again.fhe
  grep -q '"ranks": 2' report || fail "the report does not tell the ranks: $(cat report)"
}

# refuses CODE TEXT COMMAND...: it ends with this exit code, says TEXT once, and writes no output.
refuses() {
  local code=$1 text=$2 status=0
  shift 2
  "$@" > said 2>&1 || status=$?
  [[ $status -eq $code ]] || fail "exit code $status instead of $code: $(cat said)"
  [[ $(grep -c 'fhe: error' said) -eq 1 ]] || fail "not one error: $(cat said)"
  grep 'fhe: error' said | grep -qF -- "$text" || fail "not refused for '$text': $(cat said)"
  [[ ! -e out.fhe ]] || fail "an output is left"
}

refusals() {
  prepare cnt-toy
  prepare cmnt-toy
  refuses 2 'leave out --plain' on_ranks 1 "${sbox[@]}" --memory 10 --out out.fhe
  head -c 5000 cnt-toy/public.fhe > cut.fhe
  refuses 3 'truncated' on_ranks 2 "$sbox_circuit" --key cut.fhe --input cnt-toy/x.fhe --out out.fhe
  refuses 3 'key' on_ranks 2 "$sbox_circuit" --key cmnt-toy/public.fhe --input cnt-toy/x.fhe --out out.fhe
  refuses 5 'missing.blif' on_ranks 2 missing.blif --key cnt-toy/public.fhe --input cnt-toy/x.fhe --out out.fhe
  local start=("$fhe" run --engine starpu --threads 1 "$sbox_circuit" --input cnt-toy/x.fhe --out out.fhe)
  refuses 2 'rank 1' mpirun --oversubscribe -n 1 "${start[@]}" --key cnt-toy/public.fhe : \
    -n 1 "${start[@]}" --key cmnt-toy/public.fhe
}

# Kills one of two ranks at a drawn moment, and goes on with another number of ranks.
lost() {
  prepare cnt-toy
  local i killed=0 resume ranks
  for ((i = 0; i < times; i++)); do
    rm -f out.fhe run.ckpt
    on_ranks 2 "${sbox[@]}" --out out.fhe --checkpoint run.ckpt --checkpoint-interval 0 > said 2>&1 &
    local job=$!
    # Once there is a checkpoint the run has begun; on a busy machine that takes its time.
    while [[ ! -e run.ckpt ]] && kill -0 "$job" 2> /dev/null; do sleep 0.01; done
    sleep "0.$((RANDOM % 4))"
    mapfile -t processes < <(pgrep -f "$fhe run --engine starpu.*$folder|$fhe run --engine starpu" || true)
    ranks=()
    for process in "${processes[@]}"; do
      [[ $(readlink "/proc/$process/cwd" 2> /dev/null) == "$folder" && $(cat "/proc/$process/comm" 2> /dev/null) == fhe ]] &&
        ranks+=("$process")
    done
    ((${#ranks[@]} == 0)) || kill -KILL "${ranks[RANDOM % ${#ranks[@]}]}" 2> /dev/null || true
    if wait "$job"; then
      [[ -e out.fhe ]] || fail "it succeeded without an output"
    else
      killed=$((killed + 1))
      resume=()
      [[ ! -e run.ckpt ]] || resume=(--resume)
      on_ranks $((1 + i % 3)) "${sbox[@]}" --out out.fhe --checkpoint run.ckpt "${resume[@]}" > said 2>&1 ||
        fail "it does not go on: $(cat said)"
    fi
    cmp cnt-toy/one.fhe out.fhe || fail "the output is another one"
    [[ ! -e run.ckpt ]] || fail "the checkpoint is left"
  done
  printf '%s of %s runs lost a rank\n' "$killed" "$times"
}

"$part"
