# SPDX-License-Identifier: Apache-2.0
"""The goals that are set for products of the software engine, judged within one run of fhe-bench:

goals.py RUN.json          of `fhe-bench engine --json RUN.json`
goals.py --measure BENCH   of a run that this program, fhe-bench, makes now

Exit status 1 where one is missed; 77 where none applies, or those that are not reached are not judged: on another processor
than theirs, or while others kept this one busy.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "apps" / "report" / "fhe_report"))

import study
from text import grouped

_PROCESSOR = "AMD EPYC"  # of Zen 5, on which the goals were set
_NOISE = 1.1  # the clock goes on by so much more than the processor works for an operation on one thread, alone

_IFMA = "three primes transforms, kernel ifma"
_AVX2 = "three primes transforms, kernel avx2"
_GOLDILOCKS = "goldilocks transforms, kernel ifma"


@dataclass(frozen=True)
class Goal:
    """A bound of the time of an operation over that of another. {} stands for bits of an operand."""

    backend: str  # what its description begins with
    what: str
    operation: str
    over: str
    bounds: dict[int, float]  # by bits
    at_least: bool = False  # or at most
    more: str = ""  # an operation whose time is added
    less: str = ""  # and one whose time is subtracted
    threads: int = 0  # of the run, where the goal is for that number; then times are by the clock


_THREE = (786432, 4251866, 19575950)


def _times_gmp(backend: str, bounds: dict[int, float]) -> Goal:
    return Goal(backend, "product, times as fast as GMP", "gmp_product_{}", "product_{}", bounds, at_least=True)


GOALS = [
    _times_gmp(_IFMA, {786432: 10, 4251866: 12, 19575950: 9}),
    _times_gmp(_AVX2, dict.fromkeys((147456, *_THREE), 4)),
    _times_gmp(_GOLDILOCKS, {786432: 4}),
    Goal(
        _IFMA,
        "product on two threads, times as fast",
        "product_{}",
        "product_{}_all_threads",
        dict.fromkeys(_THREE, 1.7),
        at_least=True,
        threads=2,
    ),
    Goal(_IFMA, "square, in products", "square_{}", "product_{}", dict.fromkeys(_THREE, 0.72)),
    # What one prepared operand saves in a modular product, it saves in a plain one.
    Goal(
        _IFMA,
        "product with a prepared operand, in products",
        "product_{}",
        "product_{}",
        dict.fromkeys(_THREE, 0.75),
        more="modular_product_prepared_{}",
        less="modular_product_{}",
    ),
    Goal(_IFMA, "modular product, in products", "modular_product_{}", "product_{}", dict.fromkeys((843033, *_THREE[1:]), 2.2)),
]


def judge(run: study.Run) -> list[str]:
    """A line for each goal that applies to the backend of a run and whose operations it has all measured. It begins with
    "reached", with "MISSED", or with why it is not judged."""
    return [line for goal in GOALS for bits in goal.bounds if (line := _judge(goal, bits, run))]


def _judge(goal: Goal, bits: int, run: study.Run) -> str | None:
    if not run.backend_description.startswith(goal.backend) or goal.threads not in (0, run.threads):
        return None
    names = [name.format(bits) for name in (goal.operation, goal.over, goal.more, goal.less)]
    records = [run.find(name) if name else None for name in names]
    if any(name and record is None for name, record in zip(names, records)):
        return None
    # Else of the processor, which others that use it disturb less.
    times = [(record.seconds if goal.threads else record.cpu_seconds) if record else 0.0 for record in records]
    value, bound = (times[0] + times[2] - times[3]) / times[1], goal.bounds[bits]
    word = "MISSED"
    if value >= bound if goal.at_least else value <= bound:
        word = "reached"
    elif not run.processor.startswith(_PROCESSOR):
        word = "other processor"
    elif any(record and _is_disturbed(record) for record in records):
        word = "busy processor"
    return f"{word:>15}  {grouped(bits)}-bit {goal.what}: {value:.2f}, at {'least' if goal.at_least else 'most'} {bound:g}"


def _is_disturbed(record: study.Record) -> bool:
    return not record.operation.endswith("_all_threads") and record.seconds > _NOISE * record.cpu_seconds


def _measured(bench: str, folder: Path) -> str:
    """The file of a run of all operations that goals name."""
    file = folder / "engine.json"
    named = r"^(gmp_)?(product|square|modular_product(_prepared)?)_\d+(_all_threads)?$"
    subprocess.run([bench, "engine", "--filter", named, "--json", str(file)], check=True)
    return str(file)


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description="Judges the goals of the engine.")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("file", nargs="?", help="the JSON of a run")
    choice.add_argument("--measure", metavar="BENCH", help="fhe-bench, to make one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = study.read(arguments.file or _measured(arguments.measure, Path(folder))).runs
    lines = [line for run in runs for line in judge(run)]
    print("\n".join(lines) or "no goal is set for what was measured here")
    words = {line.strip().split("  ")[0] for line in lines}
    if "MISSED" in words:
        return 1
    return 0 if words == {"reached"} else 77


if __name__ == "__main__":
    sys.exit(main())
