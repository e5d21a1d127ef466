# SPDX-License-Identifier: Apache-2.0
"""Encrypt bits and numbers, and compute on them while they stay encrypted.

    >>> import fhe
    >>> keys = fhe.keygen("cnt-mini")
    >>> x, y = keys.encrypt(13, fhe.Uint(8)), keys.encrypt(11, fhe.Uint(8))
    >>> keys.decrypt(x + y)
    24

For research and teaching: no parameter group is secure.
"""

from . import _core
from ._core import (
    Netlist,
    ParameterSet,
    PublicKey,
    SecretKey,
    network_rotations,
    rotation,
    thread_count,
    thread_limit,
)
from .circuits import Circuit, Program, circuit, load_circuit, load_program
from .ciphertext import Ciphertext, Compressed, compute, load, load_compressed
from .errors import (
    Error,
    InputOutputError,
    InvalidArgument,
    InvalidParameters,
    MalformedFile,
    NoiseExceeded,
    OutOfMemory,
    RandomnessError,
    Stopped,
    UnknownName,
    Unsupported,
    WrongKey,
    WrongResult,
)
from .exchange import require_exchange
from .keys import (
    Decryptor,
    Encryptor,
    Evaluator,
    KeyPair,
    SecretEncryptor,
    keygen,
    load_public_key,
    load_secret_key,
)
from .listing import backends, parameters
from .operators import divide, look_up, maximum, minimum, number, popcount, remainder, select
from .ray_executor import RayExecutor
from .remote import Job, Remote
from .types import ArrayType, Bool, Int, Type, Uint
from .watching import bar, progress

__version__: str = _core.version
require_exchange()

__all__ = [
    "ArrayType",
    "backends",
    "bar",
    "Bool",
    "Ciphertext",
    "circuit",
    "Circuit",
    "Compressed",
    "compute",
    "Decryptor",
    "divide",
    "Encryptor",
    "Error",
    "Evaluator",
    "InputOutputError",
    "Int",
    "InvalidArgument",
    "InvalidParameters",
    "keygen",
    "Job",
    "KeyPair",
    "load",
    "load_circuit",
    "load_compressed",
    "load_program",
    "load_public_key",
    "load_secret_key",
    "look_up",
    "MalformedFile",
    "maximum",
    "minimum",
    "Netlist",
    "network_rotations",
    "NoiseExceeded",
    "number",
    "OutOfMemory",
    "parameters",
    "ParameterSet",
    "popcount",
    "Program",
    "progress",
    "PublicKey",
    "RandomnessError",
    "RayExecutor",
    "remainder",
    "Remote",
    "rotation",
    "SecretEncryptor",
    "SecretKey",
    "select",
    "Stopped",
    "thread_count",
    "thread_limit",
    "Type",
    "Uint",
    "UnknownName",
    "Unsupported",
    "WrongKey",
    "WrongResult",
]
