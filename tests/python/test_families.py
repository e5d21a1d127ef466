# SPDX-License-Identifier: Apache-2.0
"""Every function that loads, with every kind of object of every family: it is read, or named with what takes it."""

import os
import re
import subprocess

import pytest

import fhe

_BITS = ["cnt-mini", "cmnt-mini", "bdghv-mini", "gh-mini"]

# The smallest group of numbers in slots with public keys.
_TALLY = {
    "lambda": 10, "slots": 1, "plaintext": 10, "rho": 8, "eta": 30, "gamma": 128, "depth": 0, "additions": 4,
    "alpha": 8, "tau": 21,
}  # fmt: skip

# What each function takes: a kind of object of bits; a circuit is no object.
_TAKES = {
    "load": "ciphertexts",
    "load_circuit": None,
    "load_compressed": "ciphertexts",
    "load_program": "compiled circuit",
    "load_public_key": "public key",
    "load_secret_key": "secret key",
}

_WORDS = {
    "public key": "a public key of {}",
    "secret key": "a secret key of {}",
    "ciphertexts": "ciphertexts of {}",
    "compiled circuit": "a compiled circuit for {}",
}


@pytest.fixture(scope="module")
def tool():
    path = os.environ.get("FHE_CLI_PATH")
    if not path:
        pytest.skip("FHE_CLI_PATH does not name the tool")
    return path


@pytest.fixture(scope="module")
def objects(keys, tool, tmp_path_factory):
    """Tuples of path, kind, family and group."""
    folder = tmp_path_factory.mktemp("families")
    (folder / "numbers").write_text("1\n")
    fields = "".join(f'[{name}]\nvalue = {value}\nunit = "x"\nsource = "test"\n' for name, value in _TALLY.items())
    (folder / "tally.toml").write_text(f'name = "tiny-tally"\nscheme = "she"\npurpose = "slots"\n{fields}')
    found = []

    def fhe_tool(*words):
        subprocess.run([tool, *words], check=True, capture_output=True, cwd=folder)

    def add(name, kind, family, group):
        found.append((folder / name, kind, family, group))

    for group in [*_BITS, "she-mini", "tally.toml"]:
        fhe_tool("keygen", "--params", group, "--out", group + ".keys")
        family = "bits" if group in _BITS else "numbers in slots"
        plain = ["--bits", "1"] if group in _BITS else ["--slots", "numbers"]
        name = group if group != "tally.toml" else "tiny-tally"
        secret, public = f"{group}.keys/secret.fhe", f"{group}.keys/public.fhe"
        add(secret, "secret key", family, name)
        if group != "she-mini":
            add(public, "public key", family, name)
            fhe_tool("encrypt", "--key", public, *plain, "--out", group + ".fhe")
            add(group + ".fhe", "ciphertexts", family, name)
        if group != "gh-mini":
            fhe_tool("encrypt", "--secret-key", secret, *plain, "--out", group + ".compressed.fhe")
            add(group + ".compressed.fhe", "ciphertexts", family, name)
    program = fhe.circuit(fhe.Uint(2))(lambda x: x * x).compile(keys)
    program.save(folder / "program.fhe")
    add("program.fhe", "compiled circuit", "bits", "cnt-mini")
    return found


def _loaders(keys):
    return {
        "load": lambda path: fhe.load(path, keys, fhe.Bool),
        "load_circuit": fhe.load_circuit,
        "load_compressed": lambda path: fhe.load_compressed(path, keys, fhe.Bool),
        "load_program": fhe.load_program,
        "load_public_key": fhe.load_public_key,
        "load_secret_key": fhe.load_secret_key,
    }


def _check_refusal(error, kind, family, group):
    message = str(error)
    assert not re.search("damaged|benchmarks", message)
    assert f"{_WORDS[kind].format(family)} ({group})" in message
    # What takes it: functions of this package are there; others are commands and classes.
    for name in re.findall(r"in Python fhe\.(\w+)", message):
        assert callable(getattr(fhe, name))
    assert re.search(r"Use it with: fhe [a-z]+", message)


def test_every_function_that_loads_is_tried(keys):
    assert {name for name in dir(fhe) if name.startswith("load")} == set(_TAKES) == set(_loaders(keys))


@pytest.mark.parametrize("name", _TAKES)
def test_objects_of_other_families_are_named(keys, objects, name):
    load = _loaders(keys)[name]
    for path, kind, family, group in objects:
        try:
            load(path)
            assert (kind, family) == (_TAKES[name], "bits")
        except fhe.Error as error:
            if (kind, family) == (_TAKES[name], "bits"):  # of another key, or not compressed
                assert not isinstance(error, fhe.MalformedFile) and path.name in str(error)
            else:
                assert isinstance(error, fhe.WrongKey)
                _check_refusal(error, kind, family, group)


@pytest.mark.parametrize("group", ["she-mini", "she-128-d0", "she-128-tally"])
def test_keygen_names_groups_of_the_other_family(group):
    with pytest.raises(fhe.InvalidParameters, match="its keys encrypt numbers in slots") as error:
        fhe.keygen(group)
    assert "benchmarks" not in str(error.value) and "Use it with: fhe keygen" in str(error.value)


def test_keygen_names_groups_for_benchmarks():
    with pytest.raises(fhe.InvalidParameters, match="benchmarks"):
        fhe.keygen("cnt-toy-paper")


def test_a_key_is_no_parameter_group(objects):
    for path, kind, family, group in objects:
        with pytest.raises(fhe.WrongKey) as error:
            fhe.ParameterSet(str(path))
        _check_refusal(error.value, kind, family, group)
