#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tool as on a processor with AVX-IFMA and without AVX-512 (avxifma.cmake): it chooses the kernel, and what it
# computes is right.
#
#   tests/emulated/avxifma.sh TOOL
#
# TOOL is the tool that has the twins of the kernels. Exit status 77 where this processor does not run them: the test is
# skipped.
set -euo pipefail

twin=${1:?usage: tests/emulated/avxifma.sh TOOL}
build=''
# shellcheck source=tests/emulated/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tool() { "$twin" "${@:2}"; }

processor=twin
if tool $processor backends describe auto:kernel=avxifma --json | grep '"usable": false' > /dev/null; then
  skip 'this processor has no AVX-512 with IFMA and VL, or no VAES'
fi
chooses $processor avxifma
refuses $processor avx512
refuses $processor ifma
computes $processor cnt-mini
computes $processor cnt-toy
conforms $processor auto
echo "emulated: all is well"
