#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tool and the tests on emulated processors (QEMU's user mode): Nehalem, of 2008, which has
# neither AVX nor AES instructions, and Haswell, of 2013, which has AVX2 and not AVX-512. What is
# built here must work on both, with the kernel that fits.
#
#   tests/emulated/run.sh BUILD_DIR
#
# Exit status 77 where there is no emulator: the test is skipped.
set -euo pipefail

build=$(cd "${1:?usage: tests/emulated/run.sh BUILD_DIR}" && pwd)
readonly skipped=77
if ! command -v qemu-x86_64 > /dev/null; then
  echo "emulated: skipped, qemu-x86_64 is missing; install the package qemu-user"
  exit $skipped
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  printf 'emulated: %s\n' "$*" >&2
  exit 1
}

# on PROCESSOR COMMAND...: QEMU names at every start what of a model it does not emulate.
on() {
  local status=0
  qemu-x86_64 -cpu "$1" "${@:2}" 2> "$scratch/stderr" || status=$?
  grep -v "TCG doesn't support requested feature" "$scratch/stderr" >&2 || true
  return "$status"
}

runs_avx2() { (on "$1" "$build/tests/emulated/newer_instruction") > /dev/null 2>&1; }
if runs_avx2 Nehalem; then fail "this emulator runs AVX2 on a Nehalem: it would prove nothing"; fi
runs_avx2 Haswell || fail "this emulator lacks AVX2: install QEMU 7.2 or later"

# tool PROCESSOR ARGUMENTS...
tool() { on "$1" "$build/apps/cli/fhe" "${@:2}"; }

# chooses PROCESSOR KERNEL: what a user sees of the default backend. `fhe backends` asks another process
# of the tool for it, which would not be emulated.
chooses() {
  tool "$1" backends describe auto --json > "$scratch/backends"
  grep "kernel $2," "$scratch/backends" ||
    { cat "$scratch/backends"; fail "a $1 should run the kernel $2"; }
}

# refuses PROCESSOR KERNEL: an instruction set that is asked for and not there is an error.
refuses() {
  if tool "$1" keygen --backend "auto:kernel=$2" --params cnt-mini --out "$scratch/refused" \
    > "$scratch/output" 2>&1; then
    fail "a $1 accepted the kernel $2"
  fi
  grep "cannot run the kernel '$2'" "$scratch/output" || { cat "$scratch/output"; fail "no reason given"; }
}

# computes PROCESSOR GROUP: 1 and 1, 1 and 0, refreshed and decrypted.
computes() {
  local processor=$1 group=$2 dir=$scratch/$1-$2 bits
  mkdir "$dir"
  tool "$processor" keygen --params "$group" --out "$dir" 2> /dev/null
  tool "$processor" encrypt --key "$dir/public.fhe" --bits 11 --out "$dir/a.fhe"
  tool "$processor" encrypt --key "$dir/public.fhe" --bits 10 --out "$dir/b.fhe"
  tool "$processor" eval --key "$dir/public.fhe" and "$dir/a.fhe" "$dir/b.fhe" --out "$dir/and.fhe"
  tool "$processor" recrypt --key "$dir/public.fhe" "$dir/and.fhe" --out "$dir/fresh.fhe"
  bits=$(tool "$processor" decrypt --key "$dir/secret.fhe" "$dir/fresh.fhe")
  [[ $bits == 10 ]] || fail "11 and 10 is '$bits' on a $processor, with $group"
}

# passes PROCESSOR KERNELS...: the engine and the conformance of its backends; emulated, they take a minute or two.
passes() {
  local processor=$1 kernel
  on "$processor" "$build/tests/fhe_tests" '[goldilocks]~[long]'
  tool "$processor" backends test ntl
  for kernel in "${@:2}"; do
    tool "$processor" backends test "auto:kernel=$kernel"
    tool "$processor" backends test "solinas:kernel=$kernel"
  done
}

for processor in Nehalem Haswell; do
  printf '== %s\n' "$processor"
  kernels=(portable)
  if [[ $processor == Nehalem ]]; then
    chooses $processor portable
    refuses $processor avx2
  else
    chooses $processor avx2
    kernels+=(avx2)
  fi
  refuses $processor avx512
  refuses $processor ifma
  computes $processor cnt-mini
  computes $processor cnt-toy
  passes $processor "${kernels[@]}"
done
echo "emulated: all is well"
