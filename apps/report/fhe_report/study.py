# SPDX-License-Identifier: Apache-2.0
"""What fhe-bench measured and computed, from its JSON (apps/bench/results.hpp): runs, facts about groups, circuits on many
workers, clocks of hardware."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from text import clean

ENGINE = "engine"  # the group of the runs that measure products alone


_FORMATS = ("fhe-bench 1", "fhe-bench scale 1", "fhe-bench report 1")
_MOST_BYTES = 64 << 20

# The lists of a study in JSON, and what tells their items from each other: of several that are the same the last counts.
_SAME = {
    "runs": ("group", "backend", "threads"),
    "groups": ("group",),
    "scalings": ("params",),
    "computed": ("module", "published", "group", "operation"),
}


class Malformed(Exception):
    """A file that is not what it should be."""


@dataclass
class Record:
    """An operation of a run."""

    operation: str
    seconds: float
    cpu_seconds: float
    peak_memory_bytes: float
    device_cycles: float = 0
    device_hertz: float = 0

    @property
    def device_seconds(self) -> float | None:
        return self.device_cycles / self.device_hertz if self.device_hertz else None


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
    device_cycles: int
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
    data: dict[str, Any] = field(default_factory=dict)  # the JSON of all of it, with what reports do not show

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

    def like(self, run: Run) -> Run | None:
        """The run of the same group, backend and number of threads."""
        subject = (run.group, run.backend, run.threads)
        return next((each for each in self.runs if (each.group, each.backend, each.threads) == subject), None)

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


def read(*paths: str) -> Study:
    """What files of fhe-bench hold together. Of an older run of the same machine what was not measured again stays. Raises
    OSError and Malformed."""
    data: dict[str, Any] = {"format": _FORMATS[-1], **{name: [] for name in _SAME}}
    for path in paths:
        try:
            for name, items in _lists(path).items():
                for item in items:
                    _add(data[name], item, _SAME[name])
            _study(data)
        except KeyError as error:
            raise Malformed(f"{path} is no result of fhe-bench: {error} is missing") from None
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise Malformed(f"{path} is no result of fhe-bench: {error}") from None
    if not any(data[name] for name in ("runs", "scalings", "computed")):
        raise Malformed(f"{', '.join(paths)}: nothing in it was measured or computed")
    return _study(data)


def _lists(path: str) -> dict[str, Any]:
    """The lists of a study that a file has: all of them, or one with one item."""
    with open(path, "rb") as file:
        text = file.read(_MOST_BYTES + 1)
    if len(text) > _MOST_BYTES:
        raise ValueError("it is larger than 64 MiB")
    data = json.loads(text)
    if data["format"] not in _FORMATS:
        raise ValueError(f"its format is {data['format']!r}, and known are {', '.join(_FORMATS)}")
    if data["format"] == "fhe-bench 1":
        return {"runs": [data]}
    if data["format"] == "fhe-bench scale 1":
        return {"scalings": [data]}
    # Studies of earlier versions have no scalings and nothing computed.
    return {"runs": data["runs"], "groups": data["groups"], **{name: data.get(name, []) for name in ("scalings", "computed")}}


def _add(items: list[Any], item: Any, keys: tuple[str, ...]) -> None:
    """In place of the one of the same."""
    for at, older in enumerate(items):
        if all(older[key] == item[key] for key in keys):
            if "results" in item and older["machine"] == item["machine"]:
                results = {each["operation"]: each for each in [*older["results"], *item["results"]]}
                item = {**item, "results": list(results.values())}
            items[at] = item
            return
    items.append(item)


def _study(data: Any) -> Study:
    return Study(
        [_run(run) for run in data["runs"]],
        [_facts(facts) for facts in data["groups"]],
        [_scaling(scaling) for scaling in data["scalings"]],
        [_computed(computed) for computed in data["computed"]],
        data,
    )


def _text(data: Any, name: str) -> str:
    if not isinstance(data[name], str):
        raise ValueError(f"{name!r} is {data[name]!r}, not a text")
    return clean(data[name])


def _number(data: Any, name: str, least: float = 0) -> float:
    value = data[name]
    if type(value) not in (int, float) or not least <= value <= 1e18:
        raise ValueError(f"{name!r} is {value!r}, not a number from {least} to 1e18")
    return float(value)


def _positive(data: Any, name: str) -> float:
    return _number(data, name, 1e-18)


def _count(data: Any, name: str, least: int = 0) -> int:
    value = _number(data, name, least)
    if value != int(value):
        raise ValueError(f"{name!r} is {value}, not a count")
    return int(value)


def _run(data: Any) -> Run:
    machine = data["machine"]
    return Run(
        _text(machine, "processor"),
        _count(machine, "cores"),
        _text(machine, "compiler"),
        _text(data, "date"),
        _text(data, "group"),
        _text(data, "backend"),
        _text(data, "backend_description"),
        _count(data, "threads"),
        [_record(record) for record in data["results"]],
    )


def _record(data: Any) -> Record:
    return Record(
        _text(data, "operation"),
        _positive(data, "seconds"),
        _number(data, "cpu_seconds"),
        _number(data, "peak_memory_bytes"),
        _positive(data, "device_cycles") if "device_cycles" in data else 0,
        _number(data, "device_hertz") if "device_hertz" in data else 0,
    )


def _facts(data: Any) -> Facts:
    return Facts(
        _text(data, "group"),
        _text(data, "scheme"),
        _count(data, "modulus_bits"),
        _count(data, "public_key_bytes"),
        _count(data, "secret_key_bytes"),
        _positive(data, "decrypt_limit_bits"),
        _positive(data, "refresh_limit_bits"),
        [Chain(_text(chain, "start"), [_step(step) for step in chain["steps"]]) for chain in data["noise"]],
    )


def _step(data: Any) -> Step:
    measured = _number(data, "measured_bits") if "measured_bits" in data else None
    return Step(_count(data, "depth"), _number(data, "bound_bits"), measured)


def _scaling(data: Any) -> Scaling:
    seconds = data["seconds"]
    return Scaling(
        _text(data, "params"),
        _number(seconds, "sum"),
        _number(seconds, "product"),
        _number(seconds, "recryption"),
        [_circuit(circuit) for circuit in data["circuits"]],
    )


def _circuit(data: Any) -> Circuit:
    return Circuit(
        _text(data, "circuit"),
        _count(data, "recryptions"),
        _positive(data, "seconds"),
        _positive(data, "chain_seconds"),
        [
            Workers(
                _count(each, "workers", 1),
                _positive(each, "scheduled_seconds"),
                None if each["slept_seconds"] is None else _positive(each, "slept_seconds"),
                _number(each, "moved_bytes"),
            )
            for each in data["workers"]
        ],
    )


def _computed(data: Any) -> Computed:
    return Computed(
        _text(data, "module"),
        _text(data, "published"),
        _text(data, "group"),
        _text(data, "operation"),
        _count(data, "device_cycles"),
        _positive(data, "device_hertz"),
    )
