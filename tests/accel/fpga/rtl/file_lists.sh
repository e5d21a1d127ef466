#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the lists of the hardware's sources name all of them and nothing else: fhe_rtl.f, which CMake and
# accel/fpga/board read, and fhe_rtl.core.
#
#   tests/accel/fpga/rtl/file_lists.sh            fails if a list is not what it should be
#   tests/accel/fpga/rtl/file_lists.sh --write    writes them
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../../../accel/fpga/rtl"
shopt -s nullglob
modules=(*/*.sv)
headers=(*.svh)

file_list() {
  cat << 'END'
// SPDX-License-Identifier: Apache-2.0
// Every module of this folder, relative to it: `verilator -F fhe_rtl.f --top-module fhe_device`.
// Written by tests/accel/fpga/rtl/file_lists.sh --write.
+incdir+.
END
  printf '%s\n' "${modules[@]}"
}

core() {
  cat << 'END'
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
# Every module of this folder, for FuseSoC. Written by tests/accel/fpga/rtl/file_lists.sh --write.
name: fhe:accel:rtl:0
description: multipliers for homomorphic encryption over the integers, and the device around them
filesets:
  rtl:
    file_type: systemVerilogSource
    files:
END
  printf '      - %s: {is_include_file: true}\n' "${headers[@]}"
  printf '      - %s\n' "${modules[@]}"
  cat << 'END'
parameters:
  ROM_DIR:
    datatype: str
    paramtype: vlogparam
    description: folder of the twiddle factors, with a slash at its end
targets:
  default:
    filesets: [rtl]
    toplevel: fhe_device
    parameters: [ROM_DIR]
  lint:
    filesets: [rtl]
    toplevel: fhe_device
    flow: lint
    flow_options:
      tool: verilator
END
}

if [[ ${1-} == --write ]]; then
  file_list > fhe_rtl.f
  core > fhe_rtl.core
  exit
fi
status=0
diff -u fhe_rtl.f <(file_list) || status=1
diff -u fhe_rtl.core <(core) || status=1
if ((status)); then echo 'a list is not that of the sources: tests/accel/fpga/rtl/file_lists.sh --write'; fi
exit "$status"
