#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tool and the tests on emulated processors (QEMU's user mode): Nehalem, of 2008, which has
# neither AVX nor AES instructions, and Haswell, of 2013, which has AVX2 and not AVX-512. What is
# built here must work on both, with the kernel that fits.
#
#   tests/emulated/x86_64.sh BUILD_DIR
#
# Exit status 77 where there is no emulator: the test is skipped.
set -euo pipefail

build=$(cd "${1:?usage: tests/emulated/x86_64.sh BUILD_DIR}" && pwd)
# shellcheck source=tests/emulated/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
command -v qemu-x86_64 > /dev/null || skip 'qemu-x86_64 is missing (Debian: apt-get install qemu-user)'

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
  refuses $processor avxifma
  refuses $processor ifma
  computes $processor cnt-mini
  computes $processor cnt-toy
  passes $processor "${kernels[@]}"
done
echo "emulated: all is well"
