#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the library holds nothing that is simulated, no server, no fault injector.
#
#   tests/accel/fpga/devices/library.sh LIBRARY
set -euo pipefail

symbols=$(nm --demangle --defined-only "${1:?usage: library.sh LIBRARY}" 2> /dev/null)
# Or this would find nothing in anything.
grep -q 'fhe::fpga::open_transport' <<< "$symbols" || { echo "$1 has no driver of the device"; exit 1; }
if grep -E 'fhe::fpga::(Model|Sim|SocketServer|XdmaNodes|FaultTransport|model_work)|[Vv]erilated' <<< "$symbols"; then
  echo "the library holds what is simulated" >&2
  exit 1
fi
echo "nothing simulated is part of the library"
