# SPDX-License-Identifier: Apache-2.0
"""What docstrings and the guide show is what happens."""

import doctest
import importlib
import pkgutil

import pytest
from guide import blocks_of_guide, promised_by

import fhe

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
    namespace = {}
    for block in blocks_of_guide():
        if "fhe.Remote" not in block and "fhe.RayExecutor" not in block:  # tested in test_remote.py and on_ray.py
            exec(block, namespace)
            assert capsys.readouterr().out.splitlines() == promised_by(block)


def test_what_is_public_is_documented():
    for name in fhe.__all__:
        assert getattr(fhe, name).__doc__, name
