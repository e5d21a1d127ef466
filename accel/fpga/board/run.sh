#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the shell of a card: acorn.py, with the packages of requirements.txt.
#
#   accel/fpga/board/run.sh --install      gets them from the Python index, into build/litex
#   accel/fpga/board/run.sh --check        says whether they are there
#   accel/fpga/board/run.sh ARGUMENT...    runs acorn.py (`run.sh --help`)
#
# Exit status 77 where a package is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here tools=$here/../../../build/litex
if [[ ${1-} == --install ]]; then
  python3 -m venv "$tools"
  exec "$tools/bin/pip" install --quiet --requirement "$here/requirements.txt"
fi
python=python3
if [[ -x $tools/bin/python ]]; then python=$tools/bin/python; fi
if ! "$python" -c 'import litedram, litepcie, litex_boards, pythondata_cpu_vexriscv, pythondata_software_picolibc' 2> /dev/null; then
  echo 'no shell is made: LiteX is missing; accel/fpga/board/run.sh --install gets it from the Python index'
  exit 77
fi
if [[ ${1-} == --check ]]; then exit; fi
exec "$python" -B "$here/acorn.py" "$@"
