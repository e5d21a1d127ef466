#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Yosys and nextpnr-ecp5 do not do for route.sh: registers around a module, and a row of the table.

  placement.py shell NETLIST DESIGN    DESIGN is NETLIST, whose top is the module, with the shell as its top
  placement.py row REPORT DESIGN       the cells of the table's row, from what nextpnr reported of DESIGN

The shell has three pins: the clock of the module, `clk`; one from which a chain of registers feeds the other inputs;
and one to which a chain carries the outputs: each output has a register, and another in the chain that takes the
exclusive or of it and its neighbour. So any number of ports fits any package, and the paths of every port are timed
from or to a register. The module is synthesized before, without the shell.
"""

import json
import re
import sys

CLOCK = "clk"
INSTANCE = "module"
FED, TAKEN, CHAINED = "fed", "taken", "chained"
XOR_OF_A_AND_B = format(0x6666, "016b")


def cell(kind, parameters, connections, outputs):
    return {
        "hide_name": 0, "type": kind, "parameters": parameters, "attributes": {},
        "port_directions": {port: "output" if port in outputs else "input" for port in connections},
        "connections": {port: [net] for port, net in connections.items()},
    }


def register(clock, data, output):
    # A text of digits alone would be a number, so that "1" has a space behind it.
    parameters = {"GSR": "DISABLED", "CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET"}
    return cell("TRELLIS_FF", parameters, {"CLK": clock, "LSR": "0", "DI": data, "Q": output}, "Q")


def shell(ports, module):
    """The module of the shell around one with these ports."""
    cells = {}
    clock, first = 2, 3  # nets are numbers, those below 2 constants
    newest = first
    wires = {}
    for name, port in ports.items():
        wires[name] = []
        for bit in range(len(port["bits"])):
            if name == CLOCK:
                wires[name].append(clock)
                continue
            newest += 1
            wires[name].append(newest)
    feeding = first
    for name, port in ports.items():
        if port["direction"] == "input" and name != CLOCK:
            for bit, net in enumerate(wires[name]):
                cells[f"{FED}.{name}[{bit}]"] = register(clock, feeding, net)
                feeding = net
    carried = "0"
    for name, port in ports.items():
        if port["direction"] == "output":
            for bit, net in enumerate(wires[name]):
                taken, mixed, chained = newest + 1, newest + 2, newest + 3
                newest += 3
                cells[f"{TAKEN}.{name}[{bit}]"] = register(clock, net, taken)
                cells[f"mixed.{name}[{bit}]"] = cell(
                    "LUT4", {"INIT": XOR_OF_A_AND_B},
                    {"A": taken, "B": carried, "C": "0", "D": "0", "Z": mixed}, "Z")
                cells[f"{CHAINED}.{name}[{bit}]"] = register(clock, mixed, chained)
                carried = chained
    cells[INSTANCE] = {
        "hide_name": 0, "type": module, "parameters": {}, "attributes": {},
        "port_directions": {name: port["direction"] for name, port in ports.items()},
        "connections": wires,
    }
    pins = {CLOCK: ("input", clock), "in": ("input", first), "out": ("output", carried)}
    return {
        "attributes": {"top": format(1, "032b")},
        "ports": {name: {"direction": way, "bits": [net]} for name, (way, net) in pins.items()},
        "cells": cells,
        "netnames": {name: {"hide_name": 0, "bits": [net], "attributes": {}} for name, (_, net) in pins.items()},
    }


def is_top(module):
    return int(module["attributes"].get("top", "0"), 2) == 1


def put_into_shell(design):
    top = next(name for name, module in design["modules"].items() if is_top(module))
    module = design["modules"][top]
    del module["attributes"]["top"]
    design["modules"]["shell"] = shell(module["ports"], top)


def place_in_source(cell_name):
    """The signal or port that a cell of the placed design stands for."""
    name = re.sub(r"\$(nextpnr|CCU2|DPRAM).*$", "", cell_name)
    for part, text in ((FED, "input "), (TAKEN, "output "), (INSTANCE, "")):
        if name.startswith(f"{part}."):
            name = text + name[len(part) + 1:]
    name = re.sub(r"(_(TRELLIS_\w+?|LUT4|PFUMX|L6MUX21|CCU2C|MULT18X18D|DP16KD)_[A-Z]+\d*(_\d+)?)+.*$", "", name)
    name = re.sub(r"(\[\d+\]|(\.\d+){2})$", "", name)
    return f"`{name}`"


def row(report, design):
    used = {kind: count["used"] for kind, count in report["utilization"].items()}
    ours = [kind["type"] for kind in design["modules"]["shell"]["cells"].values()]
    paths = [path for path in report["critical_paths"]
             if path["from"] == path["to"] and path["from"].startswith("posedge")]
    steps = paths[0]["path"]
    delay = {kind: sum(step["delay"] for step in steps if (step["type"] == "routing") == (kind == "wires"))
             for kind in ("logic", "wires")}
    frequency = min(clock["achieved"] for clock in report["fmax"].values())
    return [
        f"{used['TRELLIS_COMB'] - ours.count('LUT4'):,}",
        f"{used['TRELLIS_FF'] - ours.count('TRELLIS_FF'):,}",
        used["MULT18X18D"], used["DP16KD"], f"{frequency:.0f}",
        f"{place_in_source(steps[0]['from']['cell'])} to {place_in_source(steps[-1]['to']['cell'])}",
        f"{delay['logic']:.1f} + {delay['wires']:.1f}",
    ]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    action, first, second = sys.argv[1:]
    if action == "shell":
        design = load(first)
        put_into_shell(design)
        with open(second, "w", encoding="utf-8") as file:
            json.dump(design, file)
    else:
        print(*row(load(first), load(second)), sep=" | ")


if __name__ == "__main__":
    main()
