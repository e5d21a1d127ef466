# SPDX-License-Identifier: Apache-2.0
"""The comparison as text."""

import re

import comparison
import studies


def _lines(study, published, before=None):
    return [re.split(r" {2,}", line.strip()) for line in comparison.to_text(study, published, before).splitlines()]


def test_each_operation_is_beside_its_published_figures(read, published):
    lines = _lines(read(studies.small_study()), published)
    assert lines[0] == ["cnt-toy on auto (auto described): A processor, 2 cores, gcc 12.2, 2026-11-20 10:00"]
    assert ["keygen", "40 ms", "~60 ms", "1.50x", "Core 2 Duo E8400, one core (CNT 2012, table of timings)"] in lines
    encrypt = next(i for i, line in enumerate(lines) if line[0] == "encrypt_dense")
    assert lines[encrypt][1:4] == ["200 us", "50 ms", "250x"]
    assert lines[encrypt + 1][:2] == ["3.36 ms", "16.8x"]  # of the same operation
    assert ["gmp_product_786432", "2 ms"] in lines
    assert ["product_786432", "206 us"] in lines  # on the device
    hardware = next(line for line in lines if line[0] == "super_size_encrypt: encrypt_dense, cnt-toy-paper")
    assert hardware[1:4] == ["661 us", "739 us", "1.12x"]


def test_each_operation_is_beside_what_was_measured_before(read, published):
    now = studies.small_study()
    now["runs"][1]["results"][0]["seconds"] /= 2  # keygen on ntl
    lines = _lines(read(now), published, read(studies.small_study()))
    ntl = next(i for i, line in enumerate(lines) if line[0].startswith("cnt-toy on ntl"))
    assert ["80 ms", "2.00x", "before, 2026-11-20 10:00"] in lines[ntl:]
    assert ["gmp_product_786432", "2 ms", "2 ms", "1.00x", "before, 2026-11-20 10:00"] in lines
    other = read(studies.run_of("gh-512", "auto", studies.record("keygen", 1)))
    assert "before" not in comparison.to_text(read(now), published, other)


def test_what_has_nothing_beside_it_is_no_empty_text(read, published):
    assert comparison.to_text(read(studies.SCALING), published, None).startswith("Nothing here")
