# SPDX-License-Identifier: Apache-2.0
"""Draws what `fhe-bench report` has measured, as pages with charts:

python3 apps/report/fhe_report report/report.json --out report [--compare before.json]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import study

_PACKAGES = {"jinja2": "python3-jinja2", "matplotlib": "python3-matplotlib"}
_HERE = Path(__file__).resolve().parent


def _published() -> Path:
    """In the source tree, or beside this program where it is installed."""
    places = [_HERE.parents[2] / "params" / "published.toml", _HERE / "published.toml"]
    return next(place for place in places if place.exists())


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, suffix=".tmp", delete=False) as file:
        try:
            os.fchmod(file.fileno(), 0o644)
            file.write(text)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _draw(arguments: argparse.Namespace) -> None:
    import pages
    from published import Published
    from sections import Report

    before = study.read(arguments.compare) if arguments.compare else None
    document = Report(study.read(arguments.file), Published(_published()), before).document()
    for chart in document.charts:
        _write(arguments.out / chart.file, chart.standalone)
    _write(arguments.out / "report.md", pages.to_markdown(document))
    _write(arguments.out / "report.html", pages.to_html(document))


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="fhe_report", description="Draws a JSON file of fhe-bench as pages with charts.")
    parser.add_argument("file", help="a JSON file of fhe-bench")
    parser.add_argument("--compare", help="a JSON file of what was measured before")
    parser.add_argument("--out", type=Path, required=True, help="the directory for report.html, report.md and the charts")
    arguments = parser.parse_args()
    try:
        _draw(arguments)
    except ModuleNotFoundError as error:
        if error.name not in _PACKAGES:
            raise
        print(
            f"fhe_report: no page is drawn: Python's package {error.name} is missing (Debian: apt-get install "
            f"{' '.join(_PACKAGES.values())})",
            file=sys.stderr,
        )
        return 3
    except (study.Malformed, OSError) as error:
        print(f"fhe_report: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
