#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the library holds nothing of the device, and what speaks to one nothing that is simulated, no server, no
# fault injector.
#
#   tests/accel/fpga/devices/library.sh LIBFHE LIBFHE_FPGA
set -euo pipefail

[[ $# == 2 ]] || { echo 'usage: library.sh LIBFHE LIBFHE_FPGA' >&2; exit 2; }
symbols() { nm --demangle --defined-only "$1" 2> /dev/null; }
# Or these would find nothing in anything.
grep -q 'fhe::open_backend' <<< "$(symbols "$1")" || { echo "$1 is not the library" >&2; exit 1; }
grep -q 'fhe::fpga::open_transport' <<< "$(symbols "$2")" || { echo "$2 has no driver of the device" >&2; exit 1; }

if grep -E 'fhe::(fpga|gpu)::' <<< "$(symbols "$1")"; then
  echo "the library holds what belongs into a plug-in" >&2
  exit 1
fi
if grep -E 'fhe::fpga::(Model|Sim|SocketServer|XdmaNodes|FaultTransport|model_work)|[Vv]erilated' <<< "$(symbols "$2")"; then
  echo "what speaks to a device holds what is simulated" >&2
  exit 1
fi
echo "nothing of a device is part of the library, nothing simulated of what speaks to one"
