# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG, by matplotlib: grouped bars, and lines with markers.

A chart is 460 units wide, so that its text can be read on a telephone as well. Series differ in colour, of a palette after
Okabe and Ito that colour-blind eyes tell apart, and in the order of bars or the shape of markers. Colours are variables of
CSS, for light and for dark. Every mark has its numbers as <title>, which browsers show as a tooltip; the whole chart has a
title and a description for those who do not see it.
"""

from __future__ import annotations

import io
import itertools
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from text import clean, slug

# Styles of series by number: colours in light and dark, and markers. Each is the same in every chart that it is in.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b4578f", "#7d858e", "#3f9fd6", "#9a7400", "#e0a000")
DARK_COLOURS = ("#4aa8e0", "#f0814a", "#2fc49a", "#dd9abf", "#98a1ab", "#8fd0f5", "#c9a227", "#ffc94d")
_MARKERS = ("o", "s", "^", "D", "P", "v", "p", "h")
_INK, _SOFT, _RULE, _GROUND = "#1c2024", "#5b636c", "#dfe3e8", "#ffffff"
_DARK = {_INK: "#e6e9ed", _SOFT: "#a9b1ba", _RULE: "#343b43", _GROUND: "#16191d"}
_NAMES = {_INK: "--ink", _SOFT: "--soft", _RULE: "--rule", _GROUND: "--ground"}
_NAMES.update({colour: f"--s{i}" for i, colour in enumerate(COLOURS)})
_DARK.update(zip(COLOURS, DARK_COLOURS))

_WIDTH, _MARGIN, _LINE = 460.0, 8.0, 16.0
_BAR, _GAP, _GROUP_GAP = 11.0, 2.0, 9.0
_CHARACTER = 6.6  # the width of one, on average
_LONGEST = 40  # characters of a label
_KEY = 31.0  # beside the name of a series in a legend
_PLOT_HEIGHT = 240.0
_BETWEEN_LABELS = 52.0

_SVG = "http://www.w3.org/2000/svg"
_STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _RULE,
    "axes.linewidth": 1,
    "axes.unicode_minus": False,
    "xtick.color": _RULE,
    "ytick.color": _RULE,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "grid.color": _RULE,
    "grid.linewidth": 1,
    "figure.facecolor": _GROUND,
    "axes.facecolor": _GROUND,
    "figure.dpi": 72,
}


@dataclass(frozen=True)
class Scale:
    """An axis: its title, how numbers are written on it, and how they lie on it."""

    title: str
    label: Callable[[float], str]
    logarithmic: bool = False
    whole: bool = False  # ticks at whole numbers only


@dataclass(frozen=True)
class Bar:
    value: float
    label: str  # beside the bar
    tooltip: str


@dataclass(frozen=True)
class Bars:
    """A series: a bar for each group, or none."""

    name: str
    style: int
    bars: list[Bar | None]

    def __bool__(self) -> bool:
        return any(self.bars)


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    tooltip: str


@dataclass(frozen=True)
class Points:
    """A series of points, joined by lines or not."""

    name: str
    style: int
    points: list[Point]
    joined: bool = True


@dataclass(frozen=True)
class BarChart:
    """Horizontal bars, under each other within a group."""

    title: str
    description: str  # what a reader should see, in a sentence or two
    scale: Scale
    groups: list[str]
    series: list[Bars]


@dataclass(frozen=True)
class LineChart:
    """Lines with markers."""

    title: str
    description: str
    x: Scale
    y: Scale
    series: list[Points] = field(default_factory=list)


@dataclass(frozen=True)
class Chart:
    """A drawn chart: an <svg> element without its style sheet."""

    title: str
    description: str
    svg: str

    @property
    def file(self) -> str:
        """Of the chart as a file of its own."""
        return f"{slug(self.title)}.svg"

    @property
    def standalone(self) -> str:
        """The text of that file."""
        head, end, rest = self.svg.partition(">")
        return f"{head}{end}<style>{variables('svg')}</style>{rest}\n"


def variables(selector: str) -> str:
    """The rules of CSS that give the colours of charts, in light and dark."""
    light = " ".join(f"{name}: {colour};" for colour, name in _NAMES.items())
    dark = " ".join(f"{name}: {_DARK[colour]};" for colour, name in _NAMES.items())
    return f"{selector} {{ {light} }} @media (prefers-color-scheme: dark) {{ {selector} {{ {dark} }} }}"


def draw(chart: BarChart | LineChart) -> Chart:
    """The chart, drawn."""
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": slug(chart.title)}):
        tooltips: dict[str, str] = {}
        plot = _bars if isinstance(chart, BarChart) else _lines
        figure = plot(chart, tooltips)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return Chart(chart.title, chart.description, _page_svg(out.getvalue(), chart, tooltips))


def _shortened(text: str) -> str:
    text = clean(text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"


def _widest(texts: Sequence[str]) -> float:
    return _CHARACTER * max((len(_shortened(text)) for text in texts), default=0)


def covering(scale: Scale, values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis: whole decades, at least one, or from 0 or below to a round number."""
    if scale.logarithmic:
        usable = [value for value in values if value > 0] or [1.0]
        low = 10 ** math.floor(math.log10(min(usable)) + 1e-9)
        return low, max(10 * low, 10 ** math.ceil(math.log10(max(usable)) - 1e-9))
    low, high = min([0.0, *values]), max([0.0, *values])
    if low == high:
        return 0.0, 1.0
    ticks = _ticks(scale, low, high)
    step = ticks[1] - ticks[0]
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def _ticks(scale: Scale, low: float, high: float) -> list[float]:
    """Round numbers; those of a logarithmic scale are powers of ten."""
    if scale.logarithmic:
        return [10.0**power for power in range(round(math.log10(low)), round(math.log10(high)) + 1)]
    locator = MaxNLocator(nbins=8, steps=[1, 2, 5, 10], integer=scale.whole, min_n_ticks=1 if scale.whole else 4)
    return [float(tick) for tick in locator.tick_values(low, high)]


def _figure(chart: BarChart | LineChart, plot_height: float, left: float, right: float) -> tuple[Figure, Axes, float]:
    """A figure with its title, and axes of this height with so much beside them; returns also where the legend may be."""
    named = len(chart.series) > 1
    columns, rows = _legend_shape([series.name for series in chart.series]) if named else (0, 0)
    head = _MARGIN + _LINE + 4 + rows * _LINE + (4 if isinstance(chart, BarChart) else 10)
    height = head + plot_height + 14 + 2 * _LINE + 6
    figure = Figure(figsize=(_WIDTH / 72, height / 72))
    axes = figure.add_axes(
        (left / _WIDTH, 1 - (head + plot_height) / height, 1 - (left + right) / _WIDTH, plot_height / height)
    )
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_axisbelow(True)
    figure.text(
        _MARGIN / _WIDTH, 1 - (_MARGIN + _LINE / 2) / height, _shortened_title(chart.title), size=13, weight="bold", va="center"
    )
    if named:
        handles = [_key(chart, series) for series in chart.series]
        figure.legend(
            handles=handles,
            labels=[_shortened(series.name) for series in chart.series],
            loc="upper left",
            bbox_to_anchor=(0, 1 - (_MARGIN + _LINE + 2) / height),
            ncol=columns,
            frameon=False,
            borderpad=0,
            borderaxespad=_MARGIN / 11,
            handlelength=1,
            handletextpad=0.5,
            columnspacing=1.3,
            labelspacing=0.36,
        )
    return figure, axes, height


def _shortened_title(title: str) -> str:
    title = clean(title)
    return title if len(title) <= 56 else title[:55] + "\u2026"


def _legend_shape(names: Sequence[str]) -> tuple[int, int]:
    """How many columns and rows of keys fit; columns are filled one after the other."""
    for columns in range(len(names), 1, -1):
        short, longer = divmod(len(names), columns)
        sizes = [short + 1] * longer + [short] * (columns - longer)
        ends = list(itertools.accumulate(sizes))
        widths = [_widest(names[end - size : end]) + _KEY for size, end in zip(sizes, ends)]
        if sum(widths) <= _WIDTH - _MARGIN:
            return columns, -(-len(names) // columns)
    return 1, len(names)


def _key(chart: BarChart | LineChart, series: Bars | Points) -> Any:
    colour = COLOURS[series.style % len(COLOURS)]
    if isinstance(chart, BarChart):
        return Rectangle((0, 0), 1, 1, facecolor=colour, linewidth=0)
    line = matplotlib.lines.Line2D([], [], color=colour, **_marked(series.style))
    line.set_linestyle("-" if getattr(series, "joined") else "none")
    return line


def _marked(style: int) -> dict[str, Any]:
    return {
        "marker": _MARKERS[style % len(_MARKERS)],
        "markersize": 7.5,
        "markeredgecolor": _GROUND,
        "markeredgewidth": 1,
        "linewidth": 2,
    }


def _set_scale(axes: Axes, scale: Scale, ends: tuple[float, float], length: float, apart: float, vertical: bool) -> None:
    """Ticks, with labels where there is room for them."""
    axis = axes.yaxis if vertical else axes.xaxis
    axis.set_label_text(scale.title)
    (axes.set_yscale if vertical else axes.set_xscale)("log" if scale.logarithmic else "linear")
    (axes.set_ylim if vertical else axes.set_xlim)(*ends)
    low, high = ends
    ticks = [tick for tick in _ticks(scale, low, high) if low - 1e-9 * abs(low) <= tick <= high * (1 + 1e-9)]
    every = max(1, math.ceil(apart * max(1, len(ticks) - 1) / length))
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, at: scale.label(value) if at is None or at % every == 0 else ""))
    axis.grid(True)
    axis.set_tick_params(length=4, pad=3)


def _bars(chart: BarChart, tooltips: dict[str, str]) -> Figure:
    shown = [i for i in range(len(chart.groups)) if any(series.bars[i] for series in chart.series)]
    places: list[tuple[float, Bars, Bar]] = []
    middles = []
    at = 0.0
    for group in shown:
        top = at
        for series in chart.series:
            bar = series.bars[group]
            if bar is not None:
                places.append((at + _BAR / 2, series, bar))
                at += _BAR + _GAP
        middles.append((top + at - _GAP) / 2)
        at += _GROUP_GAP
    groups = [_shortened(chart.groups[group]) for group in shown]
    left = _MARGIN + _widest(groups) + 10
    right = _MARGIN + max(_widest([bar.label for _, _, bar in places]) + 4, _BETWEEN_LABELS / 2)
    height = max(at - _GROUP_GAP, 0) + 6
    figure, axes, _ = _figure(chart, height, left, right)
    # On a logarithmic axis the smallest bar is seen too.
    values = [bar.value * (0.7 if chart.scale.logarithmic else 1) for _, _, bar in places]
    ends = covering(chart.scale, values + [bar.value for _, _, bar in places])
    _set_scale(axes, chart.scale, ends, _WIDTH - left - right, _BETWEEN_LABELS, vertical=False)
    axes.set_ylim(height, -4)
    axes.yaxis.set_major_locator(FixedLocator(middles))
    axes.set_yticklabels(groups)
    axes.tick_params(axis="y", length=0, pad=6)
    for number, (middle, series, bar) in enumerate(places):
        end = min(max(bar.value, ends[0]), ends[1])
        drawn = axes.barh(middle, end - ends[0], _BAR, left=ends[0], color=COLOURS[series.style % len(COLOURS)])
        drawn[0].set_gid(_tip(tooltips, number, bar.tooltip))
        axes.annotate(
            _shortened(bar.label), (end, middle), (4, 0), textcoords="offset points", va="center", size=10, color=_SOFT
        )
    return figure


def _lines(chart: LineChart, tooltips: dict[str, str]) -> Figure:
    points = [point for series in chart.series for point in series.points]
    across = covering(chart.x, [point.x for point in points])
    up = covering(chart.y, [point.y for point in points])
    left = _MARGIN + _LINE + 10 + _widest([chart.y.label(tick) for tick in _ticks(chart.y, *up)])
    right = _MARGIN + _BETWEEN_LABELS / 2
    figure, axes, _ = _figure(chart, _PLOT_HEIGHT, left, right)
    _set_scale(axes, chart.x, across, _WIDTH - left - right, _BETWEEN_LABELS, vertical=False)
    _set_scale(axes, chart.y, up, _PLOT_HEIGHT, 18, vertical=True)
    for series in chart.series:
        colour = COLOURS[series.style % len(COLOURS)]
        if series.joined and len(series.points) > 1:
            axes.plot([p.x for p in series.points], [p.y for p in series.points], color=colour, linewidth=2, clip_on=False)
        for point in series.points:
            (mark,) = axes.plot(point.x, point.y, color=colour, linestyle="none", clip_on=False, **_marked(series.style))
            mark.set_gid(_tip(tooltips, len(tooltips), point.tooltip))
    return figure


def _tip(tooltips: dict[str, str], number: int, text: str) -> str:
    tooltips[f"mark-{number}"] = clean(text)
    return f"mark-{number}"


def _page_svg(data: bytes, chart: BarChart | LineChart, tooltips: dict[str, str]) -> str:
    """What matplotlib drew, as an element of a page: with tooltips and words, and colours as variables."""
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(data)
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    for element in root.iter():
        tooltip = tooltips.get(element.get("id", ""))
        if tooltip is not None:
            title = ElementTree.Element(f"{{{_SVG}}}title")
            title.text = tooltip
            element.insert(0, title)
        if not element.get("id", "").startswith(("m", "p")) or tooltip is not None:
            element.attrib.pop("id", None)  # those of markers and clips are referred to
        if "style" in element.attrib:
            element.set("style", _with_variables(element.get("style", "")))
    width, height = (float(root.get(name, "0").removesuffix("pt")) for name in ("width", "height"))
    root.attrib = {
        "class": "chart",
        "viewBox": f"0 0 {width:g} {height:g}",
        "width": f"{width:g}",
        "height": f"{height:g}",
        "role": "img",
        "aria-label": clean(f"{chart.title}. {chart.description}"),
    }
    return ElementTree.tostring(root, encoding="unicode")


def _with_variables(style: str) -> str:
    coloured = re.sub("#[0-9a-f]{6}", lambda found: f"var({_NAMES[found[0]]})" if found[0] in _NAMES else found[0], style)
    return coloured.replace("'DejaVu Sans'", "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif")
