# SPDX-License-Identifier: Apache-2.0
"""How far a long call is."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from . import _core


@contextlib.contextmanager
def progress(callback: Callable[[str, float], None]) -> Iterator[None]:
    """In this block, long calls tell callback(phase, fraction) which phase they are in and how much of it is done.

    The callback runs on threads of the library, one at a time. What it raises ends the call.

        >>> import fhe
        >>> phases = set()
        >>> with fhe.progress(lambda phase, fraction: phases.add(phase)):
        ...     keys = fhe.keygen("cnt-mini")
        >>> len(phases) > 0
        True
    """
    token = _core.progress.set(callback)
    try:
        yield
    finally:
        _core.progress.reset(token)


@contextlib.contextmanager
def bar(stream: TextIO | None = None, width: int = 30) -> Iterator[None]:
    """In this block, long calls draw a bar: on standard error, or another stream."""
    out = stream or sys.stderr
    with progress(lambda phase, fraction: print(_line(phase, fraction, width), end="", file=out, flush=True)):
        try:
            yield
        finally:
            print(file=out)


def _line(phase: str, fraction: float, width: int) -> str:
    return f"\r{phase:<24.24} |{'#' * round(fraction * width):<{width}}| {fraction:4.0%}"
