# SPDX-License-Identifier: Apache-2.0
"""The figures of the literature, of params/published.toml, which the tests of fhe-bench check."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = ("software", "GPU", "ASIC", "FPGA")

_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "times": 1.0}


@dataclass(frozen=True)
class Origin:
    """Where a figure is from."""

    system: str  # the platform, and the design on it
    kind: str  # one of KINDS
    paper: str  # its short name
    where: str
    recalled: bool

    @property
    def source(self) -> str:
        return f"{self.paper}, {self.where}"

    def text(self, quantity: str) -> str:
        """A quantity, with a ~ before one that was recalled."""
        return f"~{quantity}" if self.recalled else quantity


@dataclass(frozen=True)
class Figure:
    """A time of an operation, or a size of an object, of a group."""

    group: str
    of: str
    value: float
    origin: Origin


@dataclass(frozen=True)
class Product:
    """A product of two integers."""

    bits: tuple[int, int]
    seconds: float | None
    cycles: float  # 0: not printed
    hertz: float
    origin: Origin

    @property
    def seconds_from_cycles(self) -> float | None:
        return self.cycles / self.hertz if self.cycles else None

    @property
    def best_seconds(self) -> float:
        """As printed, or from cycles."""
        return self.seconds or self.cycles / self.hertz


@dataclass(frozen=True)
class Design:
    """A piece of hardware, and the cycles that it takes by group."""

    id: str
    name: str
    hertz: float
    cost: str
    product_cycles: dict[str, float]
    reduction_cycles: dict[str, float]
    origin: Origin


@dataclass(frozen=True)
class Encryption:
    """One that follows from the cycles of designs: so many products on one, then two for the reduction on another."""

    operation: str
    group: str
    product: Design
    reduction: Design
    products: float
    origin: Origin

    @property
    def seconds(self) -> float:
        one_product = self.product.product_cycles[self.group] / self.product.hertz
        one_reduction = self.reduction.reduction_cycles[self.group] / self.reduction.hertz
        return self.products * one_product + 2 * one_reduction


@dataclass(frozen=True)
class Speedup:
    """How many times as fast as software."""

    what: str
    over: str
    lowest: float
    highest: float
    origin: Origin


def group_of(group: str) -> str:
    """The group whose figures hold for a group: "cnt-toy" for its variant at the sizes of the papers."""
    return group.removesuffix("-paper")


class Published:
    """All of them."""

    def __init__(self, path: Path) -> None:
        self._all = tomllib.loads(path.read_text(encoding="utf-8"))
        self.papers = [(paper["short"], paper["title"]) for _, paper in sorted(self._all["papers"].items())]
        self._times = [figure for entry in self._all["time"] for figure in self._figures(entry, "operation")]
        self._sizes = [figure for entry in self._all["size"] for figure in self._figures(entry, "object")]
        self.products = [self._product(entry) for entry in self._all["product"]]
        self.designs = [self._design(entry) for entry in self._all["design"]]
        self.encryptions = [each for entry in self._all["encryption"] for each in self._encryptions(entry)]
        # From the smallest group of an operation to the largest, not by their names.
        self.encryptions.sort(key=lambda each: (each.operation, each.products))
        self.speedups = [self._speedup(entry) for entry in self._all["speedup"]]

    def times(self, group: str, operation: str | None = None) -> list[Figure]:
        """Of a group, in the order of the file."""
        name = group_of(group)
        return [time for time in self._times if time.group == name and operation in (None, time.of)]

    def fastest(self, group: str, operation: str, kind: str) -> Figure | None:
        """The fastest time on a kind of platform."""
        found = [time for time in self.times(group, operation) if time.origin.kind == kind]
        return min(found, key=lambda time: time.value, default=None)

    def public_key(self, group: str) -> Figure | None:
        """The size of the public key."""
        return next((size for size in self._sizes if size.group == group_of(group)), None)

    def hardware_seconds(self, group: str, operation: str) -> float | None:
        """What an operation takes on published hardware, computed from its cycles and clocks."""
        wanted = (group_of(group), operation)
        return next((each.seconds for each in self.encryptions if (each.group, each.operation) == wanted), None)

    def _origin(self, entry: dict[str, Any]) -> Origin:
        platform = self._all["platforms"].get(entry.get("platform"), {"name": "", "kind": "software"})
        names = [name for name in (platform["name"], entry.get("design", "")) if name]
        paper = self._all["papers"][entry["paper"]]["short"]
        return Origin(": ".join(names), platform["kind"], paper, entry["where"], entry.get("recalled", False))

    def _figures(self, entry: dict[str, Any], of: str) -> list[Figure]:
        origin, unit = self._origin(entry), _UNITS[entry["unit"]]
        return [Figure(group, entry[of], value * unit, origin) for group, value in sorted(entry["values"].items())]

    def _product(self, entry: dict[str, Any]) -> Product:
        value = entry.get("value")
        return Product(
            (int(entry["bits"][0]), int(entry["bits"][1])),
            None if value is None else value * _UNITS[entry["unit"]],
            entry.get("cycles", 0),
            entry.get("megahertz", 0) * 1e6,
            self._origin(entry),
        )

    def _design(self, entry: dict[str, Any]) -> Design:
        return Design(
            entry["id"],
            entry["name"],
            entry["megahertz"] * 1e6,
            entry["cost"],
            entry.get("product_cycles", {}),
            entry.get("reduction_cycles", {}),
            self._origin(entry),
        )

    def _encryptions(self, entry: dict[str, Any]) -> list[Encryption]:
        designs = {design.id: design for design in self.designs}
        origin = self._origin(entry)
        return [
            Encryption(
                entry["operation"],
                group,
                designs[entry["product"][group]],
                designs[entry["reduction"][group]],
                products,
                origin,
            )
            for group, products in sorted(entry["products"].items())
        ]

    def _speedup(self, entry: dict[str, Any]) -> Speedup:
        over = f"{entry['over']} on {self._all['platforms'][entry['over_platform']]['name']}"
        lowest, highest = (value * _UNITS[entry["unit"]] for value in entry["range"])
        return Speedup(entry["what"], over, lowest, highest, self._origin(entry))
