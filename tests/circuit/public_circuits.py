#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `fhe run --plain` with a simulator of its own on the public collections of circuits.

  public_circuits.py fetch FOLDER                  clones the collections, and converts with berkeley-abc, if it is there
  public_circuits.py check FOLDER [--fhe PROGRAM]  reads and runs every file, and prints a table

FOLDER is outside the source tree. The simulator shares no code with the product: it reads BLIF, AIGER, Bristol Fashion,
the older Bristol format and JSON of Yosys by their specifications, and computes in Python's integers. Inputs are random,
one value for each clock cycle; a circuit without registers computes anew in each. Of every file the words, their
widths and all outputs of all cycles are compared.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys

REPOSITORIES = [
    "https://github.com/ispras/hdl-benchmarks",
    "https://github.com/lsils/benchmarks",
    "https://github.com/mkskeller/bristol-fashion",
    "https://github.com/KULeuven-COSIC/SCALE-MAMBA",
    "https://github.com/emp-toolkit/emp-tool",
    "https://github.com/encryptogroup/MOTION",
    "https://github.com/arminbiere/aiger",
    "https://github.com/virtualsecureplatform/Iyokan",
]

COLLECTIONS = [
    ("Bristol, old and new", ["bristol-fashion/*.txt", "SCALE-MAMBA/Circuits/Bristol/*.txt",
                              "SCALE-MAMBA/Circuits/Float/*.txt", "emp-tool/**/bristol_*/*.txt",
                              "MOTION/circuits/**/*.bristol"]),
    ("EPFL", ["benchmarks/**/*.aig", "benchmarks/**/*.blif"]),
    ("MCNC, combinational", ["hdl-benchmarks/mcnc/Combinational/blif/*.blif"]),
    ("MCNC, sequential", ["hdl-benchmarks/mcnc/Sequential/**/*.blif"]),
    ("LGSynth'91", ["hdl-benchmarks/lgsynth91/blif/*.blif"]),
    ("ISCAS'89 of IWLS'05", ["hdl-benchmarks/iwls05/iscas/blif/*.blif"]),
    ("examples of AIGER", ["aiger/**/*.aag", "aiger/**/*.aig", "aiger/**/*.blif"]),
    ("ISCAS'85, '89 and PLA by ABC", ["converted/*.blif"]),
    ("ISCAS'89 by ABC, AIGER", ["converted/*.aig"]),
    ("Yosys JSON of Iyokan", ["Iyokan/test/yosys-json/*.json"]),
]

NO_CIRCUITS = ["License", "README"]

CYCLES = 6
SECONDS = 600


class Unreadable(Exception):
    """What this simulator does not read; the product may."""


class Circuit:
    """Nets of any names. A function maps the values of its nets to one; a register is (next, value, initial)."""

    def __init__(self):
        self.inputs = []  # (word, nets)
        self.outputs = []
        self.functions = {}  # net -> (nets, function of their values and of the mask)
        self.registers = []

    def order(self):
        """The driven nets, each behind those that it needs."""
        known = {net for _, nets in self.inputs for net in nets} | {value for _, value, _ in self.registers}
        order = []
        for start in self.functions:
            path = [start]
            while path:
                net = path[-1]
                missing = [] if net in known else [x for x in self.functions[net][0] if x not in known]
                if missing:
                    if len(path) > len(self.functions) + 1:
                        raise Unreadable("a cycle")
                    path.extend(missing)
                    continue
                path.pop()
                if net not in known:
                    known.add(net)
                    order.append(net)
        return order

    def run(self, values):
        """Outputs by word and cycle, for inputs by word and cycle."""
        order = self.order()
        if self.registers:
            return self.run_cycles(order, values)
        # All cycles at once: bit t of a net is its value in cycle t.
        count = len(values[0]) if values else CYCLES
        mask = (1 << count) - 1
        state = {}
        for (_, nets), words in zip(self.inputs, values):
            for k, net in enumerate(nets):
                state[net] = sum((word >> k & 1) << t for t, word in enumerate(words))
        self.compute(order, state, mask)
        return [[sum((state[net] >> t & 1) << k for k, net in enumerate(nets)) for t in range(count)]
                for _, nets in self.outputs]

    def run_cycles(self, order, values):
        held = {value: initial for _, value, initial in self.registers}
        results = [[] for _ in self.outputs]
        for t in range(len(values[0]) if values else CYCLES):
            state = dict(held)
            for (_, nets), words in zip(self.inputs, values):
                for k, net in enumerate(nets):
                    state[net] = words[t] >> k & 1
            self.compute(order, state, 1)
            for result, (_, nets) in zip(results, self.outputs):
                result.append(sum(state[net] << k for k, net in enumerate(nets)))
            held = {value: state[following] for following, value, _ in self.registers}
        return results

    def compute(self, order, state, mask):
        for net in order:
            nets, function = self.functions[net]
            state[net] = function([state[x] for x in nets], mask)


def as_words(names):
    """Words of listed bits (name, net): name[3] is a bit of `name`."""
    words = {}
    for name, net in names:
        match = re.fullmatch(r"(.+)\[(-?\d+)\]", name)
        words.setdefault(match[1] if match else name, []).append(net)
    return list(words.items())


def cover(rows, value):
    def function(x, mask):
        total = 0
        for row in rows:
            term = mask
            for character, bit in zip(row, x):
                if character != "-":
                    term &= bit if character == "1" else bit ^ mask
            total |= term
        return total if value else total ^ mask

    return function


def read_blif(text):
    circuit = Circuit()
    inputs, outputs, clocks, latches = [], [], set(), []
    names, rows, value = None, [], True

    def close():
        nonlocal names, rows, value
        if names is not None:
            circuit.functions[names[-1]] = (names[:-1], cover(rows, value))
        names, rows, value = None, [], True

    text = re.sub(r"#[^\n]*", "", text.decode("latin-1"))
    for line in re.sub(r"\\[ \t\r]*\n", " ", text).splitlines():
        words = line.split()
        if not words:
            continue
        if not words[0].startswith("."):
            if names is None:
                raise Unreadable("a row outside a table")
            rows.append(words[0] if len(words) == 2 else "")
            value = words[-1] == "1"
            continue
        close()
        if words[0] == ".inputs":
            inputs += words[1:]
        elif words[0] == ".outputs":
            outputs += words[1:]
        elif words[0] == ".names":
            names = words[1:]
        elif words[0] == ".latch":
            latches.append((words[1], words[2], int(words[-1] == "1" and len(words) % 2 == 0)))
            if len(words) > 4 and words[4] != "NIL":
                clocks.add(words[4])
        elif words[0] in (".end", ".exdc"):
            break
        elif words[0] in (".subckt", ".gate", ".mlatch"):
            raise Unreadable(words[0])
    close()
    circuit.registers = latches
    circuit.inputs = as_words([(name, name) for name in inputs if name not in clocks])
    circuit.outputs = as_words([(name, name) for name in outputs])
    return circuit


def read_aiger(data):
    circuit = Circuit()
    head, _, rest = data.partition(b"\n")
    words = head.split()
    counts = [int(word) for word in words[1:]] + [0] * 9
    _, inputs, latches, outputs, ands, bad, constraints, justice, fairness = counts[:9]
    if justice or fairness:
        raise Unreadable("justice or fairness")
    binary = words[0] == b"aig"

    def line():
        nonlocal rest
        first, _, rest = rest.partition(b"\n")
        return [int(word) for word in first.split()]

    circuit.functions[0] = ([], lambda x, mask: 0)

    def literal(number_of):
        """A net with the value of a literal."""
        if number_of % 2:
            circuit.functions[number_of] = ([number_of - 1], lambda x, mask: x[0] ^ mask)
        return number_of

    input_nets = [2 * (i + 1) for i in range(inputs)] if binary else [line()[0] for _ in range(inputs)]
    for i in range(latches):
        found = ([2 * (inputs + i + 1)] if binary else []) + line()
        initial = int(len(found) > 2 and found[2] == 1)
        circuit.registers.append((literal(found[1]), found[0], initial))
    roots = [literal(line()[0]) for _ in range(outputs + bad + constraints)]
    position = 0

    def delta():
        """The next number of binary data: 7 bits in each byte, the lowest first."""
        nonlocal position
        value = shift = 0
        while True:
            byte = rest[position]
            position += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    for i in range(ands):
        if binary:
            driven = 2 * (inputs + latches + i + 1)
            first = driven - delta()
            second = first - delta()
        else:
            driven, first, second = line()
        circuit.functions[driven] = ([literal(first), literal(second)], GATES["AND"])
    symbols = {}
    for symbol in rest[position:].split(b"\n"):
        if symbol == b"c" or b" " not in symbol:
            break
        key, _, name = symbol.partition(b" ")
        symbols[key.decode()] = name.decode("latin-1")

    def names(kind, count, word):
        named = [symbols.get(f"{kind}{i}") for i in range(count)]
        return named if any(named) else [f"{word}[{i}]" for i in range(count)]

    listed = names("o", outputs, "out")
    listed += [symbols.get(f"b{i}", f"bad{i}") for i in range(bad)]
    listed += [symbols.get(f"c{i}", f"constraint{i}") for i in range(constraints)]
    circuit.inputs = as_words(list(zip(names("i", inputs, "in"), input_nets)))
    circuit.outputs = as_words(list(zip(listed, roots)))
    return circuit


GATES = {
    "XOR": lambda x, mask: x[0] ^ x[1],
    "AND": lambda x, mask: x[0] & x[1],
    "OR": lambda x, mask: x[0] | x[1],
    "INV": lambda x, mask: x[0] ^ mask,
    "NOT": lambda x, mask: x[0] ^ mask,
    "EQW": lambda x, mask: x[0],
}


def read_bristol(text):
    circuit = Circuit()
    lines = [line.split() for line in text.decode("latin-1").splitlines()]
    lines = [words for words in lines if words]
    wires = int(lines[0][1])
    if lines[2][-1].isdigit():
        widths = [[int(word) for word in lines[k][1:]] for k in (1, 2)]
        gates = lines[3:]
    else:
        first, second, last = (int(word) for word in lines[1])
        widths = [[width for width in (first, second) if width], [last]]
        gates = lines[2:]
    for words in gates:
        if words[-1] == "MAND":
            count = int(words[1])
            for k in range(count):
                pair = [int(words[2 + k]), int(words[2 + count + k])]
                circuit.functions[int(words[2 + 2 * count + k])] = (pair, GATES["AND"])
        elif words[-1] == "EQ":
            bit = int(words[2])
            circuit.functions[int(words[3])] = ([], lambda x, mask, bit=bit: mask if bit else 0)
        else:
            count = int(words[0])
            circuit.functions[int(words[2 + count])] = ([int(w) for w in words[2:2 + count]], GATES[words[-1]])

    def words_from(first, widths_of, name):
        result = []
        for k, width in enumerate(widths_of):
            result.append((f"{name}{k}", list(range(first, first + width))))
            first += width
        return result

    circuit.inputs = words_from(0, widths[0], "in")
    circuit.outputs = words_from(wires - sum(widths[1]), widths[1], "out")
    return circuit


CELLS = {
    "$_BUF_": ("A", lambda x, mask: x[0]),
    "$_NOT_": ("A", lambda x, mask: x[0] ^ mask),
    "$_AND_": ("AB", lambda x, mask: x[0] & x[1]),
    "$_NAND_": ("AB", lambda x, mask: (x[0] & x[1]) ^ mask),
    "$_OR_": ("AB", lambda x, mask: x[0] | x[1]),
    "$_NOR_": ("AB", lambda x, mask: (x[0] | x[1]) ^ mask),
    "$_XOR_": ("AB", lambda x, mask: x[0] ^ x[1]),
    "$_XNOR_": ("AB", lambda x, mask: x[0] ^ x[1] ^ mask),
    "$_ANDNOT_": ("AB", lambda x, mask: x[0] & (x[1] ^ mask)),
    "$_ORNOT_": ("AB", lambda x, mask: x[0] | (x[1] ^ mask)),
    "$_MUX_": ("ABS", lambda x, mask: (x[1] & x[2]) | (x[0] & (x[2] ^ mask))),
    "$_NMUX_": ("ABS", lambda x, mask: ((x[1] & x[2]) | (x[0] & (x[2] ^ mask))) ^ mask),
    "$_AOI3_": ("ABC", lambda x, mask: ((x[0] & x[1]) | x[2]) ^ mask),
    "$_OAI3_": ("ABC", lambda x, mask: ((x[0] | x[1]) & x[2]) ^ mask),
}


def read_yosys(text):
    circuit = Circuit()
    modules = json.loads(text).get("modules", {})
    tops = [m for m in modules.values() if int(str(m.get("attributes", {}).get("top", "0")), 2)]
    if len(tops or modules) != 1:
        raise Unreadable("no top")
    module = tops[0] if tops else next(iter(modules.values()))
    circuit.functions["0"] = ([], lambda x, mask: 0)
    circuit.functions["x"] = ([], lambda x, mask: 0)
    circuit.functions["1"] = ([], lambda x, mask: mask)
    clocks = set()
    initial = {}
    for item in module.get("netnames", {}).values():
        bits = str(item.get("attributes", {}).get("init", ""))
        for net, bit in zip(item["bits"], reversed(bits)):
            initial[net] = int(bit == "1")
    for cell in module["cells"].values():
        at = {port: bits[0] for port, bits in cell["connections"].items()}
        if cell["type"] in CELLS:
            ports, function = CELLS[cell["type"]]
            circuit.functions[at["Y"]] = ([at[port] for port in ports], function)
        elif cell["type"] in ("$_DFF_P_", "$_DFF_N_"):
            clocks.add(at["C"])
            circuit.registers.append((at["D"], at["Q"], initial.get(at["Q"], 0)))
        elif re.fullmatch(r"\$_SDFF_[PN][PN][01]_", cell["type"]):
            clocks.add(at["C"])
            _, high, value = cell["type"][7:-1]
            following = ("next", at["Q"])
            set_to = int(value)

            def choose(x, mask, high=high, set_to=set_to):
                reset = x[1] if high == "P" else x[1] ^ mask
                return (x[0] & (reset ^ mask)) | (reset if set_to else 0)

            circuit.functions[following] = ([at["D"], at["R"]], choose)
            circuit.registers.append((following, at["Q"], initial.get(at["Q"], 0)))
        else:
            raise Unreadable(cell["type"])
    for name, port in module["ports"].items():
        if port["direction"] == "output":
            circuit.outputs.append((name, port["bits"]))
        elif port["bits"][0] not in clocks:
            circuit.inputs.append((name, port["bits"]))
    return circuit


def read(path):
    data = path.read_bytes()
    if path.suffix in (".aag", ".aig"):
        return read_aiger(data)
    readers = {".blif": read_blif, ".json": read_yosys}
    return readers.get(path.suffix, read_bristol)(data)


def call(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=SECONDS, errors="replace")


def reason_of(message, path):
    """Why a file was refused, without what is of this file alone."""
    message = message.strip().splitlines()[-1].replace(str(path), "FILE")
    message = re.sub(r"^fhe: error: (FILE:\d+: )?", "", message)
    return re.sub(r"'[^']*'", "'...'", message)[:100]


def compare(path, program, generator):
    """(kind, detail) of one file: right, wrong, refused or `not simulated`."""
    info = call(program, "circuit", "info", "--json", str(path))
    if info.returncode:
        return "refused", reason_of(info.stderr, path)
    facts = json.loads(info.stdout)
    try:
        circuit = read(path)
        words = [[(word["name"], word["width"]) for word in facts[side]] for side in ("inputs", "outputs")]
        expected_words = [[(name, len(nets)) for name, nets in side] for side in (circuit.inputs, circuit.outputs)]
        if words != expected_words or facts["registers"] != len(circuit.registers):
            return "wrong", "other words or registers"
        values = [[generator.getrandbits(len(nets)) for _ in range(CYCLES)] for _, nets in circuit.inputs]
        expected = circuit.run(values)
    except (Unreadable, KeyError, IndexError, ValueError) as error:
        return "not simulated", f"{type(error).__name__}: {error}"
    arguments = ["run", str(path), "--plain", "--cycles", str(CYCLES), "--every-cycle"]
    for words_of_input in values:
        arguments += ["--input", ",".join(hex(word) for word in words_of_input)]
    run = call(program, *arguments)
    if run.returncode:
        return "wrong", run.stderr.strip()[-100:]
    found = [[int(word, 16) for word in line.rsplit(" = ", 1)[1].split(",")] for line in run.stdout.splitlines()]
    return ("right", "") if found == expected else ("wrong", "other outputs")


def check(folder, program, seed):
    totals = collections.Counter()
    reasons = []
    print(f"{'collection':32}{'files':>7}{'read':>7}{'right':>7}")
    for title, patterns in COLLECTIONS:
        paths = sorted({path for pattern in patterns for path in folder.glob(pattern) if path.stem not in NO_CIRCUITS})
        if not paths:
            continue
        counts = collections.Counter(files=len(paths))
        refused = collections.Counter()
        for path in paths:
            kind, detail = compare(path, program, random.Random(f"{seed}/{path.name}"))
            counts[kind] += 1
            counts["read"] += kind != "refused"
            if kind == "refused":
                refused[detail] += 1
            elif kind != "right":
                print(f"{kind}: {path.relative_to(folder)}: {detail}", file=sys.stderr)
        totals += counts
        reasons += [(title, reason, count) for reason, count in refused.most_common()]
        print(f"{title:32}{counts['files']:7}{counts['read']:7}{counts['right']:7}", flush=True)
    print(f"{'all':32}{totals['files']:7}{totals['read']:7}{totals['right']:7}")
    for title, reason, count in reasons:
        print(f"refused: {count} of {title}: {reason}")
    return 1 if totals["wrong"] else 0


def convert(folder):
    """BLIF of all bench and PLA files, and AIGER of bench files with registers, by ABC."""
    out = folder / "converted"
    out.mkdir(exist_ok=True)
    for path in sorted([*folder.glob("hdl-benchmarks/iscas8*/bench/*.bench"),
                        *folder.glob("hdl-benchmarks/lgsynth91/pla/*.pla")]):
        read_it = f"read_{path.suffix[1:]} {path}"
        commands = [f"{read_it}; write_blif {out / path.stem}.blif"]
        if path.suffix == ".bench" and b"DFF" in path.read_bytes():
            commands.append(f"{read_it}; strash; write_aiger -s {out / path.stem}.aig")
        for command in commands:
            call("berkeley-abc", "-q", command)


def fetch(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for url in REPOSITORIES:
        if not (folder / url.rsplit("/", 1)[1]).exists():
            subprocess.run(["git", "-C", folder, "clone", "--quiet", "--depth", "1", url], check=True)
    try:
        convert(folder)
    except FileNotFoundError:
        print("berkeley-abc is not installed: bench and PLA files are left out", file=sys.stderr)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["fetch", "check"])
    parser.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--fhe", default="fhe", help="the program that is checked")
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    if options.mode == "fetch":
        return fetch(options.folder)
    return check(options.folder, options.fhe, options.seed)


if __name__ == "__main__":
    sys.exit(main())
