# SPDX-License-Identifier: Apache-2.0
"""What fhe-bench measured and computed, from its JSON (apps/study/study_json.hpp): runs, facts about groups, circuits on many
workers, clocks of hardware."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from text import clean

ENGINE = "engine"  # the group of the runs that measure products alone


class Malformed(Exception):
    """A file that is no result of fhe-bench."""


@dataclass
class Record:
    """An operation of a run."""

    operation: str
    seconds: float
    peak_memory_bytes: float
    device_cycles: float = 0
    device_hertz: float = 0


@dataclass
class Run:
    """The operations of a group on a backend."""

    processor: str
    cores: int
    compiler: str
    date: str
    group: str
    backend: str
    backend_description: str
    threads: int
    records: list[Record]

    def find(self, operation: str) -> Record | None:
        return next((record for record in self.records if record.operation == operation), None)

    @property
    def is_simulated(self) -> bool:
        """Whether a device was simulated or modelled here: its cycles say something, its times nothing."""
        return is_device(self.backend, "fpga:sim") or is_device(self.backend, "fpga:model")


@dataclass
class Step:
    """The noise after so many products one on another."""

    depth: int
    bound_bits: float
    measured_bits: float | None


@dataclass
class Chain:
    """The noise of a kind of ciphertext, by depth."""

    start: str
    steps: list[Step]


@dataclass
class Facts:
    """Sizes and noise of a group."""

    group: str
    scheme: str
    modulus_bits: int
    public_key_bytes: int
    secret_key_bytes: int
    decrypt_limit_bits: float
    refresh_limit_bits: float
    chains: list[Chain]

    @property
    def ciphertext_bytes(self) -> float:
        return self.modulus_bits / 8


@dataclass
class Workers:
    """A circuit on so many workers."""

    workers: int
    scheduled_seconds: float
    slept_seconds: float | None
    moved_bytes: float


@dataclass
class Circuit:
    """A circuit on many workers."""

    circuit: str
    recryptions: int
    seconds: float
    chain_seconds: float
    workers: list[Workers]

    def used(self, workers: int, seconds: float) -> float:
        """How much of so many workers is used when it takes so long; 1 is all of them."""
        return self.seconds / (seconds * workers)


@dataclass
class Scaling:
    """Circuits under a key of a group."""

    group: str
    sum_seconds: float
    product_seconds: float
    recryption_seconds: float
    circuits: list[Circuit]


@dataclass
class Computed:
    """An operation of a group on hardware of the tree, by its law of clocks."""

    module: str
    published: str  # the design whose times are those of its paper
    group: str
    operation: str
    device_cycles: float
    device_hertz: float

    @property
    def seconds(self) -> float:
        return self.device_cycles / self.device_hertz


@dataclass
class Study:
    """All that a report is drawn from."""

    runs: list[Run] = field(default_factory=list)
    facts: list[Facts] = field(default_factory=list)
    scalings: list[Scaling] = field(default_factory=list)
    computed: list[Computed] = field(default_factory=list)

    @property
    def timed(self) -> list[Run]:
        """The runs whose times count."""
        return [run for run in self.runs if not run.is_simulated]

    @property
    def groups(self) -> list[str]:
        """Those that were timed, without the engine, in the order of the runs."""
        return unique(run.group for run in self.timed if run.group != ENGINE)

    def label(self, run: Run) -> str:
        """What a run is called: its backend, with its threads where there are runs of several numbers of them."""
        if run.is_simulated or len({other.threads for other in self.timed}) == 1:
            return run.backend
        return f"{run.backend}, {run.threads} thread{'' if run.threads == 1 else 's'}"

    @property
    def labels(self) -> list[str]:
        """Of the runs whose times count."""
        return unique(self.label(run) for run in self.timed)

    def run(self, group: str, label: str) -> Run | None:
        return next((run for run in self.runs if run.group == group and self.label(run) == label), None)

    def find(self, group: str, label: str, operation: str) -> Record | None:
        run = self.run(group, label)
        return run.find(operation) if run else None


def is_device(backend: str, device: str) -> bool:
    """Whether a backend is this device or one of its variants, such as fpga:sim=super_size."""
    return backend == device or backend.startswith(f"{device}=")


def unique(items: Iterable[str]) -> list[str]:
    """Each once, in their order."""
    return list(dict.fromkeys(items))


def read(path: str) -> Study:
    """What a file of fhe-bench holds. Raises OSError and Malformed."""
    try:
        with open(path, encoding="utf-8") as file:
            return _study(json.load(file))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Malformed(f"{path} is no result of fhe-bench: {type(error).__name__}: {error}") from None


def _study(data: Any) -> Study:
    known = {
        "fhe-bench 1": lambda: Study(runs=[_run(data)]),
        "fhe-bench scale 1": lambda: Study(scalings=[_scaling(data)]),
        "fhe-bench report 1": lambda: Study(
            [_run(run) for run in data["runs"]],
            [_facts(facts) for facts in data["groups"]],
            [_scaling(scaling) for scaling in data.get("scalings", [])],
            [_computed(computed) for computed in data.get("computed", [])],
        ),
    }
    if data["format"] not in known:
        raise ValueError(f"its format is {data['format']!r}, and known are {', '.join(known)}")
    return known[data["format"]]()


def _number(data: Any, name: str, least: float = 0) -> float:
    value = float(data[name])
    if not math.isfinite(value) or not least <= value <= 1e18:
        raise ValueError(f"{name!r} is {value}, not from {least} to 1e18")
    return value


def _positive(data: Any, name: str) -> float:
    return _number(data, name, 1e-18)


def _run(data: Any) -> Run:
    machine = data["machine"]
    return Run(
        clean(machine["processor"]),
        int(_number(machine, "cores")),
        clean(machine["compiler"]),
        clean(data["date"]),
        clean(data["group"]),
        clean(data["backend"]),
        clean(data["backend_description"]),
        int(_number(data, "threads")),
        [_record(record) for record in data["results"]],
    )


def _record(data: Any) -> Record:
    return Record(
        clean(data["operation"]),
        _positive(data, "seconds"),
        _number(data, "peak_memory_bytes"),
        _positive(data, "device_cycles") if "device_cycles" in data else 0,
        _number(data, "device_hertz") if "device_hertz" in data else 0,
    )


def _facts(data: Any) -> Facts:
    return Facts(
        clean(data["group"]),
        clean(data["scheme"]),
        int(_number(data, "modulus_bits")),
        int(_number(data, "public_key_bytes")),
        int(_number(data, "secret_key_bytes")),
        _positive(data, "decrypt_limit_bits"),
        _positive(data, "refresh_limit_bits"),
        [Chain(clean(chain["start"]), [_step(step) for step in chain["steps"]]) for chain in data["noise"]],
    )


def _step(data: Any) -> Step:
    measured = _number(data, "measured_bits") if "measured_bits" in data else None
    return Step(int(_number(data, "depth")), _number(data, "bound_bits"), measured)


def _scaling(data: Any) -> Scaling:
    seconds = data["seconds"]
    return Scaling(
        clean(data["params"]),
        _number(seconds, "sum"),
        _number(seconds, "product"),
        _number(seconds, "recryption"),
        [_circuit(circuit) for circuit in data["circuits"]],
    )


def _circuit(data: Any) -> Circuit:
    return Circuit(
        clean(data["circuit"]),
        int(_number(data, "recryptions")),
        _positive(data, "seconds"),
        _positive(data, "chain_seconds"),
        [
            Workers(
                int(_number(each, "workers", 1)),
                _positive(each, "scheduled_seconds"),
                None if each["slept_seconds"] is None else _positive(each, "slept_seconds"),
                _number(each, "moved_bytes"),
            )
            for each in data["workers"]
        ],
    )


def _computed(data: Any) -> Computed:
    return Computed(
        clean(data["module"]),
        clean(data["published"]),
        clean(data["group"]),
        clean(data["operation"]),
        _positive(data, "device_cycles"),
        _positive(data, "device_hertz"),
    )
