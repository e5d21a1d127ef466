# SPDX-License-Identifier: Apache-2.0
"""Tests, when the package is imported, that numpy and the module exchange numbers unchanged."""

from __future__ import annotations

import numpy as np

from . import _core
from .types import Uint, from_bits, to_bits

_WIDTH = 8
_NUMBERS = [5, 0, 255, 178]


def require_exchange() -> None:
    """Raises ImportError where numbers that cross into the module and back are others: arrays of this numpy are misread."""
    builder = _core.Builder()
    builder.output("y", [builder.input("x", _WIDTH * len(_NUMBERS))])
    bits, shape = to_bits(np.array(_NUMBERS), Uint(_WIDTH))
    back = from_bits(builder.build().simulate(bits), Uint(_WIDTH), shape)
    if back.tolist() != _NUMBERS:
        raise ImportError(
            f"fhe misreads arrays of numpy {np.__version__}: {_NUMBERS} come back as {back.tolist()}; "
            "install another version of numpy, or build the package with this one"
        )
