# SPDX-License-Identifier: Apache-2.0
"""Joins what `fhe-bench` has measured, and draws it as pages with charts, or prints how it compares:

python3 apps/report/fhe_report report/report.json scale.json --out report [--compare before.json]
python3 apps/report/fhe_report small.json
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import comparison
import study
from published import Published

_PACKAGES = {"jinja2": "python3-jinja2", "matplotlib": "python3-matplotlib"}
_HERE = Path(__file__).resolve().parent
_LACKS, _BAD_FILE, _IO = 1, 3, 5  # exit codes, as of the tool


def _published() -> Published:
    """In the source tree, or beside this program where it is installed."""
    places = [_HERE.parents[2] / "params" / "published.toml", _HERE / "published.toml"]
    return Published(next(place for place in places if place.exists()))


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        temporary.unlink(missing_ok=True)


def _draw(measured: study.Study, before: study.Study | None, out: Path) -> None:
    import pages
    from sections import Report

    document = Report(measured, _published(), before).document()
    for chart in document.charts:
        _write(out / chart.file, chart.standalone)
    _write(out / "report.md", pages.to_markdown(document))
    _write(out / "report.html", pages.to_html(document))


def _make(arguments: argparse.Namespace) -> None:
    measured = study.read(*arguments.files)
    before = study.read(arguments.compare) if arguments.compare else None
    if arguments.check:
        return
    if arguments.out is None:
        print(comparison.to_text(measured, _published(), before), end="")
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    _write(arguments.out / "report.json", json.dumps(measured.data, indent=2, sort_keys=True) + "\n")
    if not arguments.no_pages:
        _draw(measured, before, arguments.out)
    print(f"wrote {arguments.out / ('report.json' if arguments.no_pages else 'report.html')}", file=sys.stderr)


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="fhe_report", description="Joins JSON files of fhe-bench and draws or compares them.")
    parser.add_argument("files", nargs="+", help="JSON files of fhe-bench; of runs of the same the last counts")
    parser.add_argument("--compare", help="a JSON file of what was measured before")
    parser.add_argument(
        "--out", type=Path, help="the directory for report.json, report.html, report.md and charts; without it text is printed"
    )
    parser.add_argument("--no-pages", action="store_true", help="only report.json")
    parser.add_argument("--check", action="store_true", help="only say whether the files can be read")
    arguments = parser.parse_args()
    if arguments.no_pages and arguments.out is None:
        parser.error("--no-pages needs --out")
    try:
        _make(arguments)
    except ModuleNotFoundError as error:
        if error.name not in _PACKAGES:
            raise
        print(
            f"fhe_report: no page is drawn: Python's package {error.name} is missing (Debian: apt-get install "
            f"{' '.join(_PACKAGES.values())})",
            file=sys.stderr,
        )
        return _LACKS
    except study.Malformed as error:
        print(f"fhe_report: {error}", file=sys.stderr)
        return _BAD_FILE
    except OSError as error:
        print(f"fhe_report: cannot read or write {error.filename}: {error.strerror}", file=sys.stderr)
        return _IO
    return 0


if __name__ == "__main__":
    sys.exit(main())
