#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks SystemVerilog with slang (PyPI: pyslang): prints what it reports, and fails if it reports anything.

    tests/accel/slang_lint.py OPTION|SOURCE...    as for the program `slang`
"""

import shlex
import sys

from pyslang import driver


def main():
    slang = driver.Driver()
    slang.addStandardArgs()
    options = ["slang", "--std=1800-2017", "-Wno-unconnected-port", *sys.argv[1:]]
    if not (slang.parseCommandLine(shlex.join(options)) and slang.processOptions() and slang.parseAllSources()):
        return 1
    slang.reportCompilation(slang.createCompilation(), True)
    reports = slang.diagEngine.numErrors + slang.diagEngine.numWarnings
    return 1 if reports else 0


sys.exit(main())
