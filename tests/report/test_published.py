# SPDX-License-Identifier: Apache-2.0
"""The figures of params/published.toml, and what is refused of such a file."""

import os
import subprocess

import pytest
import study
from conftest import ROOT
from published import Published, group_of
from study import Malformed


def _time(published, group, operation, where):
    return next(time.value for time in published.times(group, operation) if time.origin.where == where)


def test_every_figure_has_a_source_a_system_and_a_group_that_exists(published):
    lists = (published.products, published.sizes, published.designs, published.encryptions, published.speedups)
    assert [len(each) for each in lists] == [10, 16, 17, 8, 3] and len(published.all_times) > 90
    for figure in published.all_times + published.sizes:
        assert (ROOT / "params" / f"{figure.group}.toml").exists(), figure
    assert all(time.origin.system and 1e-5 < time.value < 1e5 for time in published.all_times)
    assert all(1e4 < size.value < 1e10 for size in published.sizes)
    assert all(1e-5 < product.best_seconds < 1 for product in published.products)
    assert all(1e8 < design.hertz < 1e9 for design in published.designs)
    assert all(speedup.lowest < speedup.highest for speedup in published.speedups)


def test_figures_are_those_of_the_tables(published):
    assert _time(published, "cnt-large", "encrypt_dense", "Table 10, benchmark software [9]") == 435
    assert _time(published, "cnt-toy-paper", "encrypt_dense", "Table 10") == pytest.approx(0.00336)
    assert _time(published, "cnt-small", "encrypt_sparse", "Table 7") == pytest.approx(0.010857)
    assert not published.times("cnt-small", "no such operation") and not published.times("engine", "product_786432")
    assert group_of("cnt-toy-paper") == group_of("cnt-toy") == "cnt-toy"


def test_cycles_and_clocks_give_the_printed_times(published):
    for each in published.encryptions:
        table = "Table 7" if each.operation == "encrypt_sparse" else "Table 10"
        assert each.seconds == pytest.approx(_time(published, each.group, each.operation, table), rel=0.02)
    both = [product for product in published.products if product.cycles and product.seconds]
    assert both and all(product.seconds_from_cycles == pytest.approx(product.seconds, rel=0.01) for product in both)


def test_encryptions_go_from_the_smallest_group_to_the_largest(published):
    by_size = ["cnt-toy", "cnt-small", "cnt-medium", "cnt-large"]
    assert [each.group for each in published.encryptions] == by_size + by_size


def test_clocks_that_fhe_bench_computes_are_of_published_designs(published, tmp_path):
    path = tmp_path / "device.json"
    path.write_bytes(subprocess.check_output([os.environ["FHE_BENCH_PATH"], "device", "--json", "-"]))
    computed = study.read(str(path)).computed
    assert len(computed) == 44 and all(published.printed(each) for each in computed)
    hertz = {design.name: design.hertz for design in published.designs}
    alone = [each for each in computed if each.module == "super_size_encrypt"]
    assert len(alone) == 32 and all(each.device_hertz == pytest.approx(hertz[each.published]) for each in alone)


_PAPER = '[papers]\np = { short = "P", title = "A paper" }\n'
_PLATFORM = '[platforms]\nm = { name = "A machine", kind = "FPGA" }\n'
_ORIGIN = 'paper = "p"\nwhere = "Table 1"\nplatform = "m"\n'
_TIME = f'[[time]]\noperation = "keygen"\n{_ORIGIN}unit = "ms"\nvalues = {{ g = 2 }}\n'
_PRODUCT = f'[[product]]\nbits = [8, 9]\n{_ORIGIN}unit = "us"\ncycles = 20\nmegahertz = 5\n'
_DESIGN = (
    f'[[design]]\nid = "d"\nname = "D"\ncost = "much"\nmegahertz = 5\n{_ORIGIN}'
    "product_cycles = { g = 3 }\nreduction_cycles = { g = 4 }\n"
)
_ENCRYPTION = (
    f'[[encryption]]\noperation = "encrypt"\n{_ORIGIN}products = {{ g = 6 }}\n'
    'product = { g = "d" }\nreduction = { g = "d" }\n'
)
_SPEEDUP = f'[[speedup]]\nwhat = "a product"\nover = "GMP"\nover_platform = "m"\nunit = "times"\nrange = [2, 3]\n{_ORIGIN}'
_ALL = _PAPER + _PLATFORM + _TIME + _PRODUCT + _DESIGN + _ENCRYPTION + _SPEEDUP


def _read(tmp_path, text):
    path = tmp_path / "t.toml"
    path.write_text(text)
    return Published(path)


def test_a_small_file_is_read(tmp_path):
    small = _read(tmp_path, _ALL)
    assert small.papers == [("P", "A paper")]
    time = small.times("g", "keygen")[0]
    assert (time.value, time.origin.kind, time.origin.system, time.origin.source) == (0.002, "FPGA", "A machine", "P, Table 1")
    assert time.origin.text("2 ms") == "2 ms" and small.products[0].best_seconds == 4e-6
    assert small.encryptions[0].seconds == pytest.approx((6 * 3 + 2 * 4) / 5e6)
    assert small.speedups[0].over == "GMP on A machine"
    recalled = _read(tmp_path, _ALL.replace('"Table 1"', '"Table 1"\nrecalled = true', 1))
    assert recalled.times("g")[0].origin.text("2 ms") == "~2 ms"


@pytest.mark.parametrize(
    "before, after, part",
    [
        ('paper = "p"', 'paper = "q"', "[[time]] number 1: unknown paper 'q'"),
        ('paper = "p"', "", "[[time]] number 1: 'paper' is missing"),
        ('title = "A paper"', 'title = ""', "paper 'p': 'title' is missing"),
        ('where = "Table 1"', "where = 1", "[[time]] number 1: 'where' is missing or no text"),
        ('platform = "m"', 'platform = "n"', "unknown platform 'n'"),
        ('kind = "FPGA"', 'kind = "FPAG"', "unknown kind 'FPAG'; known are software, GPU, ASIC, FPGA"),
        ('"ms"', '"minutes"', "unknown unit 'minutes'; known are s, ms, us"),
        ('"ms"', '"MB"', "unknown unit 'MB'"),
        ("{ g = 2 }", "{ g = -2 }", "'values' is missing or not a positive number"),
        ("{ g = 2 }", '{ g = "2" }', "not a positive number"),
        ("{ g = 2 }", "{ g = inf }", "not a positive number"),
        ("{ g = 2 }", "{ g = nan }", "not a positive number"),
        ("{ g = 2 }", "{ g = true }", "not a positive number"),
        ("{ g = 2 }", "{}", "'values' is missing or not by group"),
        ("{ g = 2 }", "2", "'values' is missing or not by group"),
        ("[8, 9]", "[8]", "[[product]] number 1: 'bits' is no pair"),
        ("cycles = 20\n", "", "[[product]] number 1: has neither 'value' nor 'cycles'"),
        ("megahertz = 5\n", "", "[[product]] number 1: 'megahertz' is missing"),
        ('id = "d"', 'id = "e"', "[[encryption]] number 1: 'product' names no known design for g"),
        ('reduction = { g = "d" }', "", "[[encryption]] number 1: 'reduction' names no known design for g"),
        ("product_cycles = { g = 3 }", "", "[[encryption]] number 1: design 'd' gives no product cycles for g"),
        ("reduction_cycles = { g = 4 }", "", "design 'd' gives no reduction cycles for g"),
        ('over_platform = "m"', 'over_platform = "n"', "[[speedup]] number 1: unknown platform 'n'"),
        ("[[time]]", "[[time]", "t.toml: Expected ']]'"),
    ],
)
def test_entries_that_lack_something_are_refused_by_name(tmp_path, before, after, part):
    assert before in _ALL
    with pytest.raises(Malformed) as error:
        _read(tmp_path, _ALL.replace(before, after, 1))
    assert "t.toml: " in str(error.value) and part in str(error.value)


def test_a_list_of_no_tables_is_refused(tmp_path):
    with pytest.raises(Malformed, match="number 1: is no table"):
        _read(tmp_path, "time = [1]\n")
