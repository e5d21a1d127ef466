# SPDX-License-Identifier: Apache-2.0
"""Numbers with their units, and any text as text of a page."""

from __future__ import annotations

import re
from typing import Any

_SECONDS = ("ns", "us", "ms", "s")
_BYTES = ("B", "kB", "MB", "GB")
_BITS = ("bit", "kbit", "Mbit", "Gbit")
_HERTZ = ("Hz", "kHz", "MHz", "GHz")


def _three_digits(value: float) -> str:
    """Three digits, none of them behind the point from 100 on."""
    return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f}"


def _scaled(value: float, units: tuple[str, ...]) -> str:
    """In the largest of the units, which are a factor of 1000 apart, that leaves at least 1."""
    unit = 0
    while value >= 999.5 and unit + 1 < len(units):
        value /= 1000
        unit += 1
    number = _three_digits(value)
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {units[unit]}"


def duration(seconds: float) -> str:
    return _scaled(seconds * 1e9, _SECONDS)


def data_size(count: float) -> str:
    return _scaled(count, _BYTES)


def bit_count(bits: float) -> str:
    return _scaled(bits, _BITS)


def frequency(hertz: float) -> str:
    return _scaled(hertz, _HERTZ)


def times(ratio: float) -> str:
    return f"{_three_digits(ratio)}x"


def whole_times(ratio: float) -> str:
    return f"{ratio:g}x"


def percent(part: float) -> str:
    return f"{100 * part:.1f} %"


def grouped(number: float) -> str:
    return f"{int(number):,}"


def date_and_time(text: str) -> str:
    """ "2026-11-20 15:52" for 2026-11-20T15:52:12Z; other texts as they are."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\dZ", text)
    return f"{found[1]} {found[2]}" if found else text


def clean(value: Any) -> str:
    """A text of a file in one line: line ends as spaces, and what XML does not have as U+FFFD."""
    return re.sub(r"[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "\ufffd", re.sub(r"[\n\r\t]", " ", str(value)))


def markdown(value: Any) -> str:
    """Text that stands for itself in a line or a cell of Markdown."""
    text = str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~#!])", r"\\\1", text)


def slug(text: str) -> str:
    """For names of files and anchors: "Times on cnt-toy" is "times-on-cnt-toy"."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))
