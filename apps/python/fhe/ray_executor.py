# SPDX-License-Identifier: Apache-2.0
"""Circuits on the machines of a Ray cluster."""

from __future__ import annotations

import collections
import functools
import heapq
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
# A worker has so many parts at least, or the last ones would find it without work.
_PARTS_OF_WORKER = 16
# How long to wait for a part at a time: so soon does Ctrl-C stop a run.
_PATIENCE = 0.25


class RayExecutor:
    """Runs circuits on a Ray cluster: circuit.run(keys, x, y, executor=fhe.RayExecutor()).

    It hands out parts of the circuit as Ray tasks, whose results stay in the cluster; the public key goes to each machine
    once. What a dead worker or machine had is computed again from what it was made of. The results are those of a run
    without it, bit by bit. Plain and secret data never leave this process.

    `address` is that of the cluster, as ray.init() takes it, where this process is not connected to one yet; without an
    address, that of the environment (RAY_ADDRESS), or Ray starts one on this machine. `workers`: how many parts are done
    at a time; all that the cluster has cores for, unless it is said. `threads`: cores for each. Recryptions that take less
    than `part_seconds` are handed out together, since each part costs a few milliseconds.

    Needs the package ray (pip install "fhe[ray]") here, and fhe of this version on all machines. Everyone who can reach
    the cluster can run programs on it: keep it in a network of your own, as Ray's documentation says.
    """

    def __init__(
        self, address: str | None = None, *, workers: int | None = None, threads: int = 1, part_seconds: float = 0.3
    ) -> None:
        self._ray = _imported()
        if not self._ray.is_initialized():
            self._ray.init(address=address)
        self._workers = workers
        self._threads = threads
        self._part_seconds = part_seconds
        options = {"num_cpus": threads, "max_retries": _MOST_REPEATS}
        self._do_part = self._ray.remote(num_returns=2, **options)(_with_receipt(self.work))
        self._time_recryption = self._ray.remote(**options)(_recryption_seconds)
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
        shared = (self._put_once(evaluator), self._ray.put(PackedProgram(program)))
        parts = program.parts(self.workers, self._least_recryptions(program, evaluator))
        run = _Run(self._ray, evaluator.public, inputs)
        run.keep_for([program.outputs, *(takes for takes, _, _ in parts)])
        queue = _Queue(parts)
        pending: dict[Any, int] = {}  # receipts of parts that are not done
        try:
            while queue.left > 0:
                # One more than is done at a time: the worker that is free first has the next one at hand.
                while queue.ready and len(pending) <= self.workers:
                    number = queue.take()
                    takes, gives, cost = parts[number]
                    sources, given = run.sources_of(takes)
                    part = Part(takes, gives, sources, cost, self._threads)
                    made, receipt = self._do_part.remote(*shared, part, *given)
                    run.add(made, gives)
                    pending[receipt] = number
                done, _ = self._ray.wait(list(pending), num_returns=1, timeout=_PATIENCE)
                for receipt in done:
                    self._got(receipt)
                    number = pending.pop(receipt)
                    queue.finish(number)
                    run.drop(parts[number][0])
            return self._outputs(run, program.outputs)
        except BaseException:
            for receipt in pending:
                self._ray.cancel(receipt)
            raise

    def _outputs(self, run: _Run, names: _Values) -> _core.Ciphertexts:
        sources, given = run.sources_of(names)
        key = run.key
        there = [_core.Ciphertexts.load(memoryview(each), key) for each in self._got(given)]
        return _core.Ciphertexts.joined([there[i].take([place]) for i, place in sources])

    def _least_recryptions(self, program: _core.Program, evaluator: Evaluator) -> float:
        if not any(program.refreshed):
            return float("inf")  # what is left takes no time that is worth a part
        most = program.facts["work_in_recryptions"] / (self.workers * _PARTS_OF_WORKER)
        return float(min(self._part_seconds / self.recryption_seconds(evaluator), most))

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


class _Queue:
    """Which parts can be done, and which of them first: those with the costliest chain of parts behind them."""

    def __init__(self, parts: list[tuple[_Values, _Values, float]]) -> None:
        maker = {name: number for number, (_, gives, _) in enumerate(parts) for name in gives}
        needs = [{maker[name] for name in takes if name in maker} for takes, _, _ in parts]
        self._users: list[list[int]] = [[] for _ in parts]
        for number, makers in enumerate(needs):
            for each in makers:
                self._users[each].append(number)
        self._costs = [cost for _, _, cost in parts]
        self._chains = self._costs.copy()
        for number in reversed(range(len(parts))):
            self._chains[number] += max((self._chains[user] for user in self._users[number]), default=0.0)
        self._missing = [len(makers) for makers in needs]
        self._done = 0.0
        self.left = len(parts)
        self.ready: list[tuple[float, int]] = []
        for number, missing in enumerate(self._missing):
            if missing == 0:
                self._add(number)

    def take(self) -> int:
        """The most urgent part of those that are ready."""
        return heapq.heappop(self.ready)[1]

    def finish(self, number: int) -> None:
        """Says that a part is done, and tells progress."""
        self.left -= 1
        for user in self._users[number]:
            self._missing[user] -= 1
            if self._missing[user] == 0:
                self._add(user)
        self._done += self._costs[number]
        tell: Callable[[str, float], None] | None = _core.progress.get()
        if tell is not None:
            tell("circuit", self._done / sum(self._costs) if self.left else 1.0)

    def _add(self, number: int) -> None:
        heapq.heappush(self.ready, (-self._chains[number], number))


class _Run:
    """Where the values of a run are: in objects of the cluster, at a place in each."""

    def __init__(self, ray: Any, key: _core.PublicKey, inputs: _core.Ciphertexts) -> None:
        self._ray = ray
        self._inputs = inputs
        self._made: dict[tuple[int, bool], tuple[Any, int]] = {}
        self._put_here: dict[tuple[int, bool], tuple[Any, int]] = {}  # these are kept: nobody could make them again
        self._uses: collections.Counter[tuple[int, bool]] = collections.Counter()
        self.key = key
        self.parts = 0  # that were handed out

    def sources_of(self, names: _Values) -> tuple[list[tuple[int, int]], list[Any]]:
        """The objects that hold these values, and for each value which of them and the place in it."""
        given: dict[Any, int] = {}
        sources = []
        for name in names:
            ref, place = self._made.get(name) or self._put_here.get(name) or self._put(name)
            sources.append((given.setdefault(ref, len(given)), place))
        return sources, list(given)

    def add(self, ref: Any, gives: _Values) -> None:
        """Notes what a part that was handed out will have made."""
        self.parts += 1
        self._made.update((name, (ref, place)) for place, name in enumerate(gives))

    def keep_for(self, uses: list[_Values]) -> None:
        """Says what will be taken, and how often."""
        for names in uses:
            self._uses.update(names)

    def drop(self, names: _Values) -> None:
        """Says that these were taken; the cluster forgets what nothing takes any more."""
        self._uses.subtract(names)
        for name in names:
            if self._uses[name] == 0:
                self._made.pop(name, None)

    def _put(self, name: tuple[int, bool]) -> tuple[Any, int]:
        data = self._inputs.take([name[0]]).to_bytes(self.key)
        self._put_here[name] = (self._ray.put(np.frombuffer(memoryview(data), np.uint8)), 0)
        return self._put_here[name]


def _with_receipt(work: Callable[..., Any]) -> Callable[..., Any]:
    """The work, and beside its result nothing: to be waited for and looked at without the result itself."""

    def do_part(*arguments: Any) -> tuple[Any, None]:
        return work(*arguments), None

    return do_part


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
