# SPDX-License-Identifier: Apache-2.0
"""Functions as circuits: traced, shown, simulated, planned for a key, run and saved."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from . import _core
from .ciphertext import Ciphertext, Path, Source, as_pickled, core_evaluator, run
from .errors import InvalidArgument
from .ray_executor import RayExecutor
from .tracing import Tracing, bits_in, trace
from .types import ArrayType, Type, Uint, array_type, from_bits, to_bits


class _Circuit:
    """What Circuit and Program have in common: inputs and outputs of known types."""

    def __init__(self, tracing: Tracing) -> None:
        self._tracing = tracing

    @property
    def tracing(self) -> Tracing:
        """The circuit with its types."""
        return self._tracing

    @property
    def netlist(self) -> _core.Netlist:
        """The circuit as data: input and output words, gates."""
        return self._tracing.netlist

    @property
    def inputs(self) -> dict[str, ArrayType]:
        """Names and types of the inputs."""
        return dict(zip((name for name, _ in self.netlist.inputs), self._tracing.inputs))

    @property
    def outputs(self) -> dict[str, ArrayType]:
        """Names and types of the outputs."""
        return dict(zip((name for name, _ in self.netlist.outputs), self._tracing.outputs))

    def simulate(self, *numbers: Any) -> Any:
        """What the circuit gives for plain numbers, without a key."""
        self._require_count(numbers)
        bits = [self._input_bits(plain, kind) for plain, kind in zip(numbers, self._tracing.inputs)]
        out = memoryview(self.netlist.simulate(np.concatenate(bits)))
        return self._tracing.results(lambda kind, first, end: from_bits(out[first:end], kind.element, kind.shape))

    def to_bristol(self, path: Path) -> None:
        """Saves the circuit in Bristol Fashion, which `fhe run` and tools of multi-party computation read."""
        self.netlist.save_bristol(path)

    def _require_count(self, operands: tuple[Any, ...]) -> None:
        if len(operands) != len(self._tracing.inputs):
            raise TypeError(f"the circuit takes {len(self._tracing.inputs)} values ({self}), and got {len(operands)}")

    @staticmethod
    def _input_bits(plain: Any, kind: ArrayType) -> np.ndarray:
        bits, shape = to_bits(plain, kind.element)
        if shape != kind.shape:
            raise InvalidArgument(f"wanted is {kind!r}, and the shape of what was given is {shape}")
        return bits

    def _run(
        self, evaluator: Any, program: Any, inputs: tuple[Any, ...], executor: Any, options: dict[str, Any]
    ) -> Any:
        self._require_count(inputs)
        for value in inputs:
            if not isinstance(value, Ciphertext):
                raise TypeError(f"a circuit runs on ciphertexts, not on {type(value).__name__}; see simulate()")
        return run(self._tracing, list(inputs), evaluator, program, executor, **options)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}: {kind!r}" for name, kind in self.inputs.items())
        outputs = ", ".join(repr(kind) for kind in self._tracing.outputs)
        return f"<fhe.{type(self).__name__} ({inputs}) -> {outputs}>"


class Circuit(_Circuit):
    """A circuit with numbers as inputs and outputs: a traced function (`@fhe.circuit`), or one from a file."""

    def cost(self, keys: Any = None) -> dict[str, Any]:
        """Gates by kind, products and depth; with keys (or an evaluator) also what a run takes: recryptions, how few
        of them are possible, how much faster many workers are."""
        counts = self.netlist.counts
        return counts if keys is None else {**counts, **self.compile(keys).cost()}

    def draw(self, style: str = "text") -> str:
        """The circuit as text, a line for each gate, or as a graph in the language DOT (`style="dot"`)."""
        return _drawn(self.netlist, None, style)

    def compile(self, keys: Any, *, noise: float | None = None) -> Program:
        """The program for keys of this group, planned once for many runs.

        Its inputs may have so many bits of noise; without a number, that of new encryptions by the public key.
        """
        most = None if noise is None else [noise] * self.netlist.input_bits
        return Program(self._tracing, _core.Program(self.netlist, core_evaluator(keys), most))

    def run(
        self,
        keys: Any,
        *inputs: Ciphertext,
        max_memory: int | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        executor: RayExecutor | None = None,
    ) -> Any:
        """What the circuit gives for encrypted inputs, recrypting as little as their noise allows.

        `max_memory`: bytes for the ciphertexts that are kept on the way. `checkpoint`: a file for what is done, saved
        every 20 seconds and when the run is stopped; with `resume` a run goes on from there. `executor`: who does it,
        instead of the cores of this machine; it has no use for the others.
        """
        options = {"max_memory": max_memory, "checkpoint": checkpoint, "resume": resume}
        return self._run(keys, None, inputs, executor, options)

    def __call__(self, *inputs: Any) -> Any:
        """The same by the key of the inputs; of plain numbers, what simulate() gives."""
        encrypted = next((value for value in inputs if isinstance(value, Ciphertext)), None)
        return self.simulate(*inputs) if encrypted is None else self.run(encrypted.key, *inputs)


class Program(_Circuit):
    """A circuit that is planned for the keys of a group."""

    def __init__(self, tracing: Tracing, core: _core.Program) -> None:
        super().__init__(tracing)
        self._core = core

    def cost(self) -> dict[str, Any]:
        """What a run takes: products, recryptions, how few of them are possible, all work and the longest chain of it in
        recryptions."""
        return self._core.facts

    def draw(self, style: str = "text") -> str:
        """As Circuit.draw, of what is run; it also shows what is recrypted."""
        return _drawn(self._core.netlist, self._core.refreshed, style)

    def run(
        self,
        keys: Any,
        *inputs: Ciphertext,
        max_memory: int | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        executor: RayExecutor | None = None,
    ) -> Any:
        """As Circuit.run. Raises NoiseExceeded for inputs with more noise than was planned for."""
        options = {"max_memory": max_memory, "checkpoint": checkpoint, "resume": resume}
        return self._run(keys, self._core, inputs, executor, options)

    def save(self, path: Path) -> None:
        """Saves it, without the types of inputs and outputs. `fhe run` reads it too."""
        self._core.save(path)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        kinds = (self._tracing.inputs, self._tracing.outputs, self._tracing.gives_tuple)
        return _unpickled, (kinds, as_pickled(self._core.to_bytes(), protocol))


@overload
def circuit(function: Callable[..., Any], /) -> Circuit: ...


@overload
def circuit(*kinds: Type | ArrayType) -> Callable[[Callable[..., Any]], Circuit]: ...


def circuit(*arguments: Any) -> Any:
    """Traces a function, whose arguments are annotated with types, or follow them.

        >>> import fhe
        >>> @fhe.circuit
        ... def distance(x: fhe.Uint(8), y: fhe.Uint(8)):
        ...     return fhe.maximum(x, y) - fhe.minimum(x, y)
        >>> distance.simulate(13, 200)
        187
        >>> square = fhe.circuit(fhe.Uint(4))(lambda x: x * x)
        >>> square.simulate(3)
        9

    There are no branches on encrypted values: fhe.select takes both ways and keeps one result.
    """
    if len(arguments) == 1 and callable(arguments[0]):
        return _traced(arguments[0], _annotated_kinds(arguments[0]))
    return functools.partial(_traced, kinds=[array_type(kind) for kind in arguments])


def load_circuit(source: Source, inputs: list[Any] | None = None, outputs: list[Any] | None = None) -> Circuit:
    """The circuit of a file (its path) or of bytes: BLIF, Bristol Fashion, AIGER or JSON of Yosys, without registers.

    Its words are numbers without a sign, unless `inputs` and `outputs` are lists of other types.
    """
    netlist = _core.Netlist.load(source)
    return Circuit(_tracing_of(netlist, inputs, outputs))


def load_program(source: Source, inputs: list[Any] | None = None, outputs: list[Any] | None = None) -> Program:
    """The program of a file (its path) or of bytes, as Program.save and `fhe circuit compile` make them."""
    core = _core.Program.load(source)
    return Program(_tracing_of(core.netlist, inputs, outputs), core)


def _traced(function: Callable[..., Any], kinds: list[ArrayType]) -> Circuit:
    names = list(inspect.signature(function).parameters)
    if len(names) != len(kinds):
        raise TypeError(f"the function takes {len(names)} arguments, and there are {len(kinds)} types")
    made = Circuit(trace(function, kinds, names))
    functools.update_wrapper(made, function)
    return made


def _annotated_kinds(function: Callable[..., Any]) -> list[ArrayType]:
    parameters = inspect.signature(function, eval_str=True).parameters
    for name, parameter in parameters.items():
        if not isinstance(parameter.annotation, (Type, ArrayType)):
            raise TypeError(f"argument {name} has no type of fhe: annotate it, as in {name}: fhe.Uint(8)")
    return [array_type(parameter.annotation) for parameter in parameters.values()]


def _tracing_of(netlist: _core.Netlist, inputs: list[Any] | None, outputs: list[Any] | None) -> Tracing:
    ins = [width for _, width in netlist.inputs]
    outs = [len(wires) for _, wires in netlist.outputs]
    return Tracing(kinds_of(ins, inputs), kinds_of(outs, outputs), len(outs) > 1, netlist)


def kinds_of(widths: list[int], given: list[Any] | None = None) -> tuple[ArrayType, ...]:
    """The types of words of these widths: those that are given, or numbers without a sign."""
    kinds = tuple(array_type(Uint(width)) for width in widths) if given is None else tuple(map(array_type, given))
    if [bits_in(kind) for kind in kinds] != widths:
        raise InvalidArgument(f"the words of the circuit have {widths} bits, and the types {list(kinds)} other ones")
    return kinds


def _unpickled(kinds: tuple[Any, ...], data: Any) -> Program:
    core = _core.Program.load(memoryview(data))
    inputs, outputs, gives_tuple = kinds
    return Program(Tracing(inputs, outputs, gives_tuple, core.netlist), core)


def _drawn(netlist: _core.Netlist, refreshed: list[bool] | None, style: str) -> str:
    if style not in ("text", "dot"):
        raise InvalidArgument(f"there is no style {style!r}: text or dot")
    names = [f"{name}[{i}]" for name, width in netlist.inputs for i in range(width)]
    first = len(names)
    names += [f"w{first + i}" for i in range(len(netlist.gates))]
    recrypted = refreshed or [False] * len(names)
    return (_text if style == "text" else _dot)(netlist, names, recrypted, first)


def _text(netlist: _core.Netlist, names: list[str], recrypted: list[bool], first: int) -> str:
    def mark(wire: int) -> str:
        return "  recrypted" if recrypted[wire] else ""

    lines = [f"input {name}{mark(wire)}" for wire, name in enumerate(names[:first])]
    for wire, (kind, used) in enumerate(netlist.gates, first):
        lines.append(f"{names[wire]} = {' '.join([kind, *(names[i] for i in used)])}{mark(wire)}")
    for name, wires in netlist.outputs:
        lines += [f"output {name}[{i}] = {names[wire]}" for i, wire in enumerate(wires)]
    return "\n".join(lines)


def _dot(netlist: _core.Netlist, names: list[str], recrypted: list[bool], first: int) -> str:
    def style(wire: int) -> str:
        return ', style=filled, fillcolor="gold"' if recrypted[wire] else ""

    lines = ["digraph circuit {", "  rankdir=LR;"]
    lines += [f'  n{wire} [label="{_quoted(name)}", shape=box{style(wire)}];' for wire, name in enumerate(names[:first])]
    for wire, (kind, used) in enumerate(netlist.gates, first):
        lines.append(f'  n{wire} [label="{kind}"{style(wire)}];')
        lines += [f"  n{i} -> n{wire};" for i in used]
    for word, (name, wires) in enumerate(netlist.outputs):
        for i, wire in enumerate(wires):
            lines.append(f'  o{word}_{i} [label="{_quoted(name)}[{i}]", shape=box];')
            lines.append(f"  n{wire} -> o{word}_{i};")
    return "\n".join([*lines, "}"])


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')
