#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the cells of code of a notebook, as one program:  tests/packaging/cells.py NOTEBOOK.ipynb"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    cells = json.load(file)["cells"]
code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
assert code, "no cells of code"
print("\n\n".join(code))
