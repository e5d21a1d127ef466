# SPDX-License-Identifier: Apache-2.0
"""Operations on the values of traced functions: what the operators stand for. Element by element, with the shapes of
numpy (broadcasting)."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from ._core import Word
from .errors import InvalidArgument
from .tracing import Traced, array_of
from .types import Bool, Type, Uint


def _traced(operands: tuple[Any, ...]) -> list[Traced]:
    """The operands as values of one type and one function; public numbers become that."""
    first = next(operand for operand in operands if isinstance(operand, Traced))
    for operand in operands:
        if isinstance(operand, Traced) and operand.type != first.type:
            raise InvalidArgument(f"{first.type!r} and {operand.type!r} do not mix: convert one of them by astype()")
    return [
        operand if isinstance(operand, Traced) else Traced.public(first.builder, operand, first.type)
        for operand in operands
    ]


def _each(function: Any, element: Type, *values: Traced) -> Traced:
    """function(word, ...) of all elements, numbers of this type."""
    cells = np.frompyfunc(function, len(values), 1)(*(value.cells for value in values))
    return values[0].with_cells(element, cells)


def _apply(name: str, element: Type | None, *operands: Any) -> Traced:
    """An operation of the library, by its name, on numbers of one type."""
    values = _traced(operands)
    kind = values[0].type
    return _each(lambda *words: Word.apply(name, list(words), kind.signed), element or kind, *values)


def _arithmetic(name: str, *operands: Any) -> Traced:
    values = _traced(operands)
    if values[0].type.boolean:
        raise TypeError("there is no arithmetic on bits: convert them by astype(fhe.Uint(8)), or use &, | and ^")
    return _apply(name, None, *values)


def _of_uint(name: str, x: Any, y: Any, instead: str) -> Traced:
    values = _traced((x, y))
    if values[0].type.signed:
        raise TypeError(f"Python rounds down here, the library towards zero: use {instead}")
    return _arithmetic(name, *values)


def _bitwise(function: Any, *operands: Any) -> Traced:
    values = _traced(operands)
    return _each(function, values[0].type, *values)


add = functools.partial(_arithmetic, "add")
subtract = functools.partial(_arithmetic, "sub")
multiply = functools.partial(_arithmetic, "mul")
divide = functools.partial(_arithmetic, "div")
remainder = functools.partial(_arithmetic, "rem")
negate = functools.partial(_arithmetic, "neg")
minimum = functools.partial(_apply, "min", None)
maximum = functools.partial(_apply, "max", None)
equal = functools.partial(_apply, "equal", Bool)
not_equal = functools.partial(_apply, "not-equal", Bool)
less = functools.partial(_apply, "less", Bool)
less_equal = functools.partial(_apply, "less-equal", Bool)
greater = functools.partial(_apply, "greater", Bool)
greater_equal = functools.partial(_apply, "greater-equal", Bool)
bit_and = functools.partial(_bitwise, operator.and_)
bit_or = functools.partial(_bitwise, operator.or_)
bit_xor = functools.partial(_bitwise, operator.xor)
invert = functools.partial(_bitwise, operator.invert)


def floor_divide(x: Any, y: Any) -> Traced:
    """x // y of numbers without a sign."""
    return _of_uint("div", x, y, "fhe.divide")


def modulo(x: Any, y: Any) -> Traced:
    """x % y of numbers without a sign."""
    return _of_uint("rem", x, y, "fhe.remainder")


def absolute(x: Traced) -> Traced:
    """The size of a number; that of the least number with a sign is itself."""
    return _arithmetic("abs", x) if x.type.signed else x


def select(choice: Any, x: Any, y: Any) -> Traced:
    """x where the bit is set, y elsewhere."""
    if not isinstance(choice, Traced) or choice.type != Bool:
        raise TypeError("the choice is an encrypted bit, fhe.Bool")
    if not isinstance(x, Traced) and not isinstance(y, Traced):
        raise TypeError("one of the two values is encrypted, so that their type is known")
    x, y = _traced((x, y))
    return _each(lambda *words: Word.apply("mux", list(words), False), x.type, choice, x, y)


def popcount(x: Traced) -> Traced:
    """How many bits of a number are set."""
    return _apply("popcount", Uint(x.type.bits.bit_length()), x)


def shift_left(x: Traced, places: Any) -> Traced:
    """x << places, of a public or of an encrypted number."""
    if isinstance(places, Traced):
        return _shift("shl", x, places)
    count = _public_places(places)
    return _each(lambda word: word.shifted_left(count), x.type, x)


def shift_right(x: Traced, places: Any) -> Traced:
    """x >> places, of a public or of an encrypted number."""
    if isinstance(places, Traced):
        return _shift("shr", x, places)
    count = _public_places(places)
    return _each(lambda word: word.shifted_right(count, x.type.signed), x.type, x)


def look_up(table: Any, index: Traced, element: Type) -> Traced:
    """table[index] of a public table."""
    if not isinstance(index, Traced) or index.type.signed:
        raise TypeError("the index is an encrypted number without a sign")
    values = [operator.index(value) for value in np.asarray(table).tolist()]
    if any(not element.least <= value <= element.greatest for value in values):
        raise InvalidArgument(f"the table has a number that is no {element!r}")
    if element.bits > 64:
        raise InvalidArgument("tables are of numbers of up to 64 bits")
    entries = [value % (1 << element.bits) for value in values]
    return _each(lambda word: word.look_up(entries, element.bits), element, index)


def convert(x: Traced, element: Type) -> Traced:
    """The same numbers as another type: cut, or extended by zeros or by the sign."""
    if not isinstance(element, Type):
        raise TypeError("wanted is a type such as fhe.Uint(8)")
    if element.boolean and not x.type.boolean:
        raise TypeError("whether a number is a true bit is x != 0; its bits are x.bits")
    return _each(lambda word: word.resized(element.bits, x.type.signed), element, x)


def bits_of(x: Traced) -> Traced:
    """The bits of the numbers, bit 0 first, along one more axis."""
    parts = [word.part(i, 1) for word in x.words() for i in range(x.type.bits)]
    return x.with_cells(Bool, array_of(parts).reshape(*x.shape, x.type.bits))


def number(bits: Traced, element: Type) -> Traced:
    """The numbers whose bits are along the last axis."""
    if bits.type != Bool or not bits.shape or bits.shape[-1] != element.bits:
        raise InvalidArgument(f"{element!r} has {element.bits} bits, along the last axis of an array of fhe.Bool")
    words = [Word.joined(list(row)) for row in bits.cells.reshape(-1, element.bits)]
    return bits.with_cells(element, array_of(words).reshape(bits.shape[:-1]))


def total(x: Traced) -> Traced:
    """The sum of all elements; of bits, how many are set."""
    if x.type.boolean:
        return popcount(_as_one_number(x))
    parts = x.reshape(-1)
    while len(parts) > 1:
        half, odd = len(parts) // 2, len(parts) % 2
        sums = add(parts[:half], parts[half : 2 * half])
        parts = x.with_cells(x.type, np.concatenate([sums.cells, parts.cells[2 * half :]])) if odd else sums
    return parts[0]


def every(x: Traced) -> Traced:
    """Whether all bits are set."""
    whole = _as_one_number(x)
    return equal(whole, whole.type.greatest)


def some(x: Traced) -> Traced:
    """Whether one bit is set."""
    return not_equal(_as_one_number(x), 0)


def _as_one_number(x: Traced) -> Traced:
    if not x.type.boolean:
        raise TypeError(f"these are numbers of type {x.type!r}, and no bits: compare them first")
    words = x.words()
    return x.with_cells(Uint(len(words)), Word.joined(words))


def _shift(name: str, x: Traced, places: Traced) -> Traced:
    if places.type.signed or places.type.boolean:
        raise TypeError("the number of places is a number without a sign")
    return _each(lambda *words: Word.apply(name, list(words), x.type.signed), x.type, x, places)


def _public_places(places: Any) -> int:
    if operator.index(places) < 0:
        raise InvalidArgument("a number is shifted by 0 or more places")
    return operator.index(places)
