# SPDX-License-Identifier: Apache-2.0
"""The report: what a study says, as sections of paragraphs, tables and charts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Union

from charts import Bar, BarChart, Bars, Chart, LineChart, Point, Points, Scale, draw
from published import KINDS, Published
from study import ENGINE, Circuit, Facts, Record, Run, Study, is_device, unique
from text import (
    bit_count,
    data_size,
    date_and_time,
    duration,
    frequency,
    grouped,
    percent,
    times,
    whole_times,
)

_TITLES = {
    "keygen": "key generation",
    "prepare_encryption": "prepare a key",
    "encrypt_dense": "encrypt one bit",
    "encrypt_sparse": "encrypt one bit, sparse",
    "encrypt_batch_16": "encrypt, each of 16 at once",
    "encrypt_owner": "encrypt by the key's owner",
    "encrypt_owner_64": "the same, each of 64 at once",
    "expand_owner_64": "expand these, each of 64 at once",
    "decrypt": "decrypt",
    "add": "XOR gate",
    "mult": "AND gate, no refresh",
    "recrypt": "recrypt",
    "recrypt_8": "recrypt, each of 8 at once",
    "expand": "expand (part of recrypt)",
    "encrypt_per_slot": "encrypt, each slot",
    "decrypt_per_slot": "decrypt, each slot",
    "mult_per_slot": "AND gate, each slot",
    "recrypt_per_slot": "recrypt, each slot",
    "aes_state_add_round_key": "AES, a block a slot: AddRoundKey",
    "aes_state_sub_bytes": "AES, a block a slot: SubBytes",
    "aes_state_mix_columns": "AES, a block a slot: ShiftRows and MixColumns",
    "aes_state": "AES, a block a slot, per block",
    "aes_bytes_add_round_key": "AES, a byte a slot: AddRoundKey",
    "aes_bytes_sub_bytes": "AES, a byte a slot: SubBytes and ShiftRows",
    "aes_bytes_mix_columns": "AES, a byte a slot: MixColumns",
    "aes_bytes": "AES, a byte a slot, per block",
    "gmp_multiplication": "product of ciphertexts by GMP",
    "multiplication": "product of ciphertexts",
    "gmp_modular_multiplication": "modular product by GMP",
    "modular_multiplication": "modular product",
}

# The operations that have charts.
_CHARTED = {
    "keygen": "Key generation",
    "encrypt_dense": "Encryption of one bit",
    "encrypt_sparse": "Sparse encryption of one bit",
    "decrypt": "Decryption of one bit",
    "mult": "AND gate without refresh",
    "recrypt": "Recryption",
    "recrypt_per_slot": "Recryption of each slot",
}

# Styles of series: of the backends by their number, of GMP, of published figures, of the noise of ciphertexts.
_BACKEND_STYLES = (0, 1, 5)
_GMP_STYLE = 6
_KIND_STYLES = {"software": 4, "GPU": 2, "ASIC": 3, "FPGA": 7}
_CHAIN_STYLES = (0, 5, 1, 7, 2, 3)

_NOTICEABLE = 1.1  # below that a change may be chance

_TIME = Scale("time, logarithmic", duration, logarithmic=True)
_SIZE = Scale("size, logarithmic", data_size, logarithmic=True)
_OPERAND = Scale("bits of each operand, logarithmic", bit_count, logarithmic=True)


@dataclass(frozen=True)
class Strong:
    """A cell that stands out."""

    text: str

    def __str__(self) -> str:
        return self.text


Cell = Union[str, Strong]


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Table:
    """The first `text_columns` columns are text, aligned to the left; others are numbers."""

    caption: str
    columns: list[str]
    rows: list[list[Cell]]
    text_columns: int = 1


@dataclass(frozen=True)
class Gallery:
    """Charts that stand side by side where there is room."""

    charts: list[Chart]


@dataclass(frozen=True)
class Section:
    title: str
    parts: list[Paragraph | Table | Gallery] = field(default_factory=list)


@dataclass(frozen=True)
class Document:
    title: str
    summary: list[str]  # paragraphs under the title
    sections: list[Section]

    @property
    def charts(self) -> list[Chart]:
        """All of them in their order."""
        galleries = (part for section in self.sections for part in section.parts if isinstance(part, Gallery))
        return [chart for gallery in galleries for chart in gallery.charts]


class Report:
    """Makes the document of a study."""

    def __init__(self, study: Study, published: Published, before: Study | None = None) -> None:
        self._study = study
        self._published = published
        self._before = before

    def document(self) -> Document:
        """All sections that have something to say."""
        sections = [
            self._operations(),
            self._products(),
            self._noise(),
            self._scaling(),
            self._hardware(),
            self._comparison(),
            self._sources(),
        ]
        return Document("What fhe costs", self._summary(), [section for section in sections if section.parts])

    def _summary(self) -> list[str]:
        """On which machines, when, and what."""
        runs = self._study.timed or self._study.runs
        if not runs:
            return []
        machines = unique(f"{run.processor}, {run.cores} cores, {run.compiler}" for run in runs)
        dates = [run.date for run in runs]
        first, last = date_and_time(min(dates)), date_and_time(max(dates))
        when = first if first == last else f"{first} to {last}"
        measured = f"Measured on {' and on '.join(machines)}; {when} UTC."
        if not self._study.labels:
            return [measured]
        groups = f"Groups: {', '.join(self._study.groups)}. " if self._study.groups else ""
        return [measured, f"{groups}Backends: {', '.join(self._study.labels)}."]

    # ---- Times of the operations of all groups, beside the published ones

    def _operations(self) -> Section:
        section = Section("Operations")
        if not self._study.groups:
            return section
        section.parts.append(self._overview())
        section.parts.append(Gallery([draw(chart) for chart in self._operation_charts()]))
        section.parts.append(
            Paragraph(
                "Published times are the fastest of their kind; the last section names all of them. "
                '"From cycles" is computed from the published cycle counts and clocks.'
            )
        )
        section.parts.extend(self._group_table(group) for group in self._study.groups)
        return section

    @property
    def _reference(self) -> str | None:
        """The backend that the first one is compared with: "ntl", when that is another one."""
        return "ntl" if "ntl" in self._study.labels[1:] else None

    def _speed_up(self, group: str, operation: str) -> float | None:
        """How much faster the first backend is than the reference."""
        if self._reference is None:
            return None
        ours = self._study.find(group, self._study.labels[0], operation)
        theirs = self._study.find(group, self._reference, operation)
        return theirs.seconds / ours.seconds if ours and theirs else None

    def _overview(self) -> Table:
        """A row for each group: the first backend's times, and how they compare with the reference's."""
        study, label = self._study, self._study.labels[0]
        caption = label if self._reference is None else f"{label}, and how many times as fast as {self._reference}"
        operations = [name for name in _CHARTED if any(study.find(group, label, name) for group in study.groups)]
        rows: list[list[Cell]] = []
        for group in study.groups:
            cells: list[Cell] = [group]
            for operation in operations:
                ratio = self._speed_up(group, operation)
                time = _time_of(study.find(group, label, operation))
                cells.append(time if ratio is None else f"{time} ({times(ratio)})")
            rows.append(cells)
        return Table(caption, ["group", *map(_title_of, operations)], rows)

    def _operation_charts(self) -> Iterable[BarChart]:
        for operation, title in _CHARTED.items():
            measured = [self._measured(operation, label, i) for i, label in enumerate(self._study.labels)]
            if any(measured):
                series = [*measured, *(self._of_kind(operation, kind) for kind in KINDS)]
                yield BarChart(
                    title,
                    "By group: this machine beside the fastest published figure of every kind, on a logarithmic axis",
                    _TIME,
                    self._study.groups,
                    [each for each in series if each],
                )
        ratios = [self._ratios(operation, i) for i, operation in enumerate(_CHARTED)]
        if any(ratios):
            yield BarChart(
                f"Times as fast as {self._reference}",
                f"How many times as fast {self._study.labels[0]} is as {self._reference} on the same machine, by group "
                "and operation",
                Scale("times as fast", whole_times),
                self._study.groups,
                [series for series in ratios if series],
            )

    def _measured(self, operation: str, label: str, number: int) -> Bars:
        bars: list[Bar | None] = []
        for group in self._study.groups:
            record = self._study.find(group, label, operation)
            time = _time_of(record)
            bars.append(Bar(record.seconds, time, f"{group} on {label}: {time}") if record else None)
        return Bars(label, _BACKEND_STYLES[number % len(_BACKEND_STYLES)], bars)

    def _of_kind(self, operation: str, kind: str) -> Bars:
        bars: list[Bar | None] = []
        for group in self._study.groups:
            time = self._published.fastest(group, operation, kind)
            if time is None:
                bars.append(None)
                continue
            text = time.origin.text(duration(time.value))
            bars.append(Bar(time.value, text, f"{group} on {time.origin.system}: {text} ({time.origin.source})"))
        return Bars(f"{kind}, published", _KIND_STYLES[kind], bars)

    def _ratios(self, operation: str, style: int) -> Bars:
        bars: list[Bar | None] = []
        for group in self._study.groups:
            ratio = self._speed_up(group, operation)
            text = "" if ratio is None else times(ratio)
            bars.append(None if ratio is None else Bar(ratio, text, f"{group}, {_title_of(operation)}: {text}"))
        return Bars(_title_of(operation), style, bars)

    def _group_table(self, group: str) -> Table:
        study = self._study
        labels = [label for label in study.labels if study.run(group, label)]
        operations = unique(record.operation for run in study.timed if run.group == group for record in run.records)
        kinds = [kind for kind in KINDS if any(self._published.fastest(group, name, kind) for name in operations)]
        lacks_card = not any(_is_card(label) for label in labels)
        compared = self._reference in labels[1:]
        hardware = any(self._published.hardware_seconds(group, operation) for operation in operations)
        columns = ["operation", *labels]
        columns += ["gpu"] if lacks_card else []
        columns += [f"{labels[0]} against {self._reference}"] if compared else []
        columns += [f"{kind}, published" for kind in kinds]
        columns += ["FPGA, from cycles"] if hardware else []
        rows: list[list[Cell]] = []
        for operation in operations:
            first, *others = (_time_of(study.find(group, label, operation)) for label in labels)
            cells: list[Cell] = [_title_of(operation), Strong(first) if first else "", *others]
            cells += ["not measured"] if lacks_card else []
            if compared:
                ratio = self._speed_up(group, operation)
                cells.append("" if ratio is None else times(ratio))
            for kind in kinds:
                time = self._published.fastest(group, operation, kind)
                cells.append(time.origin.text(duration(time.value)) if time else "")
            if hardware:
                seconds = self._published.hardware_seconds(group, operation)
                cells.append(duration(seconds) if seconds else "")
            rows.append(cells)
        memory: list[Cell] = ["peak memory", *(_peak_memory(study.run(group, label)) for label in labels)]
        rows.append(memory + [""] * (len(columns) - len(memory)))
        return Table(group, columns, rows)

    # ---- Products, by the length of their operands

    def _products(self) -> Section:
        section = Section("Products")
        backends = [
            _Products(label, _BACKEND_STYLES[i % len(_BACKEND_STYLES)], run)
            for i, label in enumerate(self._study.labels)
            if (run := self._study.run(ENGINE, label))
        ]
        backends = [backend for backend in backends if backend.products]
        if not backends:
            return section
        gmp: dict[int, float] = {}
        for backend in backends:  # where several runs measured a size, that of the first
            gmp = {**backend.gmp, **gmp}
        section.parts.append(Gallery([draw(self._product_times(backends, gmp)), draw(_product_ratios(backends))]))
        section.parts.append(_product_table(backends, gmp))
        section.parts.append(self._published_products(backends[0]))
        return section

    def _product_times(self, backends: list[_Products], gmp: dict[int, float]) -> LineChart:
        series = [_product_points("GMP", _GMP_STYLE, gmp)]
        series += [_product_points(backend.label, backend.style, backend.products) for backend in backends]
        for kind in KINDS:
            points = [
                Point(
                    product.bits[0],
                    product.best_seconds,
                    f"{product.origin.system}: {grouped(product.bits[0])} bits in {duration(product.best_seconds)} "
                    f"({product.origin.source})",
                )
                for product in self._published.products
                if product.origin.kind == kind and product.bits[0] == product.bits[1]
            ]
            series.append(Points(f"{kind}, published", _KIND_STYLES[kind], points, joined=False))
        return LineChart(
            "Products by operand size",
            "Time of one product of two equal operands on one thread, by their length; both axes are logarithmic",
            _OPERAND,
            _TIME,
            [each for each in series if each.points],
        )

    def _published_products(self, ours: _Products) -> Table:
        rows: list[list[Cell]] = []
        for product in self._published.products:
            equal = product.bits[0] == product.bits[1]
            rows.append(
                [
                    product.origin.system,
                    product.origin.source,
                    f"{grouped(product.bits[0])} x {grouped(product.bits[1])}",
                    _duration(product.seconds),
                    grouped(product.cycles) if product.cycles else "",
                    frequency(product.hertz) if product.cycles else "",
                    _duration(product.seconds_from_cycles),
                    _duration(ours.products.get(product.bits[0])) if equal else "",
                ]
            )
        columns = ["system", "source", "operands in bits", "printed", "cycles", "clock", "from cycles", f"{ours.label} here"]
        return Table("Published products", columns, rows, text_columns=2)

    # ---- Sizes of keys and ciphertexts, and how many products the noise leaves room for

    def _noise(self) -> Section:
        section = Section("Sizes and noise")
        facts = self._study.facts
        if not facts:
            return section
        charts: list[BarChart | LineChart] = [self._size_chart()]
        charts += [_budget_chart(scheme, facts) for scheme in unique(each.scheme for each in facts)]
        section.parts.append(Gallery([draw(chart) for chart in charts]))
        section.parts.append(self._size_table())
        section.parts.append(_noise_table(facts))
        return section

    def _size_chart(self) -> BarChart:
        facts = self._study.facts

        def series(name: str, style: int, sizes: list[float]) -> Bars:
            bars = [Bar(s, data_size(s), f"{name} of {f.group}: {data_size(s)}") for f, s in zip(facts, sizes)]
            return Bars(name, style, list(bars))

        published: list[Bar | None] = []
        for each in facts:
            size = self._published.public_key(each.group)
            text = size.origin.text(data_size(size.value)) if size else ""
            published.append(Bar(size.value, text, f"public key of {each.group}: {text} ({size.origin.source})") if size else None)
        all_series = [
            series("ciphertext", 0, [each.ciphertext_bytes for each in facts]),
            series("secret key", 3, [each.secret_key_bytes for each in facts]),
            series("public key", 1, [each.public_key_bytes for each in facts]),
            Bars("public key, published", _KIND_STYLES["software"], published),
        ]
        return BarChart(
            "Sizes of ciphertexts and keys",
            "Bytes of one ciphertext and of the files of the keys by group, beside the published public keys; logarithmic axis",
            _SIZE,
            [each.group for each in facts],
            [each for each in all_series if each],
        )

    def _size_table(self) -> Table:
        rows: list[list[Cell]] = []
        for each in self._study.facts:
            size = self._published.public_key(each.group)
            rows.append(
                [
                    each.group,
                    grouped(each.modulus_bits),
                    data_size(each.ciphertext_bytes),
                    data_size(each.secret_key_bytes),
                    data_size(each.public_key_bytes),
                    size.origin.text(data_size(size.value)) if size else "",
                ]
            )
        columns = ["group", "bits of a ciphertext", "ciphertext", "secret key", "public key", "public key, published"]
        return Table("Sizes", columns, rows)

    # ---- Circuits on many workers

    def _scaling(self) -> Section:
        section = Section("Circuits on many workers")
        for scaling in self._study.scalings:
            section.parts.append(
                Paragraph(
                    f"Under a key of {scaling.group} a recryption takes {duration(scaling.recryption_seconds)}, a product "
                    f"{duration(scaling.product_seconds)} and a sum {duration(scaling.sum_seconds)}. Each circuit is a graph "
                    "of such tasks. List scheduling is what could be reached at best by who always has the next task at "
                    "hand; the executor was run on tasks that sleep as long as they would take, so that a machine of few "
                    "cores can try many workers."
                )
            )
            series = [points for i, circuit in enumerate(scaling.circuits) for points in _used_points(circuit, i)]
            chart = LineChart(
                f"How much of many workers is used, {scaling.group}",
                "Part of the workers' time that is spent on tasks: lines by list scheduling, marks without lines measured "
                "with tasks that sleep",
                Scale("workers, logarithmic", "{:.0f}".format, logarithmic=True),
                Scale("used", "{:.0f} %".format),
                series,
            )
            section.parts.append(Gallery([draw(chart)]))
            section.parts.extend(_workers_table(scaling.group, circuit) for circuit in scaling.circuits)
        return section

    # ---- What published hardware takes, and what devices of this study said

    def _hardware(self) -> Section:
        section = Section("Hardware")
        devices = self._device_table()
        if devices.rows:
            section.parts.append(devices)
        if self._study.computed:
            section.parts.append(
                Paragraph(
                    "What the hardware of accel/fpga takes by its law of clocks, to which tests hold the simulated RTL at "
                    "sizes that a simulation can reach. The clock frequencies are those of the papers: none of it was placed "
                    "as a whole, timed or run on a board."
                )
            )
            section.parts.append(self._computed_table())
        section.parts.append(
            Paragraph(
                "What the published designs take by their own cycle counts and clocks. Encryption is so many products and "
                "then two more for the reduction modulo x0, as the paper computes it."
            )
        )
        section.parts.append(self._encryption_table())
        section.parts.append(self._design_product_table())
        designs: list[list[Cell]] = [
            [design.name, design.origin.system, design.cost, design.origin.source, frequency(design.hertz)]
            for design in self._published.designs
        ]
        section.parts.append(Table("Published designs", ["design", "device", "cost", "source", "clock"], designs, 4))
        speedups: list[list[Cell]] = [
            [each.what, each.origin.system, each.over, each.origin.source]
            + [f"{whole_times(each.lowest)} to {whole_times(each.highest)}"]
            for each in self._published.speedups
        ]
        columns = ["product", "device", "against", "source", "times as fast"]
        section.parts.append(Table("Published speed-ups of other products", columns, speedups, 4))
        return section

    def _device_table(self) -> Table:
        rows: list[list[Cell]] = []
        for run in self._study.runs:
            for record in run.records:
                if not record.device_cycles:
                    continue
                rows.append(
                    [
                        _group_title(run.group),
                        self._study.label(run),
                        _title_of(record.operation),
                        _device_kind(run.backend),
                        grouped(record.device_cycles),
                        frequency(record.device_hertz) if record.device_hertz else "",
                        _duration(record.device_seconds),
                        duration(record.seconds),
                    ]
                )
        columns = ["group", "backend", "operation", "cycles are", "cycles", "clock", "time on the device", "time here"]
        return Table("Devices of this report", columns, rows, 4)

    def _computed_table(self) -> Table:
        rows: list[list[Cell]] = []
        for each in self._study.computed:
            printed = self._published.printed(each)
            rows.append(
                [
                    each.module,
                    each.published,
                    printed.origin.source if printed else "",
                    each.group,
                    _title_of(each.operation),
                    grouped(each.device_cycles),
                    frequency(each.device_hertz),
                    duration(each.seconds),
                    printed.origin.text(duration(printed.value)) if printed else "",
                    times(printed.value / each.seconds) if printed else "",
                ]
            )
        columns = ["module", "published design", "source", "group", "operation", "cycles by law", "clock, assumed", "time"]
        columns += ["published", "times as fast"]
        return Table("Hardware of this tree beside its papers", columns, rows, 5)

    def _encryption_table(self) -> Table:
        labels = self._study.labels
        rows: list[list[Cell]] = []
        for each in self._published.encryptions:
            # What the paper prints for the same.
            printed = [
                time.origin.text(duration(time.value))
                for time in self._published.times(each.group, each.operation)
                if time.origin.paper == each.origin.paper and time.origin.kind == "FPGA"
            ]
            rows.append(
                [
                    _title_of(each.operation),
                    f"{each.products:.0f} x {each.product.name}",
                    f"2 x {each.reduction.name}",
                    each.group,
                    duration(each.seconds),
                    printed[0] if printed else "",
                    *(_time_of(self._study.find(each.group, label, each.operation)) for label in labels),
                ]
            )
        columns = ["operation", "products on", "reduction on", "group", "from cycles", "printed"]
        columns += [f"{label} here" for label in labels]
        return Table("Encryption of one bit of CNT, from published cycles", columns, rows, 4)

    def _design_product_table(self) -> Table:
        groups = ["cnt-toy", "cnt-small", "cnt-medium", "cnt-large"]
        rows: list[list[Cell]] = []
        for design in self._published.designs:
            if not design.product_cycles:
                continue
            cells: list[Cell] = [design.name]
            for group in groups:
                cycles = design.product_cycles.get(group)
                cells.append(f"{grouped(cycles)} ({duration(cycles / design.hertz)})" if cycles else "")
            rows.append(cells)
        caption = "One product of an encryption in cycles (and time at the published clock)"
        return Table(caption, ["design", *groups], rows)

    # ---- The same operations before and now

    def _comparison(self) -> Section:
        section = Section("Compared with before")
        if self._before is None:
            return section
        changes = self._changes(self._before)
        if not changes:
            section.parts.append(
                Paragraph(
                    "Nothing that was measured before was measured again: no run of the same group, backend and number of "
                    "threads has an operation in common."
                )
            )
            return section
        faster = sum(change.ratio >= _NOTICEABLE for change in changes)
        slower = sum(change.ratio <= 1 / _NOTICEABLE for change in changes)
        first = self._before.runs[0]
        section.parts.append(
            Paragraph(
                f"Of {len(changes)} operations {faster} are faster and {slower} slower by a factor of {_NOTICEABLE} or more. "
                f"Before: {first.processor}, {date_and_time(first.date)}."
            )
        )
        section.parts.append(Gallery([draw(self._change_chart(changes))]))
        rows: list[list[Cell]] = [
            [
                _group_title(change.run.group),
                self._study.label(change.run),
                _title_of(change.now.operation),
                duration(change.before.seconds),
                duration(change.now.seconds),
                change.verdict,
            ]
            for change in changes
        ]
        columns = ["group", "backend", "operation", "before", "now", "change"]
        section.parts.append(Table("Operations before and now", columns, rows, 3))
        return section

    def _changes(self, before: Study) -> list[_Change]:
        pairs = [(run, old) for run in self._study.runs if (old := before.like(run))]
        return [
            _Change(run, earlier, record)
            for run, old in pairs
            for record in run.records
            if (earlier := old.find(record.operation))
        ]

    def _change_chart(self, changes: list[_Change]) -> BarChart:
        """The geometric mean of the ratios of every run."""
        groups: list[str] = []
        bars: list[Bar | None] = []
        for run in self._study.runs:
            ratios = [change.ratio for change in changes if change.run is run]
            if not ratios:
                continue
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            groups.append(f"{_group_title(run.group)} on {self._study.label(run)}")
            bars.append(Bar(mean, times(mean), f"{groups[-1]}: {times(mean)}"))
        return BarChart(
            "Times as fast as before",
            "Geometric mean over the operations of each run; more than 1 is faster",
            Scale("times as fast as before", whole_times),
            groups,
            [Bars("now", _BACKEND_STYLES[0], bars)],
        )

    # ---- Which runs there are, and every published figure with its source

    def _sources(self) -> Section:
        runs: list[list[Cell]] = [
            [
                _group_title(run.group),
                f"{run.backend}: {run.backend_description}",
                f"{run.processor}, {run.cores} cores",
                run.compiler,
                date_and_time(run.date),
                str(run.threads),
                str(len(run.records)),
            ]
            for run in self._study.runs
        ]
        columns = ["group", "backend", "machine", "compiler", "date (UTC)", "threads", "operations"]
        section = Section(
            "Runs and sources",
            [
                Paragraph(
                    "Times are by the clock, for one operation, averaged over repetitions by Google Benchmark. A ~ marks "
                    "published figures that are known from the literature but were not checked against the page."
                ),
                Table("Runs", columns, runs, 5),
            ],
        )
        published: list[list[Cell]] = [
            [group, _title_of(time.of), time.origin.system, time.origin.source, time.origin.text(duration(time.value))]
            for group in self._study.groups
            for time in self._published.times(group)
        ]
        if published:
            columns = ["group", "operation", "system", "source", "time"]
            section.parts.append(Table("Published times", columns, published, 4))
        papers: list[list[Cell]] = [[name, title] for name, title in self._published.papers]
        section.parts.append(Table("Papers", ["name here", "paper"], papers, 2))
        return section


@dataclass(frozen=True)
class _Change:
    """An operation that was measured before and now."""

    run: Run
    before: Record
    now: Record

    @property
    def ratio(self) -> float:
        return self.before.seconds / self.now.seconds

    @property
    def verdict(self) -> Cell:
        if self.ratio >= _NOTICEABLE:
            return Strong(f"{times(self.ratio)} as fast")
        if self.ratio <= 1 / _NOTICEABLE:
            return Strong(f"{times(1 / self.ratio)} as slow")
        return "same"


class _Products:
    """What a backend took for products of two equal operands, and GMP in the same run: seconds by bits."""

    def __init__(self, label: str, style: int, run: Run) -> None:
        self.label = label
        self.style = style
        self.products = self._named("product", run)
        self.gmp = self._named("gmp_product", run)

    @staticmethod
    def _named(name: str, run: Run) -> dict[int, float]:
        found = ((re.fullmatch(rf"{name}_([1-9]\d{{0,11}})", record.operation), record) for record in run.records)
        return {int(match[1]): record.seconds for match, record in found if match}

    def against_gmp(self, bits: int) -> float | None:
        """How many times as fast as GMP; nothing for a size that one was not measured at."""
        return self.gmp[bits] / self.products[bits] if bits in self.gmp and bits in self.products else None


def _product_points(label: str, style: int, products: dict[int, float]) -> Points:
    points = [
        Point(bits, seconds, f"{label}: {grouped(bits)} bits in {duration(seconds)}")
        for bits, seconds in sorted(products.items())
    ]
    return Points(label, style, points)


def _product_ratios(backends: list[_Products]) -> LineChart:
    series = []
    for backend in backends:
        ratios = [(bits, backend.against_gmp(bits)) for bits in sorted(backend.products)]
        points = [
            Point(bits, ratio, f"{backend.label}: {times(ratio)} at {grouped(bits)} bits")
            for bits, ratio in ratios
            if ratio is not None
        ]
        series.append(Points(backend.label, backend.style, points))
    return LineChart(
        "Products against GMP",
        "How many times as fast as GMP on the same machine, on one thread",
        _OPERAND,
        Scale("times as fast as GMP", whole_times),
        series,
    )


def _product_table(backends: list[_Products], gmp: dict[int, float]) -> Table:
    columns = ["bits of each operand", "GMP"]
    for backend in backends:
        columns += [backend.label, "against GMP"]
    rows: list[list[Cell]] = []
    for bits in sorted({*gmp, *(bits for backend in backends for bits in backend.products)}):
        cells: list[Cell] = [grouped(bits), _duration(gmp.get(bits))]
        for backend in backends:
            time, ratio = _duration(backend.products.get(bits)), backend.against_gmp(bits)
            cells.append(Strong(time) if time and backend is backends[0] else time)
            cells.append("" if ratio is None else times(ratio))
        rows.append(cells)
    return Table("Products of two equal operands, one thread", columns, rows)


def _budget_chart(scheme: str, all_facts: list[Facts]) -> LineChart:
    series: list[Points] = []
    for facts in all_facts:
        if facts.scheme != scheme:
            continue
        for chain in facts.chains:
            points = []
            for step in chain.steps:
                measured = "" if step.measured_bits is None else f", measured {step.measured_bits:.0f}"
                products = f"{step.depth} product{'' if step.depth == 1 else 's'}"
                tooltip = (
                    f"{facts.group}, {chain.start}, after {products}: noise up to {step.bound_bits:.0f} bits{measured}, of "
                    f"{facts.decrypt_limit_bits:.0f} that decrypt"
                )
                points.append(Point(step.depth, max(0.0, facts.decrypt_limit_bits - step.bound_bits), tooltip))
            style = _CHAIN_STYLES[len(series) % len(_CHAIN_STYLES)]
            series.append(Points(f"{facts.group}, {chain.start}", style, points))
    return LineChart(
        f"Noise budget of {scheme.upper()} by depth",
        "Bits of noise that a ciphertext can still take after it was squared so many times, by the bounds that the library "
        "keeps; at 0 the gate is refused",
        Scale("products one on another", "{:.0f}".format, whole=True),
        Scale("noise budget left, bits", "{:.0f}".format),
        series,
    )


def _noise_table(all_facts: list[Facts]) -> Table:
    """A row for each kind of ciphertext of a group."""
    rows: list[list[Cell]] = []
    for facts in all_facts:
        for chain in facts.chains:
            if len(chain.steps) < 2:
                continue
            noise = [
                f"{step.bound_bits:.0f}: refused"
                if step.measured_bits is None
                else f"{step.bound_bits:.0f} ({step.measured_bits:.0f})"
                for step in chain.steps[:2]
            ]
            limits = [f"{facts.decrypt_limit_bits:.0f}", f"{facts.refresh_limit_bits:.0f}"]
            rows.append([facts.group, chain.start, *noise, *limits, str(len(chain.steps) - 2)])
    columns = ["group", "ciphertext", "noise", "after one product", "decrypts up to", "recrypts up to"]
    return Table("Noise in bits: bound (measured)", [*columns, "products one on another"], rows, 2)


def _used_points(circuit: Circuit, style: int) -> list[Points]:
    def point(workers: int, seconds: float) -> Point:
        used = circuit.used(workers, seconds)
        tooltip = f"{circuit.circuit}: {workers} workers take {duration(seconds)} and are used to {percent(used)}"
        return Point(workers, 100 * used, tooltip)

    scheduled = [point(each.workers, each.scheduled_seconds) for each in circuit.workers]
    slept = [point(each.workers, each.slept_seconds) for each in circuit.workers if each.slept_seconds is not None]
    series = [Points(circuit.circuit, style, scheduled)]
    return [*series, Points(f"{circuit.circuit}, measured", style, slept, joined=False)] if slept else series


def _workers_table(group: str, circuit: Circuit) -> Table:
    rows: list[list[Cell]] = []
    for each in circuit.workers:
        slept = each.slept_seconds
        rows.append(
            [
                grouped(each.workers),
                duration(each.scheduled_seconds),
                percent(circuit.used(each.workers, each.scheduled_seconds)),
                _duration(slept),
                "" if slept is None else Strong(percent(circuit.used(each.workers, slept))),
                "" if slept is None else percent(each.scheduled_seconds / slept),
                data_size(each.moved_bytes) if each.moved_bytes > 0 else "",
            ]
        )
    return Table(
        f"{circuit.circuit} under {group}: {grouped(circuit.recryptions)} recryptions, {duration(circuit.seconds)} of work, "
        f"of which the longest chain takes {duration(circuit.chain_seconds)}",
        [
            "workers",
            "list scheduling",
            "used by it",
            "tasks that sleep",
            "used by them",
            "of list scheduling",
            "between machines of 16",
        ],
        rows,
    )


def _title_of(operation: str) -> str:
    return _TITLES.get(operation, operation)


def _group_title(group: str) -> str:
    return "products" if group == ENGINE else group


def _device_kind(backend: str) -> str:
    """Where the cycles of a run are from."""
    if is_device(backend, "fpga:sim"):
        return "counted by simulated RTL"
    return "law" if is_device(backend, "fpga:model") else "counted by the device"


def _is_card(label: str) -> bool:
    """Whether this is the backend of GPUs, but not its kernels on the processor."""
    return label.startswith("gpu") and not label.startswith("gpu:host")


def _time_of(record: Record | None) -> str:
    return duration(record.seconds) if record else ""


def _duration(seconds: float | None) -> str:
    return "" if seconds is None else duration(seconds)


def _peak_memory(run: Run | None) -> str:
    return data_size(max((record.peak_memory_bytes for record in run.records), default=0)) if run else ""
