# SPDX-License-Identifier: Apache-2.0
"""Keys, ciphertexts and circuits in files, as bytes and as pickles."""

import copy
import os
import pickle
import stat
import subprocess
import sys

import numpy as np
import pytest

import fhe

_U8 = fhe.Uint(8)


def test_public_keys(keys, tmp_path):
    path = tmp_path / "public.fhe"
    keys.public.save(path)
    data = keys.public.to_bytes()
    assert path.read_bytes() == bytes(data)
    for source in (path, str(path), data, bytes(data), bytearray(data), memoryview(data)):
        loaded = fhe.load_public_key(source)
        assert loaded == keys.public and hash(loaded) == hash(keys.public)
    assert keys.public.is_test_key and keys.public.parameters == fhe.ParameterSet("cnt-mini")


def test_secret_keys(keys, tmp_path):
    path = tmp_path / "secret.fhe"
    keys.secret.save(path)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    x = keys.encrypt(200, _U8)
    assert fhe.Decryptor(fhe.load_secret_key(path)).decrypt(x) == 200
    data = keys.secret.to_bytes()
    assert isinstance(data, bytearray) and fhe.load_secret_key(data).id == keys.secret.id


def test_a_passphrase(keys, tmp_path):
    path = tmp_path / "secret.fhe"
    keys.secret.save(path, passphrase="a phrase")
    assert fhe.load_secret_key(path, "a phrase").id == keys.secret.id
    with pytest.raises(fhe.WrongKey):
        fhe.load_secret_key(path, "another one")
    with pytest.raises(fhe.InvalidArgument):
        fhe.load_secret_key(path)
    with pytest.raises(fhe.InvalidArgument):
        keys.secret.save(path, passphrase="")


def test_ciphertexts(keys, tmp_path):
    plain = np.array([1, 2, 255], np.uint8)
    x = keys.encrypt(plain)
    path = tmp_path / "x.fhe"
    x.save(path)
    for source in (path, x.to_bytes()):
        np.testing.assert_array_equal(keys.decrypt(fhe.load(source, keys, _U8)), plain)
        np.testing.assert_array_equal(keys.decrypt(fhe.load(source, keys, _U8[3])), plain)
    assert fhe.load(path, keys, fhe.Bool).shape == (24,)
    assert keys.decrypt(fhe.load(keys.encrypt(7, _U8).to_bytes(), keys, _U8)) == 7
    with pytest.raises(fhe.InvalidArgument):
        fhe.load(path, keys, fhe.Uint(7))
    with pytest.raises(fhe.InvalidArgument):
        fhe.load(path, keys, _U8[2])


def test_compressed_ciphertexts(keys, tmp_path):
    compressed = fhe.SecretEncryptor(keys).encrypt(99, _U8)
    path = tmp_path / "x.fhe"
    compressed.save(keys, path)
    assert keys.decrypt(fhe.load(path, keys, _U8)) == 99
    assert keys.decrypt(fhe.load_compressed(path, keys, _U8).expand(keys)) == 99
    with pytest.raises(fhe.InvalidArgument):
        fhe.load_compressed(keys.encrypt(99, _U8).to_bytes(), keys, _U8)


def test_wrong_files_are_refused(keys, other_keys, tmp_path):
    garbage = os.urandom(1000)
    for load in (fhe.load_public_key, fhe.load_secret_key, lambda data: fhe.load(data, keys, _U8), fhe.load_program):
        for data in (b"", b"\0" * 100, garbage):
            with pytest.raises(fhe.MalformedFile):
                load(data)
        with pytest.raises(TypeError):
            load(3)
    whole = bytes(keys.encrypt(7, _U8).to_bytes())
    for end in (1, 100, len(whole) - 1):
        with pytest.raises(fhe.MalformedFile):
            fhe.load(whole[:end], keys, _U8)
    altered = bytearray(whole)
    altered[-1] ^= 1
    with pytest.raises(fhe.MalformedFile):
        fhe.load(altered, keys, _U8)
    with pytest.raises(fhe.WrongKey):
        fhe.load(whole, other_keys, _U8)
    with pytest.raises(fhe.Error):
        fhe.load_public_key(keys.secret.to_bytes())
    with pytest.raises(fhe.InputOutputError):
        fhe.load(tmp_path, keys, _U8)
    with pytest.raises(TypeError):
        fhe.load(memoryview(whole)[::2], keys, _U8)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(keys, protocol):
    x = keys.encrypt(np.array([[1, 2]], np.uint8))
    key, back = pickle.loads(pickle.dumps((keys.public, x), protocol))
    assert key is keys.public and back.key is key  # which this process has already
    np.testing.assert_array_equal(keys.decrypt(back), [[1, 2]])
    group = pickle.loads(pickle.dumps(keys.public.parameters, protocol))
    assert group == keys.public.parameters


def test_pickles_out_of_band(keys):
    x = keys.encrypt(np.arange(16, dtype=np.uint8))
    buffers = []
    data = pickle.dumps((keys.public, x), 5, buffer_callback=buffers.append)
    assert len(data) < 1000 < min(len(buffer.raw()) for buffer in buffers) and len(buffers) == 2
    _, back = pickle.loads(data, buffers=buffers)
    np.testing.assert_array_equal(keys.decrypt(back), np.arange(16))


def test_a_pickle_is_complete(keys, tmp_path):
    """Another process, which has no key yet, computes with it."""
    path = tmp_path / "pickle"
    path.write_bytes(pickle.dumps(keys.encrypt(20, _U8)))
    code = "import pickle, sys; x = pickle.load(open(sys.argv[1], 'rb')); open(sys.argv[1], 'wb').write(pickle.dumps(x + 1))"
    subprocess.run([sys.executable, "-c", code, path], check=True)
    assert keys.decrypt(pickle.loads(path.read_bytes())) == 21


def test_damaged_pickles_are_refused(keys):
    data = bytearray(pickle.dumps(keys.encrypt(20, _U8)))
    data[-200] ^= 1
    with pytest.raises(fhe.MalformedFile):
        pickle.loads(data)


def test_secret_keys_are_not_pickled(keys):
    for attempt in (pickle.dumps, copy.deepcopy):
        for secret in (keys.secret, keys):
            with pytest.raises(TypeError, match="secret key"):
                attempt(secret)


def test_copies_are_the_same_values(keys):
    x = keys.encrypt(True)
    assert copy.copy(x) is x and copy.deepcopy([x])[0] is x and copy.deepcopy(keys.public) is keys.public


def test_the_tool_reads_what_python_writes(keys, tmp_path):
    tool = os.environ.get("FHE_CLI_PATH")
    if not tool:
        pytest.skip("FHE_CLI_PATH does not name the tool")
    keys.secret.save(tmp_path / "secret.fhe")
    keys.encrypt(143, _U8).save(tmp_path / "x.fhe")
    command = [tool, "decrypt", "--key", tmp_path / "secret.fhe", "--number", tmp_path / "x.fhe"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() == "143"
