#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds for AArch64 and runs what is built on an emulated Neoverse N1 (QEMU's user mode): the tool, the conformance
# suite with both of its kernels, and the tests of the engine and of the contract.
#
#   tests/emulated/aarch64.sh BUILD_DIR
#
# BUILD_DIR/aarch64 keeps the cross-compiled build, and the Debian with the libraries that it links: mmdebstrap fetches
# them from the mirror of this machine's apt, and runs nothing of them. Exit status 77 where the cross compiler, the
# emulator or the mirror is missing: the test is skipped.
set -euo pipefail

folder=$(cd "${1:?usage: tests/emulated/aarch64.sh BUILD_DIR}" && pwd)/aarch64
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/emulated/common.sh
source "$source/tests/emulated/common.sh"
for program in aarch64-linux-gnu-g++ qemu-aarch64 mmdebstrap; do
  command -v "$program" > /dev/null ||
    skip "$program is missing (Debian: apt-get install g++-aarch64-linux-gnu qemu-user mmdebstrap)"
done

readonly root=$folder/debian build=$folder/build
readonly libraries=libc6-dev,libstdc++-12-dev,libntl-dev,libgmp-dev,libssl-dev,libtbb-dev,libfmt-dev,libspdlog-dev,libcli11-dev,nlohmann-json3-dev,catch2
if [[ ! -d $root ]]; then
  mkdir -p "$folder"
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$libraries" bookworm "$scratch/debian" \
    > "$scratch/log" 2>&1 || { tail -n 5 "$scratch/log"; skip 'the mirror gives no Debian 12 for arm64'; }
  mv "$scratch/debian" "$root"
fi

export FHE_AARCH64_ROOT=$root
cmake --preset release -S "$source" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$source/tests/emulated/aarch64.cmake" \
  -DFHE_OUTSOURCE=OFF -DFHE_PYTHON=OFF -DFHE_CLUSTER=OFF -DFHE_FLINT=OFF -DFHE_BENCH=OFF -DFHE_FAKE_XDMA=OFF \
  > "$scratch/log" 2>&1 || { cat "$scratch/log"; fail 'not configured'; }
cmake --build "$build" --target fhe_cli fhe_tests > "$scratch/log" 2>&1 ||
  { tail -n 30 "$scratch/log"; fail 'not built'; }

on() { qemu-aarch64 -cpu "$1" -L "$root" "${@:2}"; }

processor=neoverse-n1
chooses $processor neon
refuses $processor avx2
computes $processor cnt-mini
computes $processor cnt-toy
passes $processor portable neon
files='' # of the tests of vector code, those cases that are not long
for file in streams_test spectral_sums_test field_operations_test three_primes_plan_test; do
  files+="${files:+,}[#$file]~[long]"
done
on $processor "$build/tests/fhe_tests" --filenames-as-tags "$files"
echo "emulated: all is well"
