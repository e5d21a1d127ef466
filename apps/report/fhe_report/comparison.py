# SPDX-License-Identifier: Apache-2.0
"""How measured operations compare with published figures and with earlier measurements, as plain text."""

from __future__ import annotations

from collections.abc import Iterable

from published import Figure, Published
from study import Record, Study
from text import date_and_time, duration, times


def to_text(study: Study, published: Published, before: Study | None) -> str:
    """A table for each run, and one of computed clocks. Times on a device are by its clock."""
    parts = []
    for run in study.runs:
        older = before.like(run) if before else None
        rows: list[list[str]] = []
        for record in run.records:
            others = [_beside(figure) for figure in published.times(run.group, record.operation)]
            if older and (earlier := older.find(record.operation)):
                others.append((_seconds(earlier), duration(_seconds(earlier)), f"before, {date_and_time(older.date)}"))
            rows += _rows(record.operation, _seconds(record), others)
        machine = f"{run.processor}, {run.cores} cores, {run.compiler}, {date_and_time(run.date)}"
        parts.append(_table(f"{run.group} on {study.label(run)} ({run.backend_description}): {machine}", rows))
    computed: list[list[str]] = []
    for each in study.computed:
        printed = published.printed(each)
        computed += _rows(f"{each.module}: {each.operation}, {each.group}", each.seconds, [_beside(printed)] if printed else [])
    if computed:
        parts.append(_table("Hardware of this tree, by its law of clocks", computed))
    if not parts:
        return "Nothing here has anything beside it; --out DIRECTORY draws it.\n"
    return "\n".join(parts) + "\n~ marks published figures that were not checked against the page.\n"


def _seconds(record: Record) -> float:
    return record.device_seconds or record.seconds


def _beside(figure: Figure) -> tuple[float, str, str]:
    origin = figure.origin
    return figure.value, origin.text(duration(figure.value)), f"{origin.system} ({origin.source})"


def _rows(name: str, seconds: float, others: Iterable[tuple[float, str, str]]) -> list[list[str]]:
    """The operation, and under each other what is beside it."""
    compared = [[text, times(value / seconds), where] for value, text, where in others] or [["", "", ""]]
    return [[*(("", "") if i else (name, duration(seconds))), *row] for i, row in enumerate(compared)]


def _table(title: str, rows: list[list[str]]) -> str:
    """Columns of numbers are aligned to the right, and the last one is text."""
    rows = [["operation", "time", "beside", "times as fast", ""], *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = ("  ".join([*(cell.rjust(width) for cell, width in zip(row, widths)), row[4]]).rstrip() for row in rows)
    return "\n".join([title, "", *lines, ""])
