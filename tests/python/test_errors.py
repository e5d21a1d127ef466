# SPDX-License-Identifier: Apache-2.0
"""A class of exception for each code of the library, and nothing secret in what is printed."""

import re

import pytest

import fhe
from fhe import _core
from fhe.errors import error_of


def test_every_code_has_a_class():
    classes = {cls.code: cls for cls in fhe.Error.__subclasses__()}
    assert set(_core.error_codes()) == set(classes)
    assert len(classes) == len(fhe.Error.__subclasses__())
    for code, cls in classes.items():
        error = error_of(code, "why")
        assert type(error) is cls and error.code == code and str(error) == "why"
        assert getattr(fhe, cls.__name__) is cls


def test_errors_of_the_library_come_as_these():
    with pytest.raises(fhe.UnknownName) as raised:
        fhe.keygen("no-such-group")
    assert raised.value.code == "unknown_name" and "cnt-toy" in str(raised.value)
    with pytest.raises(fhe.UnknownName):
        fhe.keygen("cnt-mini", backend="no-such-backend")
    with pytest.raises(fhe.InvalidParameters):
        fhe.ParameterSet.from_toml("name = 3")
    with pytest.raises(fhe.InputOutputError):
        fhe.load_public_key("/no/such/file")


def test_out_of_memory_and_range_are_those_of_python_too():
    assert issubclass(fhe.InvalidArgument, ValueError) and issubclass(fhe.OutOfMemory, MemoryError)


def test_no_secret_is_printed(keys):
    secret = bytes(keys.secret.to_bytes())
    for text in (repr(keys), str(keys.secret), repr(fhe.Decryptor(keys)), f"{keys.encrypt(77, fhe.Uint(8))}"):
        assert "77" not in re.sub("0x[0-9a-f]+", "", text.replace(keys.public.name, ""))
        assert secret[-32:].hex() not in text and len(text) < 400
    assert not [name for name in dir(keys.secret) if name in ("p", "material", "value")]
