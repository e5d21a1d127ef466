# SPDX-License-Identifier: Apache-2.0
"""Functions of encrypted numbers as circuits: a function is called once, with values that note what is done to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from .operators import Operators
from .types import ArrayType, Type, to_bits


class Traced(Operators):
    """The value of a traced function: a number, or an array of numbers, that is not known."""

    def __init__(self, builder: _core.Builder, element: Type, cells: np.ndarray) -> None:
        self._builder = builder
        self._cells = cells  # a _core.Word for each number
        self.type = element

    @classmethod
    def of_word(cls, builder: _core.Builder, kind: ArrayType, word: _core.Word) -> Traced:
        """The numbers that a word holds, one after the other."""
        width = kind.element.bits
        parts = [word.part(i * width, width) for i in range(word.width // width)]
        return cls(builder, kind.element, array_of(parts).reshape(kind.shape))

    @classmethod
    def public(cls, builder: _core.Builder, plain: Any, element: Type) -> Traced:
        """Public numbers."""
        if isinstance(plain, Operators):
            raise TypeError("a traced function computes on its arguments: give it this encrypted value as one of them")
        bits, shape = to_bits(plain, element)
        words = [builder.constant(row) for row in bits.reshape(-1, element.bits)]
        return cls(builder, element, array_of(words).reshape(shape))

    def with_cells(self, element: Type, cells: Any) -> Traced:
        """Others of the same function."""
        return Traced(self._builder, element, np.asarray(cells, dtype=object))

    @property
    def cells(self) -> np.ndarray:
        """The words of the numbers."""
        return self._cells

    @property
    def builder(self) -> _core.Builder:
        """What the circuit is built with."""
        return self._builder

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array; () for a single number."""
        return self._cells.shape

    @property
    def kind(self) -> ArrayType:
        """Type and shape."""
        return ArrayType(self.type, self.shape)

    def words(self) -> list[_core.Word]:
        """Those of all numbers."""
        return list(self._cells.ravel())

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Traced]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Traced:
        return self.with_cells(self.type, self._cells[index])

    def reshape(self, *shape: int) -> Traced:
        """The same numbers in another shape."""
        return self.with_cells(self.type, self._cells.reshape(*shape))

    def _compute(self, operation: str, *operands: Any) -> Traced:
        return operation_named(operation)(*operands)

    def __repr__(self) -> str:
        return f"<traced {self.kind!r}>"


def array_of(items: Sequence[Any]) -> np.ndarray:
    """An array of objects, of one dimension."""
    array = np.empty(len(items), object)
    array[:] = items
    return array


def operation_named(name: str) -> Callable[..., Traced]:
    """The operation of this name on traced values."""
    from . import operations

    operation: Callable[..., Traced] = getattr(operations, name)
    return operation


@dataclass(frozen=True)
class Signature:
    """What goes into a circuit and comes out."""

    inputs: tuple[ArrayType, ...]
    outputs: tuple[ArrayType, ...]
    gives_tuple: bool

    def results(self, part: Callable[[ArrayType, int, int], Any]) -> Any:
        """What the function gives: part(kind, first bit, end) for each of its results."""
        ends = np.cumsum([bits_in(kind) for kind in self.outputs]).tolist()
        firsts = [0, *ends[:-1]]
        results = tuple(part(*each) for each in zip(self.outputs, firsts, ends))
        return results if self.gives_tuple else results[0]


@dataclass(frozen=True)
class Tracing(Signature):
    """A traced function: its circuit, and what goes in and comes out."""

    netlist: _core.Netlist


def bits_in(kind: ArrayType) -> int:
    """The number of bits of an array."""
    return math.prod(kind.shape) * kind.element.bits


def trace(function: Callable[..., Any], kinds: Sequence[ArrayType], names: Sequence[str] | None = None) -> Tracing:
    """The circuit of a function of arguments of these types."""
    builder = _core.Builder()
    names = names or [f"in{i}" for i in range(len(kinds))]
    arguments = [
        Traced.of_word(builder, kind, builder.input(name, bits_in(kind))) for name, kind in zip(names, kinds)
    ]
    given = function(*arguments)
    results = given if isinstance(given, tuple) else (given,)
    for i, result in enumerate(results):
        if not isinstance(result, Traced):
            raise TypeError(f"a traced function gives values that it computed from its arguments, not {result!r}")
        builder.output(f"out{i}" if isinstance(given, tuple) else "out", result.words())
    return Tracing(tuple(kinds), tuple(r.kind for r in results), isinstance(given, tuple), builder.build())
