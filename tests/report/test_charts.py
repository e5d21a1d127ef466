# SPDX-License-Identifier: Apache-2.0
"""Charts: marks where their values are, words for all of them, colours for light and dark."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from charts import COLOURS, Bar, BarChart, Bars, LineChart, Point, Points, Scale, covering, draw, variables

_SVG = "{http://www.w3.org/2000/svg}"
_LINEAR = Scale("seconds", "{:g}".format)
_LOGARITHMIC = Scale("seconds", "{:g}".format, logarithmic=True)
_WHOLE = Scale("depth", "{:g}".format, whole=True)


def _bars(scale, values):
    bars = [Bar(value, f"{value:g}", f"tip {value:g}") for value in values]
    return BarChart("A chart", "what it shows", scale, [f"group {i}" for i in range(len(values))], [Bars("one", 0, bars)])


def _marks(chart):
    """The elements that have a tooltip, by it."""
    root = ElementTree.fromstring(chart.svg)
    titled = [element for element in root.iter() if element.find(f"{_SVG}title") is not None]
    return {element.find(f"{_SVG}title").text: element for element in titled}


def _numbers(element):
    """The coordinates of its paths and uses."""
    paths = " ".join(path.get("d") for path in element.iter(f"{_SVG}path"))
    points = re.findall(r"[ML] (-?[\d.]+) (-?[\d.]+)", paths)
    return [(float(x), float(y)) for x, y in points] + [
        (float(use.get("x")), float(use.get("y"))) for use in element.iter(f"{_SVG}use")
    ]


def _lengths(chart):
    spans = [[x for x, _ in _numbers(mark)] for mark in _marks(chart).values()]
    return [max(span) - min(span) for span in spans]


def _words(chart):
    return ["".join(text.itertext()) for text in ElementTree.fromstring(chart.svg).iter(f"{_SVG}text")]


def test_axes_end_at_round_numbers():
    assert covering(_LINEAR, [3, 11.3]) == (0, 12)
    assert covering(_LINEAR, [970]) == (0, 1000)
    assert covering(_LINEAR, []) == covering(_LINEAR, [0, 0]) == (0, 1)
    assert covering(_WHOLE, [0, 2]) == (0, 2)
    assert covering(_LOGARITHMIC, [2e-6, 3]) == pytest.approx((1e-6, 10))
    assert covering(_LOGARITHMIC, [0, -1, 20]) == pytest.approx((10, 100))
    assert covering(_LOGARITHMIC, []) == pytest.approx((1, 10))
    for power in range(-12, 13):
        assert covering(_LOGARITHMIC, [10**power, 100 * 10**power]) == pytest.approx((10**power, 100 * 10**power))
    for i in range(100):
        length = 1e-9 * 1.37**i
        low, high = covering(_LINEAR, [length])
        assert low == 0 and length <= high * (1 + 1e-9) < 1.5 * length


def test_bars_are_as_long_as_their_values():
    one, two, four = _lengths(draw(_bars(_LINEAR, [1, 2, 4])))
    assert two / one == pytest.approx(2, abs=0.01) and four / one == pytest.approx(4, abs=0.01)
    a, b, c = _lengths(draw(_bars(_LOGARITHMIC, [2, 20, 2000])))
    assert c - b == pytest.approx(2 * (b - a), abs=0.3) and a > 5
    assert min(_lengths(draw(_bars(_LOGARITHMIC, [0.001, 1])))) > 10  # the smallest one is seen


def test_everything_stays_inside():
    chart = draw(_bars(_LINEAR, [1, 1e6, 33]))
    root = ElementTree.fromstring(chart.svg)
    _, _, width, height = map(float, root.get("viewBox").split())
    assert width == 460
    for x, y in _numbers(root):
        assert -1 <= x <= width + 1 and -1 <= y <= height + 1


def test_groups_without_a_bar_are_left_out():
    chart = _bars(_LINEAR, [1, 2, 3])
    chart.series[0].bars[1] = None
    words = _words(draw(chart))
    assert "group 0" in words and "group 1" not in words and len(_lengths(draw(chart))) == 2


def test_a_chart_says_in_words_what_it_shows():
    chart = draw(_bars(_LINEAR, [1, 2, 3]))
    root = ElementTree.fromstring(chart.svg)
    assert root.get("role") == "img" and root.get("aria-label") == "A chart. what it shows"
    assert list(_marks(chart)) == ["tip 1", "tip 2", "tip 3"]
    assert {"A chart", "seconds", "group 2", "3"} <= set(_words(chart)) and "one" not in _words(chart)


def test_lines_have_a_marker_for_each_point():
    chart = LineChart(
        "Lines",
        "d",
        _LOGARITHMIC,
        _LOGARITHMIC,
        [
            Points("joined", 0, [Point(1, 1, "a"), Point(10, 10, "b"), Point(100, 100, "c")]),
            Points("alone", 1, [Point(5, 5, "d")], joined=False),
        ],
    )
    drawn = draw(chart)
    marks = _marks(drawn)
    assert list(marks) == ["a", "b", "c", "d"]
    (ax, ay), (bx, by), (cx, cy) = (_numbers(marks[name])[-1] for name in "abc")
    assert cx - bx == pytest.approx(bx - ax, abs=0.2) and by - cy == pytest.approx(ay - by, abs=0.2) and cy < by
    assert {"joined", "alone", "1", "10", "100"} <= set(_words(drawn))


def test_a_chart_of_nothing_is_still_a_chart():
    for chart in (
        BarChart("Empty", "d", _LOGARITHMIC, [], []),
        LineChart("Empty", "d", _LINEAR, _LOGARITHMIC, [Points("none", 0, [])]),
    ):
        assert "Empty" in _words(draw(chart))


def test_names_cannot_break_out_however_long():
    chart = BarChart(
        "</svg><script>alert(\"&\")</script>",
        "d\x01",
        _LINEAR,
        ["<b>&" + 1000 * "x", "$\\frac{"],
        [Bars("'\"<i>", 0, [Bar(1, "1", "</title><script>"), Bar(2, "$", "t")]), Bars("$_{", 1, [Bar(1, "1", "u"), None])],
    )
    drawn = draw(chart)
    names = {element.tag for element in ElementTree.fromstring(drawn.svg).iter()}
    assert not {f"{_SVG}script", f"{_SVG}b", f"{_SVG}i"} & names
    assert 100 * "x" not in drawn.svg and "$\\frac{" in _words(drawn)
    assert min(_lengths(drawn)) > 1


def test_colours_are_variables_for_light_and_dark():
    drawn = draw(_bars(_LINEAR, [1]))
    assert not re.search(r"#[0-9a-f]{6}\b", drawn.svg.replace("url(#", "")), "a colour that does not change"
    used = set(re.findall(r"var\((--[a-z0-9]+)\)", drawn.svg))
    assert used <= set(re.findall(r"(--[a-z0-9]+):", variables(":root"))) and {"--s0", "--ink", "--ground"} <= used
    alone = drawn.standalone
    assert ElementTree.fromstring(alone).tag == f"{_SVG}svg"
    assert "prefers-color-scheme: dark" in alone and "http:" not in alone.replace("http://www.w3.org/", "")
    assert all(alone.count(colour) == 1 for colour in COLOURS)
