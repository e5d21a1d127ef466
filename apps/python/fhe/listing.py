# SPDX-License-Identifier: Apache-2.0
"""Parameter groups and backends as rows of a table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from . import _core
from .errors import Error

_MOST_SECONDS = 60  # for a backend to be opened


def parameters(*, frame: bool = False) -> Any:
    """The built-in parameter groups: a dict for each, or a data frame of pandas.

    >>> [row["name"] for row in parameters() if row["scheme"] == "cnt"][:3]
    ['cnt-mini', 'cnt-toy', 'cnt-small']
    """
    rows = []
    for name in _core.ParameterSet.names():
        group = _core.ParameterSet(name)
        row = {"name": name, "scheme": group.scheme, "makes_keys": group.makes_keys, **group.security}
        rows.append({**row, **group.sizes})
    return _table(rows, frame)


def backends(*, frame: bool = False) -> Any:
    """The arithmetic backends, and whether they work here: a dict for each, or a data frame of pandas.

    Each is opened by another process, which a plug-in may crash.
    """
    return _table([{**row, **_opened_apart(row["name"])} for row in _core.backend_names()], frame)


def _opened_apart(name: str) -> dict[str, Any]:
    code = "import sys; from fhe.listing import _describe; _describe(sys.argv[1])"
    package = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {package!r}); {code}", name]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_MOST_SECONDS, check=False)
        facts: dict[str, Any] = json.loads(done.stdout)
        return facts
    except subprocess.TimeoutExpired:
        return {"usable": False, "reason": f"opening it did not end within {_MOST_SECONDS} s"}
    except ValueError:
        return {"usable": False, "reason": f"opening it ended the process with status {done.returncode}"}


def _describe(name: str) -> None:
    try:
        facts = {"usable": True, **_core.describe_backend(name)}
    except Error as error:
        facts = {"usable": False, "reason": str(error)}
    print(json.dumps(facts))


def _table(rows: list[dict[str, Any]], frame: bool) -> Any:
    if not frame:
        return rows
    try:
        import pandas  # type: ignore[import-untyped,unused-ignore]
    except ImportError as missing:
        raise ImportError("data frames need pandas: pip install pandas, or leave out frame=True") from missing
    return pandas.DataFrame(rows)
