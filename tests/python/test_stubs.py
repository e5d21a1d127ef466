# SPDX-License-Identifier: Apache-2.0
"""The stub of the module names what the module has, and the package is typed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import fhe
from fhe import _core

_PACKAGE = Path(fhe.__file__).parent


def _names_of_stub():
    """Names at the top level, and members of classes, that are no part of every object."""
    names = set()
    for node in ast.parse((_PACKAGE / "_core.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
            names |= {f"{node.name}.{member.name}" for member in node.body if isinstance(member, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
    return {name for name in names if "__" not in name}


def _names_of_module():
    names = {name for name in dir(_core) if not name.startswith("_")}
    classes = [name for name in names if isinstance(getattr(_core, name), type)]
    return names | {f"{name}.{member}" for name in classes for member in vars(getattr(_core, name)) if "__" not in member}


def test_the_stub_is_of_this_module():
    assert _names_of_stub() == {name for name in _names_of_module() if not name.split(".")[-1].startswith("_")}


def test_the_package_is_typed(tmp_path):
    pytest.importorskip("mypy")
    assert (_PACKAGE / "py.typed").exists()
    source = Path(__file__).parents[2] / "apps" / "python" / "fhe"
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
