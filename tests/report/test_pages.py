# SPDX-License-Identifier: Apache-2.0
"""The pages: what is in them for a study, that nothing in a study breaks them, and the programs that write them."""

import json
import os
import re
import resource
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pages
import pytest
import studies
import study
from conftest import ROOT
from sections import Paragraph, Strong, Table

_BENCH = os.environ["FHE_BENCH_PATH"]


def _tables(document):
    return [part for section in document.sections for part in section.parts if isinstance(part, Table)]


def _table(document, caption):
    return next(table for table in _tables(document) if table.caption == caption)


def _cell(table, row, column):
    """The cell in the row that begins with `row`, in the column with this title."""
    found = next(cells for cells in table.rows if str(cells[0]) == row)
    return str(found[table.columns.index(column)])


def _elements(html):
    return list(ElementTree.fromstring(html.removeprefix("<!DOCTYPE html>\n")).iter())


def test_tables_set_our_times_beside_the_published_ones(small):
    toy = _table(small, "cnt-toy")
    assert _cell(toy, "encrypt one bit", "auto") == "200 us"
    assert _cell(toy, "encrypt one bit", "ntl") == "2.5 ms"
    assert _cell(toy, "encrypt one bit", "gpu") == "not measured"  # and not left out
    assert _cell(toy, "encrypt one bit", "auto against ntl") == "12.5x"
    assert _cell(toy, "encrypt one bit", "software, published") == "50 ms"
    assert _cell(toy, "encrypt one bit", "FPGA, published") == "739 us"
    assert _cell(toy, "encrypt one bit", "FPGA, from cycles") == "3.42 ms"
    assert _cell(toy, "key generation", "software, published") == "~60 ms"
    assert _cell(toy, "peak memory", "auto") == "20 MB"
    lattice = _table(small, "gh-2048")
    assert _cell(lattice, "recrypt", "GPU, published") == "1.8 s"
    assert _cell(lattice, "recrypt", "software, published") == "27.7 s"
    overview = _table(small, "auto, and how many times as fast as ntl")
    assert _cell(overview, "cnt-toy", "key generation") == "40 ms (2.00x)"


def test_products_sizes_noise_and_devices_have_their_tables(small):
    products = _table(small, "Products of two equal operands, one thread")
    assert [_cell(products, "786,432", column) for column in ("GMP", "auto", "against GMP")] == ["2 ms", "200 us", "10.0x"]
    published = _table(small, "Published products")
    design = "ASIC, 90 nm: 64K-point FFT, radix 16"
    assert [_cell(published, design, c) for c in ("cycles", "from cycles", "auto here")] == ["41,146", "206 us", "200 us"]
    sizes = _table(small, "Sizes")
    assert _cell(sizes, "cnt-toy", "ciphertext") == "18.4 kB"
    assert _cell(sizes, "cnt-toy", "public key, published") == "~76.5 kB"
    noise = _table(small, "Noise in bits: bound (measured)")
    assert _cell(noise, "cnt-toy", "noise") == "970 (965)"
    assert _cell(noise, "cnt-toy", "after one product") == "1940: refused"
    assert noise.rows[1][-1] == "1"
    workers = _table(
        small, "adder under cnt-toy: 1,000 recryptions, 4 s of work, of which the longest chain takes 250 ms"
    )
    assert [_cell(workers, "1", c) for c in ("used by it", "used by them", "of list scheduling")] == [
        "100.0 %",
        "80.0 %",
        "80.0 %",
    ]
    assert _cell(workers, "32", "used by it") == "50.0 %" and _cell(workers, "32", "tasks that sleep") == ""
    assert _cell(workers, "32", "between machines of 16") == "2 MB"
    devices = _table(small, "Devices of this report")
    assert [_cell(devices, "products", c) for c in ("time on the device", "cycles are")] == ["206 us", "counted by the device"]
    ours = _table(small, "Hardware of this tree beside its papers")
    columns = ("cycles by law", "time", "published", "times as fast", "source")
    assert [_cell(ours, "super_size_encrypt", column) for column in columns] == [
        "110,096",
        "661 us",
        "739 us",
        "1.12x",
        "Super-size 2013, Table 6",
    ]


def test_times_of_simulated_devices_are_only_beside_their_cycles(document_of):
    document = document_of(studies.with_simulated_devices())
    devices = _table(document, "Devices of this report")
    rows = [[str(row[i]) for i in (0, 1, 3, 4, 6, 7)] for row in devices.rows if row[0] == "cnt-small"]
    assert rows == [
        ["cnt-small", "fpga:sim", "counted by simulated RTL", "451,606", "2.8 ms", "40 s"],
        ["cnt-small", "fpga:model=super_size", "law", "451,606", "2.8 ms", "40 s"],
    ]
    assert all("fpga:" not in column for table in _tables(document) for column in table.columns)
    assert "cnt-small" not in [table.caption for table in _tables(document)]
    assert document.summary[1] == "Groups: cnt-toy. Backends: auto, ntl."


def test_a_study_of_hardware_alone_has_its_section(document_of):
    data = studies.with_simulated_devices()
    data.update(runs=data["runs"][-2:], groups=[], scalings=[])
    document = document_of(data)
    assert [section.title for section in document.sections] == ["Hardware", "Runs and sources"]
    assert document.summary == ["Measured on A processor, 2 cores, gcc 12.2; 2026-11-20 10:00 UTC."]
    data.update(runs=[])
    assert len(_table(document_of(data), "Hardware of this tree beside its papers").rows) == 1


def test_only_the_ratio_of_one_run_with_itself_is_a_ratio_against_gmp(document_of):
    data = studies.small_study()
    both = [studies.record("gmp_product_786432", 0.008), studies.record("product_786432", 0.004)]
    data["runs"].append(studies.run_of("engine", "ntl", *both))
    products = _table(document_of(data), "Products of two equal operands, one thread")
    assert _cell(products, "786,432", "GMP") == "2 ms" and products.rows[0][-1] == "2.00x"


def test_a_comparison_counts_what_is_noticeably_faster_and_slower(document_of):
    now = studies.small_study()
    now["runs"][0]["results"][0]["seconds"] /= 2  # keygen on auto
    now["runs"][0]["results"][1]["seconds"] *= 1.05  # encryption: may be chance
    now["runs"][1]["results"][0]["seconds"] *= 4  # keygen on ntl
    section = next(s for s in document_of(now, studies.small_study()).sections if s.title == "Compared with before")
    assert section.parts[0].text.startswith("Of 6 operations 1 are faster and 1 slower")
    assert [row[-1] for row in section.parts[2].rows[:3]] == [Strong("2.00x as fast"), "same", Strong("4.00x as slow")]
    other = {"format": "fhe-bench report 1", "runs": [studies.run_of("gh-512", "auto")], "groups": []}
    section = next(s for s in document_of(now, other).sections if s.title == "Compared with before")
    assert [type(part) for part in section.parts] == [Paragraph]


def test_the_page_is_well_formed_and_needs_nothing_else(small):
    html = pages.to_html(small)
    tags = [element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in _elements(html)]
    assert tags.count("svg") == len(small.charts) >= 8 and tags.count("table") == len(_tables(small))
    assert "script" not in tags and "link" not in tags and "img" not in tags
    assert not re.search(r'src=|url\((?!#)|@import|href="(?!#)', html)
    assert "A processor, 2 cores, gcc 12.2; 2026-11-20 10:00 UTC" in html
    assert "prefers-color-scheme: dark" in html and 'name="viewport"' in html
    anchors = set(re.findall(r'href="#([a-z-]+)"', html))
    assert anchors <= set(re.findall(r'<section id="([a-z-]+)"', html)) and len(anchors) == len(small.sections)


def test_markdown_has_every_table_and_names_every_chart_once(small):
    text = pages.to_markdown(small)
    files = [chart.file for chart in small.charts]
    assert len(set(files)) == len(files) and all(text.count(f"]({file})") == 1 for file in files)
    assert text.startswith("# What fhe costs\n") and text.endswith("|\n")
    assert "| encrypt one bit | **200 us** | 2.5 ms | not measured | 12.5x |" in text
    assert all(f"**{table.caption}**\n\n|" in text for table in _tables(small) if table.caption.isalnum())


def test_names_from_a_file_cannot_become_markup(hostile):
    html = pages.to_html(hostile)
    assert all(not element.tag.endswith("script") for element in _elements(html)) and "\x01" not in html
    text = pages.to_markdown(hostile)
    assert "<script>" not in text and "[a](b)" not in text
    assert all(re.fullmatch(r"[a-z0-9.-]+", chart.file) for chart in hostile.charts)


def test_every_row_is_as_long_as_its_head(small, hostile):
    for document in (small, hostile):
        for table in _tables(document):
            assert all(len(row) == len(table.columns) for row in table.rows), table.caption


def _draw(*arguments, **environment):
    command = [sys.executable, str(ROOT / "apps" / "report" / "fhe_report"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


def test_the_program_says_what_it_lacks(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ModuleNotFoundError(name='matplotlib')")
    (tmp_path / "good.json").write_text(json.dumps(studies.small_study()))
    done = _draw(tmp_path / "good.json", "--out", tmp_path / "out", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1 and "apt-get install python3-jinja2 python3-matplotlib" in done.stderr
    assert os.listdir(tmp_path / "out") == ["report.json"]
    assert study.read(str(tmp_path / "out" / "report.json")) == study.read(str(tmp_path / "good.json"))


def _bench(folder, *arguments, **more):
    return subprocess.run([_BENCH, *arguments], cwd=folder, capture_output=True, text=True, check=False, **more)


def _refused(folder, part, exit_code, *arguments, **more):
    """Refused with a sentence that holds `part`, and no file is left that was not there."""
    files = sorted(os.listdir(folder))
    done = _bench(folder, "report", *arguments, **more)
    assert done.returncode == exit_code and part in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert sorted(set(os.listdir(folder)) - {"out"}) == files
    assert not (folder / "out").exists() or not os.listdir(folder / "out")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.json").write_text(json.dumps(studies.small_study()))
    (tmp_path / "scale.json").write_text(json.dumps(studies.SCALING))
    (tmp_path / "text.json").write_text("hello")
    return tmp_path


def test_fhe_bench_draws_by_it(folder):
    done = _bench(folder, "report", "--from", "scale.json", "--compare", "scale.json", "--out", "out")
    assert done.returncode == 0 and done.stderr == "wrote out/report.html\n", done.stderr
    files = sorted(os.listdir(folder / "out"))
    assert files == ["how-much-of-many-workers-is-used-cnt-toy.svg", "report.html", "report.json", "report.md"]
    text = (folder / "out" / "report.md").read_text()
    assert "Circuits on many workers" in text and "Nothing that was measured before" in text
    ElementTree.parse(folder / "out" / files[0])


def test_fhe_bench_joins_by_it(folder):
    (folder / "b.json").write_text(json.dumps(studies.run_of("cnt-toy", "auto", studies.record("keygen", 5))))
    done = _bench(folder, "report", "--from", "good.json", "scale.json", "b.json", "--no-pages", "--out", "out/below")
    assert done.returncode == 0 and os.listdir(folder / "out" / "below") == ["report.json"]
    joined = study.read(str(folder / "out" / "below" / "report.json"))
    assert len(joined.runs) == 3 and joined.find("cnt-toy", "auto", "keygen").seconds == 5
    assert joined.scalings[0].group == "cnt-toy"


def test_fhe_bench_compares_by_it(folder):
    done = _bench(folder, "report", "--from", "good.json", "--compare", "good.json")
    assert done.returncode == 0 and "encrypt_dense" in done.stdout and "before, 2026-11-20 10:00" in done.stdout
    assert sorted(os.listdir(folder)) == ["good.json", "scale.json", "text.json"]


def test_what_fhe_bench_measures_is_drawn(folder):
    measure = ["report", "--quick", "--groups", "cnt-mini", "--backends", "auto", "--min-time", "0.001"]
    done = _bench(folder, *measure, "--compare", "good.json", "--out", "out")
    assert done.returncode == 0 and done.stderr.endswith("wrote out/report.html\n"), done.stderr
    assert "Compared with before" in (folder / "out" / "report.md").read_text()
    _refused(folder / "out", "text.json is no result", 3, *measure[1:], "--compare", "../text.json", "--out", ".")


def test_files_that_cannot_be_read_are_refused_by_name(folder):
    _refused(folder, "no.json: No such file", 5, "--from", "no.json", "--out", "out")
    _refused(folder, "text.json is no result", 3, "--from", "good.json", "text.json", "--out", "out")
    _refused(folder, "text.json is no result", 3, "--from", "good.json", "--compare", "text.json", "--out", "out")
    _refused(folder, "--no-pages needs --out", 2, "--from", "good.json", "--no-pages")


def test_places_that_cannot_be_written_to_are_refused(folder):
    _refused(folder, "good.json: File exists", 5, "--from", "good.json", "--out", "good.json")
    _refused(folder, "good.json/below: Not a directory", 5, "--from", "good.json", "--out", "good.json/below")


def test_a_full_disk_leaves_no_half_written_file(folder):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    _refused(folder, "report.json: File too large", 5, "--from", "good.json", "--out", "out", preexec_fn=limit)
