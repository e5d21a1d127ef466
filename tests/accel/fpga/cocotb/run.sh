#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a module of the hardware under the AXI models of cocotbext-axi, in Icarus Verilog: bench.py.
#
#   tests/accel/fpga/cocotb/run.sh --install            gets cocotb and cocotbext-axi from the Python index, into
#                                                       build/cocotb
#   tests/accel/fpga/cocotb/run.sh MODULE FOLDER        FOLDER is for what the simulator makes
#
# Exit status 77 where something is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here tools=$here/../../../../build/cocotb
if [[ ${1-} == --install ]]; then
  python3 -m venv "$tools"
  exec "$tools/bin/pip" install --quiet cocotb==1.9.2 cocotbext-axi==0.1.28
fi
python=python3
if [[ -x $tools/bin/python ]]; then python=$tools/bin/python; fi
exec "$python" "$here/bench.py" "$@"
