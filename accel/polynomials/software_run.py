#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs dslx/*.x as software: the functions that the hardware is generated from, compiled by XLS for this processor.

  accel/polynomials/software_run.py [--size N] [--products COUNT]

Channels and memories are played here, every step of every process is taken by the compiled functions. Products of
random polynomials in all widths are compared with the definition; exit status 1 when one differs. Needs what
generate.py needs; without it the exit status is 77.
"""

import argparse
import pathlib
import random
import sys
import tempfile

sys.dont_write_bytecode = True  # no folder of it between the sources
import generate  # noqa: E402

COEFFICIENT, MODULUS, SIZE = range(3)
SUBTREES = 9


class Module:
    """The compiled functions of one source file, by their names."""

    def __init__(self, xls, name, folder):
        api = xls.c_api
        self.xls = xls
        self.name = name
        text = str(api.convert_dslx_path_to_ir(
            str(folder / f"{name}.x"), api.DSLX_STDLIB_PATH, [str(folder)]))
        self.package = xls.parse_ir_package(text)
        self.compiled = {}

    def __getattr__(self, function):
        if function not in self.compiled:
            mangled = self.xls.mangle_dslx_name(self.name, function)
            self.compiled[function] = self.package.get_function(mangled).to_jit()
        jit = self.compiled[function]
        return lambda *arguments: jit.run(list(arguments))


def number(value):
    """The integer of a bit vector."""
    data = bytes(value.get_bits().to_bytes())
    return int.from_bytes(data, "little")


class Process:
    """A process without memory: one step for each message."""

    def __init__(self, module):
        self.module = module
        self.state = module.initial_state()

    def sends(self, message):
        return True

    def take(self, message):
        """The messages that it sends for one that comes."""
        sent = [self.module.result(self.state, message)] if self.sends(message) else []
        self.state = self.module.next_state(self.state, message)
        return sent


class Join(Process):
    def sends(self, message):
        return number(self.module.sends(message)) == 1


class RememberingProcess(Process):
    """A process with a memory of so many lanes; `kept` is what it keeps of a message."""

    def __init__(self, module, lanes, kept, nothing):
        super().__init__(module)
        self.lanes, self.kept, self.nothing = lanes, kept, nothing
        self.memory = {}

    def place(self, message):
        address, lane = (number(self.at.get_element(i)) for i in range(2))
        return address, lane.bit_length() - 1

    def lanes_at(self, address):
        words = [self.memory.get((address, lane), self.nothing) for lane in range(self.lanes)]
        return self.module.xls.Value.make_tuple(words[::-1])

    def step(self, message):
        self.at = self.locate(message)
        address, lane = self.place(message)
        if number(self.module.keeps(self.state, message)):
            self.memory[address, lane] = self.kept(message)
        sent = []
        if self.sends(message):
            sent.append(self.module.result(self.state, message, self.lanes_at(address)))
        self.state = self.module.next_state(self.state, message)
        return sent

    def take(self, message):
        return self.step(message)


class Split(RememberingProcess):
    def locate(self, message):
        return self.module.place(self.state)

    def take(self, message):
        sent = self.step(message)
        while number(self.state.get_element(3)):  # summing
            sent += self.step(message)
        return sent


class Upward(RememberingProcess):
    def locate(self, message):
        return self.module.place(self.state, message)

    def sends(self, message):
        return number(self.module.sends(self.state, message)) == 1


class Multiplier:
    """The whole of rtl/polynomial_multiplier.sv."""

    def __init__(self, xls, folder, width, size):
        self.xls, self.width = xls, width
        modules = {name: Module(xls, name, folder) for name in generate.PROCESSES}
        zero = self.bits(0, width)
        pair_of_zeros = xls.Value.make_tuple([zero, zero])

        def operands_of(message):
            return xls.Value.make_tuple([message.get_element(1), message.get_element(2)])

        def value_of(message):
            return message.get_element(2)

        def subtree():
            levels = range((size // 4).bit_length() - 1)
            return ([Split(modules["split"], 2, operands_of, pair_of_zeros) for _ in levels]
                    + [Process(modules["leaf"])]
                    + [Upward(modules["combine"], 4, value_of, zero) for _ in levels]
                    + [Upward(modules["pair"], 2, value_of, zero)])

        self.fork = Process(modules["fork"])
        self.subtrees = [subtree() for _ in range(SUBTREES)]
        self.join = Join(modules["join"])

    def bits(self, value, width):
        return self.xls.parse_typed_value(f"bits[{width}]:{value}")

    def quarters(self, kind, a, b):
        lanes = [self.xls.Value.make_array([self.bits(x, self.width) for x in operand])
                 for operand in (a, b)]
        return self.xls.Value.make_tuple([self.bits(kind, 2)] + lanes)

    def through_subtree(self, subtree, message):
        messages = [message]
        for process in subtree:
            messages = [sent for taken in messages for sent in process.take(taken)]
        return messages

    def send(self, kind, a, b):
        """The beats of a product that come out for a message."""
        tuple_of, array_of = self.xls.Value.make_tuple, self.xls.Value.make_array
        products = []
        for branches in self.fork.take(self.quarters(kind, a, b)):
            kind_value, a_lanes, b_lanes = (branches.get_element(i) for i in range(3))
            ends = [self.through_subtree(subtree, tuple_of(
                        [kind_value, a_lanes.get_element(i), b_lanes.get_element(i)]))
                    for i, subtree in enumerate(self.subtrees)]
            for pairs in zip(*ends, strict=True):
                low, high = (array_of([pair.get_element(i) for pair in pairs]) for i in (2, 3))
                products += self.join.take(tuple_of(
                    [pairs[0].get_element(0), pairs[0].get_element(1), low, high]))
        return products

    def set(self, modulus, size):
        barrett = (2 ** (2 * self.width) - 1) // modulus - 2 ** self.width
        self.send(MODULUS, [modulus] * 4, [barrett] * 4)
        self.send(SIZE, [size // 4] * 4, [0] * 4)

    def multiply(self, a, b):
        quarter = len(a) // 4
        product = [None] * (2 * len(a))
        for j in range(quarter):
            for beat in self.send(COEFFICIENT, a[j::quarter], b[j::quarter]):
                index, lanes = number(beat.get_element(0)), beat.get_element(1)
                for lane in range(8):
                    product[index + lane * quarter] = number(lanes.get_element(lane))
        return product


def by_definition(a, b, modulus):
    product = [0] * (2 * len(a))
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] = (product[i + j] + x * y) % modulus
    return product


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=32, metavar="N", choices=[8 << i for i in range(9)],
                        help="coefficients of an operand, a power of two from 8 to 2048; 32 when not given")
    parser.add_argument("--products", type=int, default=5, metavar="COUNT", help="to a width; 5 when not given")
    options = parser.parse_args()
    xls = generate.compiler()
    source = random.Random(1962)
    wrong = 0
    for width in generate.WIDTHS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            generate.sources_for(width, folder)
            multiplier = Multiplier(xls, folder, width, options.size)
        for _ in range(options.products):
            modulus = source.getrandbits(width) | 1 << (width - 1)
            a, b = ([source.randrange(modulus) for _ in range(options.size)] for _ in range(2))
            multiplier.set(modulus, options.size)
            wrong += multiplier.multiply(a, b) != by_definition(a, b, modulus)
        print(f"{options.products} products of {options.size} coefficients of {width} bits")
    print(f"{wrong} wrong" if wrong else "all right")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
