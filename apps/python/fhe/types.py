# SPDX-License-Identifier: Apache-2.0
"""What encrypted numbers are: bits, and integers of any width with or without a sign."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import InvalidArgument

_WORD = 64  # the widest integers of numpy


@dataclass(frozen=True)
class Type:
    """The type of an encrypted number: Bool, Uint(bits) or Int(bits)."""

    bits: int
    signed: bool = False
    boolean: bool = False

    def __repr__(self) -> str:
        return "Bool" if self.boolean else f"{'Int' if self.signed else 'Uint'}({self.bits})"

    def __getitem__(self, shape: int | tuple[int, ...]) -> ArrayType:
        """The type of an array of these: `fhe.Uint(8)[4]`, `fhe.Bool[2, 3]`."""
        return ArrayType(self, (shape,) if isinstance(shape, int) else tuple(shape))

    @property
    def least(self) -> int:
        """The least number of the type."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        """The greatest number of the type."""
        return (1 << (self.bits - self.signed)) - 1


@dataclass(frozen=True)
class ArrayType:
    """The type of an array."""

    element: Type
    shape: tuple[int, ...]

    def __repr__(self) -> str:
        return f"{self.element!r}[{', '.join(map(str, self.shape))}]" if self.shape else repr(self.element)


Bool = Type(1, boolean=True)


def Uint(bits: int) -> Type:
    """Integers 0 ... 2**bits - 1."""
    return Type(_width(bits))


def Int(bits: int) -> Type:
    """Integers -2**(bits - 1) ... 2**(bits - 1) - 1, in two's complement."""
    return Type(_width(bits), signed=True)


def array_type(spec: Type | ArrayType) -> ArrayType:
    """A type as one of arrays; a single number has the shape ()."""
    if isinstance(spec, ArrayType):
        return spec
    if isinstance(spec, Type):
        return ArrayType(spec, ())
    raise TypeError(f"wanted is a type such as fhe.Uint(8) or fhe.Bool[4], not {spec!r}")


def type_of(plain: Any) -> Type:
    """The type that a plain value has by itself: those of bool and of arrays of numpy."""
    if isinstance(plain, (bool, np.bool_)):
        return Bool
    if isinstance(plain, (np.ndarray, np.generic)):
        kind, width = plain.dtype.kind, 8 * plain.dtype.itemsize
        if kind == "b":
            return Bool
        if kind in "ui":
            return Uint(width) if kind == "u" else Int(width)
        raise TypeError(f"numbers of {plain.dtype} are not encrypted: convert them to integers or bool")
    raise TypeError("say of which type the numbers are, such as fhe.Uint(8), or give an array of numpy")


def to_bits(plain: Any, element: Type) -> tuple[np.ndarray, tuple[int, ...]]:
    """The bits of plain numbers, bit 0 of a number first, one number after the other, and their shape."""
    if np.ma.is_masked(plain):
        raise InvalidArgument("some numbers of the array are masked: encrypt x.filled(0), and the mask if it is needed")
    numbers = np.asarray(plain)
    if numbers.dtype.kind not in "buiO":
        raise TypeError(f"{numbers.dtype} are no integers")
    _require_range(numbers, element)
    if numbers.dtype.kind == "O" or element.bits > _WORD:
        flat = [operator.index(number) for number in numbers.ravel().tolist()]
        rows = [[number >> i & 1 for i in range(element.bits)] for number in flat]
        bits = np.array(rows, np.uint8).reshape(-1)
    else:
        places = np.arange(element.bits, dtype=np.uint64)
        whole = numbers.reshape(-1, 1).astype(np.uint64)
        bits = (whole >> places & np.uint64(1)).astype(np.uint8).reshape(-1)
    return bits, numbers.shape


def from_bits(bits: Any, element: Type, shape: tuple[int, ...]) -> Any:
    """The plain numbers of these bits, contiguous bytes: an array of numpy, or a single bool or int for the shape ()."""
    rows = np.frombuffer(bits, np.uint8).reshape(-1, element.bits)
    if element.boolean:
        numbers = rows[:, 0].astype(bool)
    elif element.bits > _WORD:
        numbers = np.empty(len(rows), object)
        numbers[:] = [_number(row.tolist(), element) for row in rows]
    else:
        places = np.arange(element.bits, dtype=np.uint64)
        whole = np.bitwise_or.reduce(rows.astype(np.uint64) << places, axis=1, dtype=np.uint64)
        numbers = _in_two_complement(whole, element).astype(_dtype(element))
    shaped = numbers.reshape(shape)
    return shaped if shape else shaped.item()


def _width(bits: int) -> int:
    if operator.index(bits) < 1:
        raise InvalidArgument("a number has at least one bit")
    return operator.index(bits)


def _require_range(numbers: np.ndarray, element: Type) -> None:
    if numbers.size == 0:
        raise InvalidArgument("there is no number in an empty array")
    if int(numbers.min()) < element.least or int(numbers.max()) > element.greatest:
        raise InvalidArgument(f"{element!r} holds the numbers {element.least} ... {element.greatest} only")


def _number(bits: list[int], element: Type) -> int:
    number = sum(bit << i for i, bit in enumerate(bits))
    return number - (bits[-1] << element.bits if element.signed else 0)


def _in_two_complement(whole: np.ndarray, element: Type) -> np.ndarray:
    if not element.signed:
        return whole
    sign = np.uint64(1 << (element.bits - 1))
    return ((whole ^ sign) - sign).view(np.int64)


def _dtype(element: Type) -> str:
    width = next(width for width in (8, 16, 32, _WORD) if element.bits <= width)
    return f"{'int' if element.signed else 'uint'}{width}"
