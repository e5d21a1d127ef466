# SPDX-License-Identifier: Apache-2.0
"""The figures of the literature, of params/published.toml, checked when they are read."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from study import Computed, Malformed

KINDS = ("software", "GPU", "ASIC", "FPGA")

_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
_SIZES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_RATIOS = {"times": 1.0}


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
    """All of them. Raises Malformed with the entry that lacks something, names an unknown paper, platform, design or unit, or
    has a number that is not positive."""

    def __init__(self, path: Path) -> None:
        try:
            everything = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise Malformed(f"{path.name}: {error}") from None

        def entries(name: str) -> list[_Entry]:
            tables = everything.get(name, [])
            return [_Entry(everything, table, f"{path.name}: [[{name}]] number {i}") for i, table in enumerate(tables, 1)]

        papers = sorted(everything.get("papers", {}).items())
        self.papers = [_Entry(everything, table, f"{path.name}: paper {name!r}").paper() for name, table in papers]
        self.all_times = [figure for entry in entries("time") for figure in entry.figures("operation", _TIMES)]
        self.sizes = [figure for entry in entries("size") for figure in entry.figures("object", _SIZES)]
        self.products = [entry.product() for entry in entries("product")]
        self.designs = [entry.design() for entry in entries("design")]
        designs = {design.id: design for design in self.designs}
        self.encryptions = [each for entry in entries("encryption") for each in entry.encryptions(designs)]
        # From the smallest group of an operation to the largest, not by their names.
        self.encryptions.sort(key=lambda each: (each.operation, each.products))
        self.speedups = [entry.speedup() for entry in entries("speedup")]

    def times(self, group: str, operation: str | None = None) -> list[Figure]:
        """Of a group, in the order of the file."""
        name = group_of(group)
        return [time for time in self.all_times if time.group == name and operation in (None, time.of)]

    def fastest(self, group: str, operation: str, kind: str) -> Figure | None:
        """The fastest time on a kind of platform."""
        found = [time for time in self.times(group, operation) if time.origin.kind == kind]
        return min(found, key=lambda time: time.value, default=None)

    def public_key(self, group: str) -> Figure | None:
        """The size of the public key."""
        return next((size for size in self.sizes if size.group == group_of(group)), None)

    def hardware_seconds(self, group: str, operation: str) -> float | None:
        """What an operation takes on published hardware, computed from its cycles and clocks."""
        wanted = (group_of(group), operation)
        return next((each.seconds for each in self.encryptions if (each.group, each.operation) == wanted), None)

    def printed(self, computed: Computed) -> Figure | None:
        """What the paper prints for an operation on the design that was computed."""
        times = self.times(computed.group, computed.operation)
        ours = (each for each in times if each.origin.kind == "FPGA" and each.origin.system.endswith(f": {computed.published}"))
        return next(ours, None)


class _Entry:
    """A table of the file, which says in its errors which it is."""

    def __init__(self, everything: dict[str, Any], table: Any, name: str) -> None:
        self._all, self._table, self._name = everything, table, name
        if not isinstance(table, dict):
            raise self._wrong("is no table")

    def paper(self) -> tuple[str, str]:
        """Its short name, and its title with authors, place and year."""
        return self._text("short"), self._text("title")

    def figures(self, of: str, units: dict[str, float]) -> list[Figure]:
        """One for each group."""
        name, origin, unit = self._text(of), self._origin(), self._unit(units)
        return [Figure(group, name, value * unit, origin) for group, value in self._by_group("values").items()]

    def product(self) -> Product:
        bits, unit = self._pair("bits"), self._unit(_TIMES)
        if not self._table.keys() & {"value", "cycles"}:
            raise self._wrong("has neither 'value' nor 'cycles'")
        seconds = self._number("value") * unit if "value" in self._table else None
        cycles, hertz = (self._number("cycles"), self._hertz()) if "cycles" in self._table else (0.0, 0.0)
        return Product((int(bits[0]), int(bits[1])), seconds, cycles, hertz, self._origin())

    def design(self) -> Design:
        product, reduction = (
            self._by_group(key) if key in self._table else {} for key in ("product_cycles", "reduction_cycles")
        )
        names = (self._text("id"), self._text("name"))
        return Design(*names, self._hertz(), self._text("cost"), product, reduction, self._origin())

    def encryptions(self, designs: dict[str, Design]) -> list[Encryption]:
        """One for each group."""
        operation, origin = self._text("operation"), self._origin()
        found = []
        for group, products in self._by_group("products").items():
            product, reduction = (self._design_for(key, group, designs) for key in ("product", "reduction"))
            found.append(Encryption(operation, group, product, reduction, products, origin))
        return found

    def speedup(self) -> Speedup:
        lowest, highest = (value * self._unit(_RATIOS) for value in self._pair("range"))
        over = f"{self._text('over')} on {self._named('platform', 'over_platform')._text('name')}"
        return Speedup(self._text("what"), over, lowest, highest, self._origin())

    def _wrong(self, what: str) -> Malformed:
        return Malformed(f"{self._name}: {what}")

    def _text(self, key: str) -> str:
        value = self._table.get(key)
        if not isinstance(value, str) or not value:
            raise self._wrong(f"{key!r} is missing or no text")
        return value

    def _positive(self, value: Any, key: str) -> float:
        if type(value) not in (int, float) or not 0 < value < math.inf:
            raise self._wrong(f"{key!r} is missing or not a positive number")
        return float(value)

    def _number(self, key: str) -> float:
        return self._positive(self._table.get(key), key)

    def _hertz(self) -> float:
        return self._number("megahertz") * 1e6

    def _pair(self, key: str) -> list[float]:
        values = self._table.get(key)
        if not isinstance(values, list) or len(values) != 2:
            raise self._wrong(f"{key!r} is no pair")
        return [self._positive(value, key) for value in values]

    def _by_group(self, key: str) -> dict[str, float]:
        values = self._table.get(key)
        if not isinstance(values, dict) or not values:
            raise self._wrong(f"{key!r} is missing or not by group")
        return {group: self._positive(value, key) for group, value in sorted(values.items())}

    def _unit(self, units: dict[str, float]) -> float:
        name = self._text("unit")
        if name not in units:
            raise self._wrong(f"unknown unit {name!r}; known are {', '.join(units)}")
        return units[name]

    def _named(self, what: str, key: str) -> _Entry:
        """The paper or platform that a text of this entry names."""
        name = self._text(key)
        if name not in self._all.get(f"{what}s", {}):
            raise self._wrong(f"unknown {what} {name!r}")
        return _Entry(self._all, self._all[f"{what}s"][name], f"{self._name}: {what} {name!r}")

    def _origin(self) -> Origin:
        paper, _ = self._named("paper", "paper").paper()
        names, kind = [], KINDS[0]
        if "platform" in self._table:
            platform = self._named("platform", "platform")
            names, kind = [platform._text("name")], platform._text("kind")
            if kind not in KINDS:
                raise self._wrong(f"unknown kind {kind!r}; known are {', '.join(KINDS)}")
        if "design" in self._table:
            names.append(self._text("design"))
        return Origin(": ".join(names), kind, paper, self._text("where"), self._table.get("recalled") is True)

    def _design_for(self, key: str, group: str, designs: dict[str, Design]) -> Design:
        """The design that a key names for a group, which says its cycles for the group."""
        names = self._table.get(key)
        name = names.get(group) if isinstance(names, dict) else None
        if name not in designs:
            raise self._wrong(f"{key!r} names no known design for {group}")
        if group not in getattr(designs[name], f"{key}_cycles"):
            raise self._wrong(f"design {name!r} gives no {key} cycles for {group}")
        return designs[name]
