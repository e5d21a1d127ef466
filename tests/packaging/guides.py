#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the blocks of guides that are commands or programs, in their order, each guide in a folder of its own.

    tests/packaging/guides.py SCRATCH GUIDE.md...

PATH, PYTHONPATH and CMAKE_PREFIX_PATH lead to an installed fhe. A block of C++, CMake or Python whose first line is a comment with
the name of a file is that file; other blocks of Python are one session, and those of sh are run by bash. A comment `# prints TEXT`
says what is printed: all of it for Python, some of it, in that order, for sh. A block for which something is needed that is not
everywhere says so behind its language ("```sh yosys"), and is left out where that is missing.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


def blocks_in(guide):
    text = guide.read_text(encoding="utf-8")
    return [
        (language, needs, body, text[: match.start()].count("\n") + 1)
        for match in re.finditer(r"^```(\w+) ?([\w-]*)\n(.*?)^```$", text, re.M | re.S)
        for language, needs, body in [match.groups()]
    ]


def is_there(needs):
    if needs == "cluster":
        said = subprocess.run(["fhe", "run", "--help"], capture_output=True, text=True, check=True).stdout
        return shutil.which("mpirun") is not None and "starpu" in said and "was built without" not in said
    return shutil.which(needs) is not None


def promised_by(body):
    return [line.rstrip() for line in re.findall(r"# prints (.*)$", body, re.M)]


def run_python(body, session, where):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(body, where, "exec"), session)
    # Lines without a promise may print what they like.
    return [line.rstrip() for line in printed.getvalue().splitlines()]


def run_shell(body, where):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{where}: exit status {done.returncode}\n{body}{done.stdout}")
    return [line.rstrip() for line in done.stdout.splitlines()]


def require_in_order(promised, printed, where):
    rest = iter(printed)
    for line in promised:
        if line not in rest:
            sys.exit(f"{where}: promised is {line!r}, and printed was:\n" + "\n".join(printed))


def run_guide(guide, scratch):
    folder = scratch / guide.stem
    folder.mkdir()
    os.chdir(folder)
    session = {"__name__": "__main__"}
    count = 0
    for language, needs, body, line in blocks_in(guide):
        where = f"{guide.name}:{line}"
        named = re.match(r"(?:#|//) ([\w.]+\.\w+)\n", body)
        if needs and not is_there(needs):
            print(f"{where}: left out, {needs} is missing")
        elif named and language in ("cpp", "cmake", "python"):
            Path(named[1]).write_text(body, encoding="utf-8")
        elif language == "python":
            require_in_order(promised_by(body), run_python(body, session, where), where)
            count += 1
        elif language == "sh":
            require_in_order(promised_by(body), run_shell(body, where), where)
            count += 1
        else:
            sys.exit(f"{where}: nobody runs a block of {language}")
    return count


def main():
    scratch = Path(sys.argv[1])
    for guide in [Path(name).resolve() for name in sys.argv[2:]]:
        if "matplotlib" in guide.read_text(encoding="utf-8"):
            try:
                import matplotlib

                matplotlib.use("Agg")
            except ImportError:
                print(f"{guide.name}: left out, matplotlib is missing (Debian: apt-get install python3-matplotlib)")
                continue
        print(f"{guide.name}: {run_guide(guide, scratch)} blocks", flush=True)


main()
