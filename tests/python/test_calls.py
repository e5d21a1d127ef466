# SPDX-License-Identifier: Apache-2.0
"""Long calls: progress, Ctrl-C, threads; and the lists of groups and backends."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import fhe

# A key generation that takes minutes, so that it cannot end by itself.
_LONG = "cnt-large"


@contextlib.contextmanager
def _signal_once_running(number):
    """Sends a signal to this process as soon as a long call has reported a first step."""
    started, ended = threading.Event(), threading.Event()

    def send():
        if started.wait() and not ended.is_set():
            os.kill(os.getpid(), number)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        with fhe.progress(lambda phase, fraction: started.set()):
            yield
    finally:
        ended.set()
        started.set()
        thread.join()


def test_ctrl_c_stops_a_long_call():
    with _signal_once_running(signal.SIGINT):
        with pytest.raises(KeyboardInterrupt):
            fhe.keygen(_LONG)


def test_a_handler_that_returns_stops_nothing(keys):
    calls = []
    before = signal.signal(signal.SIGUSR1, lambda *_: calls.append(1))
    try:
        with fhe.progress(lambda phase, fraction: calls or os.kill(os.getpid(), signal.SIGUSR1)):
            x = keys.encrypt(np.arange(32, dtype=np.uint8))
            product = x * x
        np.testing.assert_array_equal(keys.decrypt(product), np.arange(32, dtype=np.uint8) ** 2)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert calls


def test_what_a_handler_raises_comes_out():
    class Alarm(Exception):
        pass

    def handler(*_):
        raise Alarm

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with _signal_once_running(signal.SIGUSR1):
            with pytest.raises(Alarm):
                fhe.keygen(_LONG)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_what_a_callback_raises_ends_the_call():
    def callback(phase, fraction):
        raise RuntimeError("enough")

    with fhe.progress(callback):
        with pytest.raises(RuntimeError, match="enough"):
            fhe.keygen(_LONG)
    fhe.keygen("cnt-mini")  # which nobody watches any more


def test_progress_rises_in_each_phase(keys):
    seen = []
    with fhe.progress(lambda phase, fraction: seen.append((phase, fraction))):
        keys.encrypt(9, fhe.Uint(4)) * keys.encrypt(7, fhe.Uint(4))
    fractions = [fraction for phase, fraction in seen if phase == "circuit"]
    assert fractions == sorted(fractions) and fractions[-1] == 1


def test_a_bar():
    out = io.StringIO()
    with fhe.bar(out):
        fhe.keygen("cnt-mini")
    assert "100%" in out.getvalue()


def test_other_threads_run_during_a_long_call():
    """This thread is told about the call while it goes on in another one: it has let go of the interpreter."""
    started, seen = threading.Event(), threading.Event()

    def callback(phase, fraction):
        started.set()
        if seen.wait(60):
            raise RuntimeError("both ran")

    def work():
        with fhe.progress(callback), pytest.raises(RuntimeError, match="both ran"):
            fhe.keygen(_LONG)

    thread = threading.Thread(target=work)
    thread.start()
    assert started.wait(60)
    seen.set()
    thread.join()


def test_threads_share_keys_and_evaluators(keys):
    x = keys.encrypt(3, fhe.Uint(4))

    def work(number):
        return keys.decrypt((x + number) * x)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(12))) == [(3 + number) * 3 % 16 for number in range(12)]


def test_thread_limit():
    before = fhe.thread_count()
    with fhe.thread_limit(1):
        assert fhe.thread_count() == 1
    assert fhe.thread_count() == before


def test_test_seeds_repeat_keys():
    one, two = (fhe.keygen("cnt-mini", test_seed="same") for _ in range(2))
    assert one.public == two.public and one.public.is_test_key
    assert fhe.keygen("cnt-mini").public != one.public


def test_checks_of_keys(keys, other_keys):
    assert all(finding["passed"] for finding in keys.check() + keys.public.check() + keys.secret.check())
    mixed = fhe.KeyPair(keys.public, other_keys.secret)
    assert not all(finding["passed"] for finding in mixed.check())


def test_parameters_are_listed():
    rows = {row["name"]: row for row in fhe.parameters()}
    assert set(rows) == set(fhe.ParameterSet.names())
    assert rows["bdghv-toy"]["slots"] == 10 and rows["cnt-toy"]["security_bits"] == 30
    group = fhe.ParameterSet("cnt-toy")
    assert fhe.ParameterSet.from_toml(group.to_toml()) == group and group.fields["gamma"] == 147456


def test_backends_are_listed():
    rows = fhe.backends()
    assert [row["usable"] for row in rows if row["default"]] == [True]
    assert all("description" in row if row["usable"] else "reason" in row for row in rows)


def test_data_frames():
    try:
        import pandas
    except ImportError:
        with pytest.raises(ImportError, match="pandas"):
            fhe.parameters(frame=True)
    else:
        assert list(fhe.parameters(frame=True)["name"]) == fhe.ParameterSet.names()
        assert isinstance(fhe.backends(frame=True), pandas.DataFrame)


def test_other_backends_compute_the_same(keys):
    for backend in ("ntl", "solinas"):
        x = fhe.Encryptor(keys, backend).encrypt(13, fhe.Uint(8))
        y = fhe.Evaluator(keys, backend).compute(lambda a: a + 1, x)
        assert fhe.Decryptor(keys, backend).decrypt(y) == 14


def test_gmpy2_lives_beside():
    """Both use GMP, whose memory functions the library replaces."""
    pytest.importorskip("gmpy2")
    code = "import {}, {}; a = gmpy2.mpz(3) ** 5000; fhe.keygen('cnt-mini'); assert a * a % 7 == 3 ** 10000 % 7"
    for first, second in (("gmpy2", "fhe"), ("fhe", "gmpy2")):
        subprocess.run([sys.executable, "-c", code.format(first, second)], check=True)
