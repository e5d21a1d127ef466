#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants the faults of the list into a copy of the tree and finds those that no test notices.

    mutants.py --check                        whether every fault has its place in the tree
    mutants.py build/mutants                  all of them whose result is not known yet
    mutants.py build/mutants --ids ID...      some of them
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

import faults as fault_list
from faults import Fault, ListError

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LEFT_OUT = "BENCH FLINT OUTSOURCE FAKE_XDMA PYTHON CLUSTER FPGA GPU".split()
# By the tag of their tests; all others are in fhe_tests.
PROGRAMS = {
    "[secrets]": "secrets/freed_memory_test",
    "[image]": "secrets/core_image_test",
    "[generators]": "secrets/fhe_generators_test",
    "[faults]": "faults/fhe_fault_tests",
}
TARGETS = ["fhe_tests", "fhe_cli", *(name.rpartition("/")[2] for name in PROGRAMS.values())]
MOST_MEMORY = 16 << 30
MOST_SECONDS = 3600
LONG_ENOUGH = 30  # seconds for tests, and five times as long as they take without a fault


@dataclasses.dataclass
class Run:
    """What came of tests: `failed` names the first one that failed."""

    failed: str | None
    seconds: float


def fingerprint(fault: Fault) -> list[str]:
    return [fault.file, fault.old, fault.new, fault.within, *fault.tests]


class Tree:
    """The copy of the sources with its switches, and its build."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder.resolve()
        self.source = self.folder / "tree"
        self.build = self.folder / "build"

    def plant(self, faults: list[Fault]) -> None:
        by_file = fault_list.by_file(faults)
        for path in all_files():
            text = (SOURCE / path).read_bytes()
            if own := by_file.get(str(path)):
                text = fault_list.planted(text.decode(), own).encode()
            self._write(path, text)

    # Only what has changed, so that nothing is compiled twice.
    def _write(self, path: pathlib.Path, text: bytes) -> None:
        target = self.source / path
        if target.exists() and target.read_bytes() == text:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
        shutil.copymode(SOURCE / path, target)

    def make(self, jobs: int) -> None:
        options = [f"-DFHE_{part}=OFF" for part in LEFT_OUT]
        options.append("-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG")
        configure = ["cmake", "--preset", "release", "-B", self.build, *options]
        subprocess.run(configure, cwd=self.source, check=True, stdout=subprocess.DEVNULL)
        build = ["cmake", "--build", self.build, "--parallel", str(jobs), "--target", *TARGETS]
        # All sources that do not compile are named, not the first one alone.
        subprocess.run([*build, "--", "-k", "0"], check=True)

    def command(self, tests: str) -> list[str]:
        """Tests by their tags, [#NAME] being all of NAME.cpp; or that of CTest of such a name."""
        if not tests.startswith("["):
            return ["ctest", "--test-dir", str(self.build), "-R", f"^{tests}$"]
        short = ",".join(f"{tag}~[long]~[.]" for tag in tests.split(","))
        program = PROGRAMS.get(tests, "fhe_tests")
        return [str(self.build / "tests" / program), short, "--filenames-as-tags", "--abort"]

    def run(self, number: int, tests: str, limit: float) -> Run:
        begin = time.monotonic()
        process = subprocess.Popen(
            self.command(tests),
            env={**os.environ, "FHE_MUTANT": str(number)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        resource.prlimit(process.pid, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        try:
            output, _ = process.communicate(timeout=limit)
            failed = None if process.returncode == 0 else failed_test(output, process.returncode)
        except subprocess.TimeoutExpired:
            failed = f"{tests} does not end"
        finally:
            end_all(process)
        return Run(failed, time.monotonic() - begin)


def all_files() -> list[pathlib.Path]:
    """Of the tree, without builds and hidden folders."""
    found = []
    for folder, folders, names in os.walk(SOURCE):
        within = pathlib.Path(folder).relative_to(SOURCE)
        skipped = (".", "__pycache__", *(["build"] if within == pathlib.Path() else []))
        folders[:] = [name for name in folders if not name.startswith(skipped)]
        found += [within / name for name in names]
    return [path for path in found if not (SOURCE / path).is_symlink()]


def end_all(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def failed_test(output: str, code: int) -> str:
    before = output.partition("FAILED")[0]
    names = re.findall(r"^-{60,}\n(.+(?:\n .+)*)\n-{60,}$", before, re.MULTILINE)
    if names:
        return " ".join(names[-1].split())
    names = re.findall(r"^\s*\d+ - (.+) \(\w+\)", output, re.MULTILINE)
    return names[0] if names else f"ends with code {code}"


class Campaign:
    """The runs of all faults; remembers what it has found in a file."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.path = tree.folder / "results.json"
        self.results = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.usual: dict[str, float] = {}  # seconds without a fault
        self.guard = threading.Lock()

    def limit(self, tests: str) -> float:
        """How many seconds tests may take: they must pass without a fault before any meets them."""
        with self.guard:
            if tests not in self.usual:
                run = self.tree.run(0, tests, MOST_SECONDS)
                if run.failed:
                    raise ListError(f"without a fault {tests} fails: {run.failed}")
                print(f"without a fault: {tests}: {run.seconds:.0f} s", flush=True)
                self.usual[tests] = run.seconds
            return LONG_ENOUGH + 5 * self.usual[tests]

    def is_known(self, fault: Fault) -> bool:
        return self.results.get(fault.id, {}).get("of") == fingerprint(fault)

    def judge(self, fault: Fault) -> None:
        killer = None
        begin = time.monotonic()
        for tests in fault.tests:
            killer = self.tree.run(fault.number, tests, self.limit(tests)).failed
            if killer:
                break
        seconds = round(time.monotonic() - begin)
        with self.guard:
            result = {"of": fingerprint(fault), "killer": killer, "seconds": seconds}
            self.results[fault.id] = result
            self.path.write_text(json.dumps(self.results, indent=1))
        verdict = f"killed by: {killer}" if killer else "survives"
        print(f"{fault.id}: {verdict} ({seconds} s)", flush=True)

    def verdict(self, fault: Fault) -> str:
        if not self.is_known(fault):
            return "not decided"
        killer = self.results[fault.id]["killer"]
        if killer:
            return f"killed by: {killer}"
        return f"survives, accepted: {fault.accepted}" if fault.accepted else "SURVIVES"


def table(campaign: Campaign, faults: list[Fault]) -> str:
    lines = ["| fault | file | what it means | verdict |", "|---|---|---|---|"]
    for fault in faults:
        cells = [fault.id, f"`{fault.file}`", fault.means, campaign.verdict(fault)]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def summary(campaign: Campaign, faults: list[Fault]) -> int:
    """Writes the table, and returns the exit code."""
    path = campaign.tree.folder / "results.md"
    path.write_text(table(campaign, faults))
    words = ["killed", "SURVIVES", "survives, accepted", "not decided"]
    verdicts = {fault.id: campaign.verdict(fault) for fault in faults}
    counts = {
        word: [id for id, said in verdicts.items() if said.startswith(word)] for word in words
    }
    sums = ", ".join(f"{len(ids)} {word}" for word, ids in counts.items())
    print(f"{len(faults)} faults: {sums}; the table: {path}")
    for id in counts["SURVIVES"]:
        print(f"no test notices {id}")
    for fault in faults:
        if fault.accepted and fault.id in counts["killed"]:
            print(f"{fault.id} is accepted and killed all the same: remove the reason")
    return 1 if counts["SURVIVES"] else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("folder", nargs="?", type=pathlib.Path, help="for the copy, its build and the results")
    add("--check", action="store_true", help="build and run nothing")
    add("--build-only", action="store_true", help="run nothing")
    add("--ids", nargs="+", default=[], help="run these faults alone, known or not")
    add("--again", action="store_true", help="run those too whose result is known")
    add("--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    add("--beside", type=int, default=1, help="faults at once")
    given = parser.parse_args()
    if not given.check and given.folder is None:
        parser.error("name a folder for what is built, such as build/mutants")
    return given


def check(faults: list[Fault]) -> None:
    """Throws what is wrong with any of them."""
    flaws = []
    for file, own in fault_list.by_file(faults).items():
        text = (SOURCE / file).read_text() if (SOURCE / file).is_file() else ""
        try:
            fault_list.planted(text, own)
        except ListError as error:
            flaws.append(str(error))
    if flaws:
        raise ListError("\n".join(flaws))
    print(f"{len(faults)} faults have their places")


def main() -> int:
    given = arguments()
    try:
        faults = fault_list.all_faults()
        check(faults)
        if given.check:
            return 0
        named = {fault.id: fault for fault in faults}
        if unknown := set(given.ids) - named.keys():
            raise ListError(f"no faults are called {', '.join(sorted(unknown))}")
        tree = Tree(given.folder)
        tree.plant(faults)
        tree.make(given.jobs)
        if given.build_only:
            return 0
        campaign = Campaign(tree)
        open_ones = [fault for fault in faults if given.again or not campaign.is_known(fault)]
        wanted = [named[id] for id in given.ids] or open_ones
        with concurrent.futures.ThreadPoolExecutor(given.beside) as pool:
            list(pool.map(campaign.judge, wanted))
        return summary(campaign, faults)
    except (ListError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
