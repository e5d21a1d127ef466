# SPDX-License-Identifier: Apache-2.0
"""Circuits on the machines of a Ray cluster."""

from __future__ import annotations

import functools
import importlib
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from .errors import Error, Unsupported
from .keys import Evaluator

_Values = list[tuple[int, bool]]

# A part that so many workers have died of is at fault itself.
_MOST_REPEATS = 10
# How many parts to wait for at a time, and how long: so often is progress told.
_TOGETHER, _PATIENCE = 64, 0.25


class RayExecutor:
    """Runs circuits on a Ray cluster: circuit.run(keys, x, y, executor=fhe.RayExecutor()).

    It hands out parts of the circuit as Ray tasks, whose results stay in the cluster; the public key goes to each machine
    once. What a dead worker or machine had is computed again from what it was made of. The results are those of a run
    without it, bit by bit. Plain and secret data never leave this process.

    `address` is that of the cluster, as ray.init() takes it, where this process is not connected to one yet; without an
    address, that of the environment (RAY_ADDRESS), or Ray starts one on this machine. `workers`: how many parts are done
    at a time; all that the cluster has cores for, unless it is said. `threads`: cores for each. Recryptions that take less
    than `part_seconds` are handed out together, since each part costs about a millisecond.

    Needs the package ray (pip install "fhe[ray]") here, and fhe of this version on all machines. Everyone who can reach
    the cluster can run programs on it: keep it in a network of your own, as Ray's documentation says.
    """

    def __init__(
        self, address: str | None = None, *, workers: int | None = None, threads: int = 1, part_seconds: float = 0.02
    ) -> None:
        self._ray = _imported()
        if not self._ray.is_initialized():
            self._ray.init(address=address)
        self._workers = workers
        self._threads = threads
        self._part_seconds = part_seconds
        remote = self._ray.remote(num_cpus=threads, max_retries=_MOST_REPEATS)
        self._do_part = remote(self.work)
        self._time_recryption = remote(_recryption_seconds)
        self._evaluators: weakref.WeakKeyDictionary[Evaluator, Any] = weakref.WeakKeyDictionary()
        self._seconds: weakref.WeakKeyDictionary[Evaluator, float] = weakref.WeakKeyDictionary()

    @property
    def workers(self) -> int:
        """How many parts are done at a time."""
        if self._workers is not None:
            return self._workers
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)) // self._threads)

    def recryption_seconds(self, evaluator: Evaluator) -> float:
        """How long a recryption takes there."""
        if evaluator not in self._seconds:
            timed = self._time_recryption.remote(self._put_once(evaluator), self._threads)
            self._seconds[evaluator] = self._got(timed)
        return self._seconds[evaluator]

    @staticmethod
    def work(evaluator: Evaluator, program: PackedProgram, part: Part, *given: Any) -> Any:
        """What a worker does: a part of the program, from what other parts gave."""
        there = [_core.Ciphertexts.load(memoryview(each), evaluator.public) for each in given]
        values = _core.Ciphertexts.joined([there[i].take([place]) for i, place in part.sources])
        with _core.thread_limit(part.threads):
            made = _unpacked(program).run_part(evaluator.core, part.takes, part.gives, values)
        return np.frombuffer(memoryview(made.to_bytes(evaluator.public)), np.uint8)

    def run(self, program: _core.Program, evaluator: Evaluator, inputs: _core.Ciphertexts) -> _core.Ciphertexts:
        """The outputs of a program for these inputs."""
        run = _Run(self._ray, evaluator.public, inputs)
        shared = (self._put_once(evaluator), self._ray.put(PackedProgram(program)))
        try:
            for takes, gives, cost in program.parts(self.workers, self._least_recryptions(program, evaluator)):
                sources, given = run.sources_of(takes)
                part = Part(takes, gives, sources, cost, self._threads)
                run.add(self._do_part.remote(*shared, part, *given), gives, cost)
            run.wait()
            return self._outputs(run, program.outputs)
        except BaseException:
            run.cancel()
            raise

    def _outputs(self, run: _Run, names: _Values) -> _core.Ciphertexts:
        sources, given = run.sources_of(names)
        key = run.key
        there = [_core.Ciphertexts.load(memoryview(each), key) for each in self._got(given)]
        return _core.Ciphertexts.joined([there[i].take([place]) for i, place in sources])

    def _least_recryptions(self, program: _core.Program, evaluator: Evaluator) -> float:
        if not any(program.refreshed):
            return float("inf")  # what is left takes no time that is worth a part
        return self._part_seconds / self.recryption_seconds(evaluator)

    def _put_once(self, evaluator: Evaluator) -> Any:
        if evaluator not in self._evaluators:
            self._evaluators[evaluator] = self._ray.put(evaluator)
        return self._evaluators[evaluator]

    def _got(self, refs: Any) -> Any:
        try:
            return self._ray.get(refs)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, Error):
                raise error.cause from None
            raise

    def __repr__(self) -> str:
        return f"<fhe.RayExecutor, {self.workers} workers>"


@dataclass(frozen=True)
class Part:
    """A part of a program: the values that it takes and gives. Value i that it takes is at place sources[i][1] of what
    was given to it as number sources[i][0]."""

    takes: _Values
    gives: _Values
    sources: list[tuple[int, int]]
    recryptions: float  # its cost
    threads: int


class PackedProgram:
    """A program as bytes, which a process unpacks once."""

    def __init__(self, program: _core.Program) -> None:
        self.data = np.frombuffer(memoryview(program.to_bytes()), np.uint8)
        self._hash = hash(self.data.tobytes())

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PackedProgram) and np.array_equal(self.data, other.data)


class _Run:
    """Where the values of a run are: in objects of the cluster, at a place in each."""

    def __init__(self, ray: Any, key: _core.PublicKey, inputs: _core.Ciphertexts) -> None:
        self._ray = ray
        self._inputs = inputs
        self._made: dict[tuple[int, bool], tuple[Any, int]] = {}
        self._pending: dict[Any, float] = {}  # parts that are not done, and what they cost
        self._cost = 0.0
        self.key = key
        self.parts = 0  # that were handed out

    def sources_of(self, names: _Values) -> tuple[list[tuple[int, int]], list[Any]]:
        """The objects that hold these values, and for each value which of them and the place in it."""
        given: dict[Any, int] = {}
        sources = []
        for name in names:
            ref, place = self._made.get(name) or self._put(name)
            sources.append((given.setdefault(ref, len(given)), place))
        return sources, list(given)

    def add(self, ref: Any, gives: _Values, cost: float) -> None:
        """Notes a part that was handed out."""
        self._pending[ref] = cost
        self._cost += cost
        self.parts += 1
        self._made.update((name, (ref, place)) for place, name in enumerate(gives))

    def wait(self) -> None:
        """Waits for all parts; those that cannot be done are done too."""
        tell: Callable[[str, float], None] | None = _core.progress.get()
        left = self._cost
        while self._pending:
            most = min(_TOGETHER, len(self._pending))
            done, _ = self._ray.wait(list(self._pending), num_returns=most, timeout=_PATIENCE, fetch_local=False)
            left -= sum(self._pending.pop(ref) for ref in done)
            if tell is not None and done:
                tell("circuit", 1 - max(left, 0.0) / self._cost if self._pending else 1.0)

    def cancel(self) -> None:
        """Has the cluster drop what it has not begun."""
        for ref in self._pending:
            self._ray.cancel(ref)

    def _put(self, name: tuple[int, bool]) -> tuple[Any, int]:
        data = self._inputs.take([name[0]]).to_bytes(self.key)
        self._made[name] = (self._ray.put(np.frombuffer(memoryview(data), np.uint8)), 0)
        return self._made[name]


def _recryption_seconds(evaluator: Evaluator, threads: int) -> float:
    bit = evaluator.core.constants(np.ones(1, np.uint8))
    seconds = float("inf")
    with _core.thread_limit(threads):
        for _ in range(3):
            start = time.perf_counter()
            evaluator.core.recrypt(bit)
            seconds = min(seconds, time.perf_counter() - start)
            if seconds > 1:
                break
    return seconds


@functools.lru_cache(maxsize=4)
def _unpacked(program: PackedProgram) -> _core.Program:
    return _core.Program.load(program.data.data)


def _imported() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise Unsupported('the package ray is missing: pip install "fhe[ray]", or pip install ray') from None
