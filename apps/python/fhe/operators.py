# SPDX-License-Identifier: Apache-2.0
"""The operators of encrypted numbers: those of Python, element by element, as numpy has them."""

from __future__ import annotations

from typing import Any

from .types import Type


class Operators:
    """What ciphertexts and the values of traced functions have in common.

    Both operands are of one type; plain numbers may be one of them, and take that of the other.
    Results are taken modulo 2**bits, as those of numpy are.
    """

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # an array of numpy leaves operators to these

    def _compute(self, operation: str, *operands: Any) -> Any:
        """An operation of fhe.operations, by its name."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        raise TypeError("an encrypted value is neither true nor false to those who compute on it; use fhe.select")

    def __add__(self, other: Any) -> Any:
        return self._compute("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self._compute("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self._compute("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._compute("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._compute("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._compute("multiply", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._compute("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._compute("floor_divide", other, self)

    def __mod__(self, other: Any) -> Any:
        return self._compute("modulo", self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._compute("modulo", other, self)

    def __and__(self, other: Any) -> Any:
        return self._compute("bit_and", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return self._compute("bit_or", self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        return self._compute("bit_xor", self, other)

    __rxor__ = __xor__

    def __invert__(self) -> Any:
        return self._compute("invert", self)

    def __neg__(self) -> Any:
        return self._compute("negate", self)

    def __abs__(self) -> Any:
        return self._compute("absolute", self)

    def __lshift__(self, places: Any) -> Any:
        return self._compute("shift_left", self, places)

    def __rshift__(self, places: Any) -> Any:
        return self._compute("shift_right", self, places)

    def __lt__(self, other: Any) -> Any:
        return self._compute("less", self, other)

    def __le__(self, other: Any) -> Any:
        return self._compute("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return self._compute("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return self._compute("greater_equal", self, other)

    def __eq__(self, other: Any) -> Any:
        return self._compute("equal", self, other)

    def __ne__(self, other: Any) -> Any:
        return self._compute("not_equal", self, other)

    @property
    def bits(self) -> Any:
        """The bits of the numbers, bit 0 first, along one more axis."""
        return self._compute("bits_of", self)

    def astype(self, element: Type) -> Any:
        """The same numbers as another type: cut, or extended by zeros or by the sign."""
        return self._compute("convert", self, element)

    def sum(self) -> Any:
        """The sum of all elements, modulo 2**bits; of bits, how many are set."""
        return self._compute("total", self)

    def all(self) -> Any:
        """Whether all bits of the array are set."""
        return self._compute("every", self)

    def any(self) -> Any:
        """Whether one bit of the array is set."""
        return self._compute("some", self)


def select(choice: Any, x: Any, y: Any) -> Any:
    """x where the bit `choice` is set, y elsewhere."""
    return _compute("select", choice, x, y)


def minimum(x: Any, y: Any) -> Any:
    """The smaller of two numbers."""
    return _compute("minimum", x, y)


def maximum(x: Any, y: Any) -> Any:
    """The larger of two numbers."""
    return _compute("maximum", x, y)


def divide(x: Any, y: Any) -> Any:
    """x / y, rounded towards zero; what it gives for y = 0 is in libfhe/circuit/word.hpp."""
    return _compute("divide", x, y)


def remainder(x: Any, y: Any) -> Any:
    """x - y * divide(x, y), of the sign of x."""
    return _compute("remainder", x, y)


def popcount(x: Any) -> Any:
    """How many bits of a number are set."""
    return _compute("popcount", x)


def look_up(table: Any, index: Any, element: Type) -> Any:
    """table[index] of a public table of 2**index.type.bits numbers of a type."""
    return _compute("look_up", table, index, element)


def number(bits: Any, element: Type) -> Any:
    """The numbers whose bits are along the last axis, bit 0 first."""
    return _compute("number", bits, element)


def _compute(operation: str, *operands: Any) -> Any:
    encrypted = next((operand for operand in operands if isinstance(operand, Operators)), None)
    if encrypted is None:
        raise TypeError("one of the operands is an encrypted value")
    return encrypted._compute(operation, *operands)
