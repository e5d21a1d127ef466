# SPDX-License-Identifier: Apache-2.0
"""Encrypted numbers, and functions of them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from typing import Any, Union

import numpy as np

from . import _core
from .errors import InvalidArgument, Unsupported, WrongKey
from .operators import Operators
from .tracing import Tracing, bits_in, operation_named, trace
from .types import ArrayType, Bool, Type, array_type

Path = Union[str, "os.PathLike[str]"]
Source = Union[Path, _core.Bytes, bytes, bytearray, memoryview]


class Ciphertext(Operators):
    """Encrypted numbers of one type, in the shape of an array; () for a single number.

    They have the operators of Python, which compute element by element with the public key alone. Where the key has
    slots, `in_slots` says that each slot has numbers of its own. A value: never changes.
    """

    def __init__(self, key: _core.PublicKey, kind: ArrayType, bits: _core.Ciphertexts, in_slots: bool = False) -> None:
        if len(bits) != bits_in(kind):
            raise InvalidArgument(f"{kind!r} has {bits_in(kind)} bits, and there are {len(bits)} ciphertexts")
        self._bits = bits
        self.key = key
        self.kind = kind
        self.in_slots = in_slots

    @property
    def type(self) -> Type:
        """The type of the numbers."""
        return self.kind.element

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array; () for a single number."""
        return self.kind.shape

    @property
    def ciphertexts(self) -> _core.Ciphertexts:
        """The encrypted bits, bit 0 of a number first, one number after the other."""
        return self._bits

    @property
    def noise(self) -> Any:
        """The bounds of the noise of its ciphertexts in bits: for each number, the largest one of its bits."""
        largest = np.array(self._bits.noise).reshape(-1, self.type.bits).max(axis=1)
        return largest.reshape(self.shape) if self.shape else float(largest[0])

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single number has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Ciphertext]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Ciphertext:
        whole = np.arange(np.prod(self.shape, dtype=int)).reshape(self.shape)
        numbers = np.asarray(whole[index])
        places = numbers.reshape(-1, 1) * self.type.bits + np.arange(self.type.bits)
        kind = ArrayType(self.type, numbers.shape)
        return Ciphertext(self.key, kind, self._bits.take(places.ravel()), self.in_slots)

    def reshape(self, *shape: int) -> Ciphertext:
        """The same numbers in another shape."""
        shaped = np.empty(self.shape, bool).reshape(*shape).shape
        return Ciphertext(self.key, ArrayType(self.type, shaped), self._bits, self.in_slots)

    @property
    def bits(self) -> Ciphertext:
        """The bits of the numbers, bit 0 first, along one more axis. Computes nothing."""
        kind = ArrayType(Bool, (*self.shape, self.type.bits))
        return Ciphertext(self.key, kind, self._bits, self.in_slots)

    def _compute(self, operation: str, *operands: Any) -> Ciphertext:
        result: Ciphertext = compute(operation_named(operation), *operands)
        return result

    def to_bytes(self) -> _core.Bytes:
        """A file of ciphertexts as bytes: their bits, and which key they are of; neither type nor shape."""
        return self._bits.to_bytes(self.key)

    def save(self, path: Path) -> None:
        """Saves such a file, whole or not at all. `fhe decrypt` and the other commands read it."""
        self._bits.save(self.key, path)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _unpickled, (self.key, self.kind, self.in_slots, as_pickled(self.to_bytes(), protocol))

    def __copy__(self) -> Ciphertext:
        return self

    def __deepcopy__(self, memo: Any) -> Ciphertext:
        return self

    def __repr__(self) -> str:
        slots = f" in each of {self.key.slots} slots" if self.in_slots else ""
        return f"<encrypted {self.kind!r}{slots}, {self.key.name}, noise below 2^{max(self._bits.noise):.1f}>"


def load(source: Source, key: Any, kind: Type | ArrayType, in_slots: bool = False) -> Ciphertext:
    """The numbers of a file of ciphertexts (its path) or of bytes: of a type such as fhe.Uint(8) or fhe.Bool[4].

    For a single type, the file may hold any number of numbers; more than one become an array.
    """
    public = public_key_of(key)
    bits = _core.Ciphertexts.load(source, public)
    if isinstance(kind, Type):
        count, rest = divmod(len(bits), kind.bits)
        if rest:
            raise InvalidArgument(f"{len(bits)} ciphertexts are no whole number of {kind!r}")
        kind = ArrayType(kind, () if count == 1 else (count,))
    return Ciphertext(public, kind, bits, in_slots)


def compute(function: Callable[..., Any], *operands: Any, evaluator: Any = None, executor: Any = None) -> Any:
    """What a function gives for encrypted numbers, which it sees as values that it can compute with.

    It is traced, planned as one circuit (a value is recrypted once, however many operations use it) and run on all
    cores, or by an `executor` such as RayExecutor. Operands that are not encrypted are passed on as they are.
    """
    encrypted = [operand for operand in operands if isinstance(operand, Ciphertext)]
    if not encrypted:
        raise TypeError("no operand is encrypted")

    def of_encrypted(*traced: Any) -> Any:
        values = iter(traced)
        return function(*(next(values) if isinstance(operand, Ciphertext) else operand for operand in operands))

    return run(trace(of_encrypted, [operand.kind for operand in encrypted]), encrypted, evaluator, executor=executor)


def run(
    tracing: Tracing,
    inputs: list[Ciphertext],
    evaluator: Any = None,
    program: Any = None,
    executor: Any = None,
    **options: Any,
) -> Any:
    """The results of a traced function for these inputs, by its program if there is one.

    `options` are max_memory, checkpoint and resume, as Circuit.run has them.
    """
    key = inputs[0].key
    for value, kind in zip(inputs, tracing.inputs):
        if value.key != key:
            raise WrongKey(f"the operands are of different keys: {key.name} and {value.key.name}")
        if value.kind != kind:
            raise InvalidArgument(f"wanted is {kind!r}, and given was {value.kind!r}")
    core = core_evaluator(key if evaluator is None else evaluator)
    joined = _core.Ciphertexts.joined([value.ciphertexts for value in inputs])
    if executor is not None:
        if any(options.values()):
            raise Unsupported("an executor takes no limit of memory and no checkpoint: leave out one or the other")
        planned = program or _core.Program(tracing.netlist, core, joined.noise)
        bits = executor.run(planned, whole_evaluator(key if evaluator is None else evaluator), joined)
    elif program is None:
        bits = _core.run_netlist(tracing.netlist, core, joined, **options)
    else:
        bits = program.run(core, joined, **options)
    in_slots = any(value.in_slots for value in inputs)
    return tracing.results(
        lambda kind, first, end: Ciphertext(key, kind, bits.take(np.arange(first, end)), in_slots)
    )


class Compressed:
    """Numbers that the owner of a key has encrypted, in a few hundred bytes a bit; `expand` makes a Ciphertext."""

    def __init__(self, kind: ArrayType, bits: _core.CompressedCiphertexts, in_slots: bool = False) -> None:
        self._bits = bits
        self.kind = kind
        self.in_slots = in_slots

    @property
    def noise(self) -> float:
        """The bound of the noise of all its ciphertexts, in bits."""
        return self._bits.noise

    def expand(self, key: Any) -> Ciphertext:
        """The whole ciphertexts, by the public key."""
        public = public_key_of(key)
        return Ciphertext(public, self.kind, self._bits.expand(public), self.in_slots)

    def to_bytes(self, key: Any) -> _core.Bytes:
        """A file of compressed ciphertexts as bytes, which load() and load_compressed() read."""
        return self._bits.to_bytes(public_key_of(key))

    def save(self, key: Any, path: Path) -> None:
        """Saves such a file, whole or not at all."""
        self._bits.save(public_key_of(key), path)

    def __repr__(self) -> str:
        return f"<compressed {self.kind!r}, noise below 2^{self.noise:.1f}>"


def load_compressed(source: Source, key: Any, kind: Type | ArrayType, in_slots: bool = False) -> Compressed:
    """The numbers of a file of compressed ciphertexts, or of its bytes, as they are."""
    bits = _core.CompressedCiphertexts.load(source, public_key_of(key))
    if len(bits) != bits_in(array_type(kind)):
        raise InvalidArgument(f"{array_type(kind)!r} has other than {len(bits)} bits")
    return Compressed(array_type(kind), bits, in_slots)


def public_key_of(key: Any) -> _core.PublicKey:
    """The public key of a key pair, an evaluator or a public key."""
    if isinstance(key, _core.PublicKey):
        return key
    public = getattr(key, "public", None)
    if not isinstance(public, _core.PublicKey):
        raise TypeError("wanted is a key pair, a public key or an evaluator")
    return public


def core_evaluator(key: Any) -> _core.Evaluator:
    """An evaluator's own one, or the default one of a key."""
    from .keys import Evaluator, default_evaluator

    return key.core if isinstance(key, Evaluator) else default_evaluator(public_key_of(key))


def whole_evaluator(key: Any) -> Any:
    """The same as an fhe.Evaluator."""
    from .keys import Evaluator, shared_evaluator

    return key if isinstance(key, Evaluator) else shared_evaluator(public_key_of(key))


def as_pickled(data: _core.Bytes, protocol: int) -> Any:
    """Bytes for a pickle: beside it (out of band) and uncopied where the protocol can."""
    return pickle.PickleBuffer(data) if protocol >= 5 else bytes(data)


def _unpickled(key: _core.PublicKey, kind: ArrayType, in_slots: bool, data: Any) -> Ciphertext:
    return Ciphertext(key, kind, _core.Ciphertexts.load(memoryview(data), key), in_slots)
