# SPDX-License-Identifier: Apache-2.0
"""What docstrings and the guide show is what happens."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import fhe

_GUIDE = Path(__file__).parents[2] / "apps" / "python" / "README.md"
_modules = ["fhe", *(f"fhe.{module.name}" for module in pkgutil.iter_modules(fhe.__path__) if module.name != "_core")]


@pytest.mark.parametrize("name", _modules)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_some_docstrings_show_something():
    finder = doctest.DocTestFinder()
    examples = [test for name in _modules for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(examples) >= 4


def test_the_guide(tmp_path, monkeypatch, capsys):
    """Its blocks of Python are one session; a comment `# prints ...` says what a line prints."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", _GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 3
    namespace = {}
    for block in blocks:
        exec(compile(block, str(_GUIDE), "exec"), namespace)
        expected = re.findall(r"# prints (.*)$", block, re.M)
        assert capsys.readouterr().out.splitlines() == expected


def test_what_is_public_is_documented():
    for name in fhe.__all__:
        assert getattr(fhe, name).__doc__, name
