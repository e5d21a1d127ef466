# SPDX-License-Identifier: Apache-2.0
"""How goals are judged, by numbers that were not measured."""

import json
import subprocess
import sys
from pathlib import Path

import goals
import studies

_IFMA = "three primes transforms, kernel ifma, GMP below 2560 bits"


def _engine(description, *records, processor="AMD EPYC"):
    run = {**studies.run_of("engine", "auto", *records), "backend_description": description}
    return {**run, "machine": {**run["machine"], "processor": processor}}


def _lines(read, data):
    return [line.strip() for line in goals.judge(read(data).runs[0])]


def test_goals_are_judged_by_the_times_of_one_run(read):
    record = studies.record
    run = _engine(
        _IFMA,
        record("gmp_product_786432", 25),
        record("product_786432", 2),
        record("square_786432", 1.5),
        record("product_786432_all_threads", 1),
        record("modular_product_786432", 4),
        record("modular_product_prepared_786432", 3.25),
        record("modular_product_4251866", 5),
        record("product_4251866", 2),
    )
    assert _lines(read, run) == [
        "reached  786,432-bit product, times as fast as GMP: 12.50, at least 10",
        "reached  786,432-bit product on two threads, times as fast: 2.00, at least 1.7",
        "MISSED  786,432-bit square, in products: 0.75, at most 0.72",
        "reached  786,432-bit product with a prepared operand, in products: 0.62, at most 0.75",
        "MISSED  4,251,866-bit modular product, in products: 2.50, at most 2.2",
    ]
    # By the clock on threads, which work for longer together; else by the processor, and for two threads alone.
    run["results"][0]["cpu_seconds"] = 24
    run["results"][3]["cpu_seconds"] = 2.5
    assert [line.split(": ")[1] for line in _lines(read, run)[:2]] == ["12.00, at least 10", "2.00, at least 1.7"]
    run["threads"] = 4
    assert len(_lines(read, run)) == 4


def test_what_is_not_reached_is_judged_on_a_quiet_processor_of_the_kind_that_the_goals_are_for(read):
    times = [studies.record("gmp_product_786432", 5), studies.record("product_786432", 1)]
    assert _lines(read, _engine(_IFMA, *times))[0].startswith("MISSED  ")
    assert _lines(read, _engine(_IFMA, *times, processor="Another"))[0].startswith("other processor  ")
    times[1]["seconds"] = 1.2
    assert _lines(read, _engine(_IFMA, *times))[0].startswith("busy processor  ")


def test_other_backends_have_other_goals_or_none(read):
    times = [studies.record("gmp_product_786432", 5), studies.record("product_786432", 1)]
    for kernel in ("three primes transforms, kernel avx2", "goldilocks transforms, kernel ifma"):
        assert _lines(read, _engine(kernel, *times)) == ["reached  786,432-bit product, times as fast as GMP: 5.00, at least 4"]
    assert not _lines(read, _engine("NTL", *times))


def test_the_program_fails_with_what_is_missed(tmp_path):
    def judged(description, seconds, **machine):
        path = tmp_path / "run.json"
        records = [studies.record("gmp_product_786432", 25), studies.record("product_786432", seconds)]
        path.write_text(json.dumps(_engine(description, *records, **machine)))
        command = [sys.executable, str(Path(goals.__file__)), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.strip().split("  ")[0]

    assert judged(_IFMA, 2) == (0, "reached") and judged(_IFMA, 3) == (1, "MISSED")
    assert judged(_IFMA, 3, processor="Another") == (77, "other processor")
    assert judged("NTL", 2) == (77, "no goal is set for what was measured here")
