# SPDX-License-Identifier: Apache-2.0
"""Keys, and what is done with them."""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core, ciphertext
from .ciphertext import Ciphertext, Compressed, Source, as_pickled, public_key_of
from .errors import InvalidArgument, WrongKey
from .tracing import bits_in
from .types import ArrayType, Type, from_bits, to_bits, type_of


@dataclass(frozen=True)
class KeyPair:
    """A public and a secret key that belong together: `public, secret = fhe.keygen("cnt-toy")`."""

    public: _core.PublicKey
    secret: _core.SecretKey

    def __iter__(self) -> Iterator[Any]:
        return iter((self.public, self.secret))

    def encrypt(self, numbers: Any, element: Type | None = None) -> Ciphertext:
        """As Encryptor.encrypt: with the public key."""
        return Encryptor(self.public).encrypt(numbers, element)

    def encrypt_slots(self, numbers: Any, element: Type | None = None) -> Ciphertext:
        """As Encryptor.encrypt_slots: with the public key."""
        return Encryptor(self.public).encrypt_slots(numbers, element)

    def decrypt(self, value: Ciphertext) -> Any:
        """As Decryptor.decrypt."""
        return Decryptor(self.secret).decrypt(value)

    def measure_noise(self, value: Ciphertext) -> Any:
        """As Decryptor.measure_noise."""
        return Decryptor(self.secret).measure_noise(value)

    def check(self, backend: str | None = None) -> list[dict[str, Any]]:
        """Whether the keys belong together, and all that they hold is as it must be."""
        return _core.check_pair(self.public, self.secret, backend)


def keygen(
    parameters: str | _core.ParameterSet,
    *,
    backend: str | None = None,
    test_seed: str | None = None,
    permutations: Sequence[Sequence[int]] = (),
) -> KeyPair:
    """A new key pair of a parameter group: the name of a built-in one, a TOML file or a ParameterSet.

    `permutations` of slots (fhe.rotation, fhe.network_rotations) are what the key can do as it recrypts. With a
    `test_seed` the keys are always the same, and marked as test keys for ever.
    """
    group = parameters if isinstance(parameters, _core.ParameterSet) else _core.ParameterSet(parameters)
    public, secret = _core.generate_keys(group, backend, test_seed, [list(sources) for sources in permutations])
    return KeyPair(_known(public), secret)


def load_public_key(source: Source) -> _core.PublicKey:
    """The public key of a file (its path) or of bytes."""
    return _known(_core.load_public_key(source))


def load_secret_key(source: Source, passphrase: str | None = None) -> _core.SecretKey:
    """The secret key of a file (its path) or of bytes."""
    return _core.load_secret_key(source, passphrase)


class Encryptor:
    """Encrypts with a public key."""

    def __init__(self, key: Any, backend: str | None = None) -> None:
        self.public = public_key_of(key)
        self._core = _core.Encryptor(self.public, backend)

    def prepare(self) -> None:
        """Does once what many encryptions need, so that all of them are fast."""
        self._core.prepare()

    def encrypt(self, numbers: Any, element: Type | None = None) -> Ciphertext:
        """Encrypts a number or an array of them: bool, or integers of the type of the array, or of `element`.

        Where the key has slots, a number is in all of them.
        """
        kind, bits = _kind_and_bits(numbers, element)
        return Ciphertext(self.public, kind, self._core.encrypt(bits))

    def encrypt_slots(self, numbers: Any, element: Type | None = None) -> Ciphertext:
        """Encrypts an array whose first axis goes along the slots of the key, of which each gets its own numbers."""
        kind, bits = _slots_and_bits(numbers, element, self.public.slots)
        return Ciphertext(self.public, kind, self._core.encrypt(bits), in_slots=True)


class SecretEncryptor:
    """Encrypts as the owner of a key: fast, in a few hundred bytes a bit, and with little noise."""

    def __init__(self, key: KeyPair | _core.SecretKey, backend: str | None = None) -> None:
        self._secret = secret_key_of(key)
        self._core = _core.SecretEncryptor(self._secret, backend)

    def encrypt(self, numbers: Any, element: Type | None = None) -> Compressed:
        """As Encryptor.encrypt."""
        kind, bits = _kind_and_bits(numbers, element)
        return Compressed(kind, self._core.encrypt(bits))

    def encrypt_slots(self, numbers: Any, element: Type | None = None) -> Compressed:
        """As Encryptor.encrypt_slots."""
        kind, bits = _slots_and_bits(numbers, element, self._secret.slots)
        return Compressed(kind, self._core.encrypt(bits), in_slots=True)


class Decryptor:
    """Decrypts with a secret key.

    Never let others learn the results for ciphertexts of their choice: a few thousand answers give away the key.
    """

    def __init__(self, key: KeyPair | _core.SecretKey, backend: str | None = None) -> None:
        self._secret = secret_key_of(key)
        self._core = _core.Decryptor(self._secret, backend)

    def decrypt(self, value: Ciphertext) -> Any:
        """The numbers: an array of numpy, or a single bool or int. Of what is in slots, they are the first axis."""
        self._require(value)
        if not value.in_slots:
            return from_bits(self._core.decrypt(value.ciphertexts), value.type, value.shape)
        rows = np.frombuffer(self._core.decrypt_slots(value.ciphertexts), np.uint8).reshape(-1, self._secret.slots)
        return from_bits(np.ascontiguousarray(rows.T), value.type, (self._secret.slots, *value.shape))

    def measure_noise(self, value: Ciphertext) -> Any:
        """The real noise of the ciphertexts in bits: for each number, the largest one. Tell it to nobody."""
        self._require(value)
        noise = np.array(self._core.measure_noise(value.ciphertexts))
        largest = noise.reshape(-1, value.type.bits).max(axis=1)
        return largest.reshape(value.shape) if value.shape else float(largest[0])

    def _require(self, value: Ciphertext) -> None:
        if not isinstance(value, Ciphertext):
            raise TypeError(f"wanted is a Ciphertext, not {type(value).__name__}")
        if value.key.id != self._secret.id:
            raise WrongKey(f"this value is of {value.key.name}, and the secret key is {self._secret.name}")


class Evaluator:
    """Computes with a public key, on a backend of one's choice; operators use the default one.

    With refresh=False, what would need a recryption raises NoiseExceeded instead.
    """

    def __init__(self, key: Any, backend: str | None = None, *, refresh: bool = True, adder: str = "") -> None:
        self.public = public_key_of(key)
        self.core = _core.Evaluator(self.public, backend, refresh, adder)
        self._options = (backend, refresh, adder)

    def compute(self, function: Any, *operands: Any) -> Any:
        """As fhe.compute, with this evaluator."""
        return ciphertext.compute(function, *operands, evaluator=self)

    def recrypt(self, value: Ciphertext) -> Ciphertext:
        """The same numbers with the noise of recrypted ones."""
        return Ciphertext(self.public, value.kind, self.core.recrypt(value.ciphertexts), value.in_slots)

    def permute(self, value: Ciphertext, sources: Sequence[int]) -> Ciphertext:
        """The numbers of all slots moved: slot j gets those of slot sources[j]."""
        bits = self.core.permute(value.ciphertexts, list(sources))
        return Ciphertext(self.public, value.kind, bits, value.in_slots)

    def constant(self, numbers: Any, element: Type | None = None) -> Ciphertext:
        """Public numbers as a ciphertext, which hides nothing."""
        kind, bits = _kind_and_bits(numbers, element)
        return Ciphertext(self.public, kind, self.core.constants(bits))

    def constant_slots(self, numbers: Any, element: Type | None = None) -> Ciphertext:
        """The same with public numbers of its own in each slot."""
        kind, bits = _slots_and_bits(numbers, element, self.public.slots)
        return Ciphertext(self.public, kind, self.core.constants(bits), in_slots=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return shared_evaluator, (self.public, *self._options)

    @property
    def counts(self) -> dict[str, int]:
        """What it has done so far: gates, products and recryptions."""
        return self.core.counts

    @property
    def noise_rule(self) -> dict[str, float]:
        """The noise of new and of recrypted ciphertexts, the limits, and the growth of a product, in bits."""
        return self.core.noise_rule


def secret_key_of(key: Any) -> _core.SecretKey:
    """The secret key of a key pair, or a secret key."""
    secret = key.secret if isinstance(key, KeyPair) else key
    if not isinstance(secret, _core.SecretKey):
        raise TypeError("wanted is a key pair or a secret key")
    return secret


_lock = threading.Lock()
# Those of this process, as long as they are used: evaluators by key, and keys by id.
_evaluators: weakref.WeakKeyDictionary[_core.PublicKey, _core.Evaluator] = weakref.WeakKeyDictionary()
_keys: weakref.WeakValueDictionary[bytes, _core.PublicKey] = weakref.WeakValueDictionary()


def default_evaluator(key: _core.PublicKey) -> _core.Evaluator:
    """The evaluator that operators on ciphertexts of this key use."""
    with _lock:
        found = _evaluators.get(key)
    if found is None:
        found = _core.Evaluator(key, None, True, "")
        with _lock:
            found = _evaluators.setdefault(key, found)
    return found


@functools.lru_cache(maxsize=4)
def shared_evaluator(key: _core.PublicKey, backend: str | None = None, refresh: bool = True, adder: str = "") -> Evaluator:
    """The evaluator of this process for a key: what an evaluator that was pickled becomes, and its key with it."""
    return Evaluator(key, backend, refresh=refresh, adder=adder)


def reduce_key(key: _core.PublicKey, protocol: int) -> tuple[Any, ...]:
    """What a public key is pickled as; _core.PublicKey calls it."""
    return _unpickled, (key.id, as_pickled(key.to_bytes(), protocol))


def reduce_parameters(group: _core.ParameterSet) -> tuple[Any, ...]:
    """What a parameter group is pickled as; _core.ParameterSet calls it."""
    return _unpickled_parameters, (group.to_toml(),)


def _unpickled_parameters(toml: str) -> _core.ParameterSet:
    return _core.ParameterSet.from_toml(toml)


def _unpickled(key_id: bytes, data: Any) -> _core.PublicKey:
    with _lock:
        found = _keys.get(key_id)
    return found or load_public_key(memoryview(data))


def _known(key: _core.PublicKey) -> _core.PublicKey:
    with _lock:
        return _keys.setdefault(key.id, key)


def _kind_and_bits(numbers: Any, element: Type | None) -> tuple[ArrayType, np.ndarray]:
    if isinstance(element, ArrayType):
        raise TypeError(f"give the type of one number, fhe.{element.element!r}: the shape is that of the array")
    element = element or type_of(numbers)
    bits, shape = to_bits(numbers, element)
    return ArrayType(element, shape), bits


def _slots_and_bits(numbers: Any, element: Type | None, slots: int) -> tuple[ArrayType, np.ndarray]:
    kind, bits = _kind_and_bits(numbers, element)
    if not kind.shape or kind.shape[0] != slots:
        raise InvalidArgument(f"the first axis goes along the {slots} slots of the key, and the shape is {kind.shape}")
    kind = ArrayType(kind.element, kind.shape[1:])
    return kind, np.ascontiguousarray(bits.reshape(slots, bits_in(kind)).T)
