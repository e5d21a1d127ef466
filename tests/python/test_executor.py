# SPDX-License-Identifier: Apache-2.0
"""Runs by an executor that hands out parts, with a stand-in for Ray in this process; on_ray.py has Ray itself."""

import contextvars
import pickle
import sys
import types

import pytest

import fhe

_U4 = fhe.Uint(4)


class _TaskError(Exception):
    """As ray.exceptions.RayTaskError."""

    def __init__(self, cause):
        super().__init__(str(cause))
        self.cause = cause


class _Ref:
    """An object of the stand-in: always pickled, as what crosses between processes is."""

    def __init__(self, value):
        self.failed = isinstance(value, _TaskError)
        self.value = value if self.failed else pickle.dumps(value, protocol=5)

    def get(self):
        if self.failed:
            raise self.value
        return pickle.loads(self.value)


class _Ray(types.ModuleType):
    """What RayExecutor uses of Ray; tasks are done when they are handed out."""

    def __init__(self):
        super().__init__("ray")
        self.exceptions = types.SimpleNamespace(RayTaskError=_TaskError)
        self.started = self.parts = 0
        self.cancelled = []

    def is_initialized(self):
        return self.started > 0

    def init(self, address):
        self.started += 1

    def cluster_resources(self):
        return {"CPU": 3.0}

    def put(self, value):
        return _Ref(value)

    def get(self, refs):
        return [ref.get() for ref in refs] if isinstance(refs, list) else refs.get()

    def wait(self, refs, *, num_returns, timeout):
        return refs[:num_returns], refs[num_returns:]

    def cancel(self, ref):
        self.cancelled.append(ref)

    def remote(self, *, num_cpus, max_retries, num_returns=1):
        assert num_cpus >= 1 and max_retries > 0

        def handed_out(function):
            if num_returns == 1:
                return types.SimpleNamespace(remote=lambda *args: self._done(function, args))
            return types.SimpleNamespace(remote=lambda *args: self._each_of(self._done(function, args)))

        return handed_out

    @staticmethod
    def _each_of(ref):
        return [ref, ref] if ref.failed else [_Ref(value) for value in ref.get()]

    def _done(self, function, args):
        self.parts += 1
        try:
            given = [self.get(arg) if isinstance(arg, _Ref) else arg for arg in args]
            return _Ref(contextvars.Context().run(function, *given))  # a worker knows of no progress
        except fhe.Error as error:
            return _Ref(_TaskError(error))
        except _TaskError as error:
            return _Ref(error)


@pytest.fixture
def ray(monkeypatch):
    stand_in = _Ray()
    monkeypatch.setitem(sys.modules, "ray", stand_in)
    return stand_in


@fhe.circuit
def _mean(x: _U4[2], y: _U4):
    return (x[0] & x[1]) + y, x[0], ~y


def _bytes_of(values):
    return [bytes(value.to_bytes()) for value in values]


def test_the_outputs_are_those_of_a_run_here(keys, ray):
    inputs = keys.encrypt([7, 13], _U4), keys.encrypt(6, _U4)
    expected = _bytes_of(_mean.run(keys, *inputs))
    parts = []
    for workers, part_seconds in ((3, 1e-9), (3, 1e9), (1, 1e9)):
        executor = fhe.RayExecutor(workers=workers, part_seconds=part_seconds)
        before = ray.parts
        assert _bytes_of(_mean.run(keys, *inputs, executor=executor)) == expected
        parts.append(ray.parts - before - 1)  # but the one that times a recryption
        assert _bytes_of(_mean.compile(keys).run(keys, *inputs, executor=executor)) == expected
    assert parts[0] > parts[1] > 1 and parts[2] <= 17
    product, _ = fhe.compute(lambda x, y: (x * y, x), *inputs, executor=fhe.RayExecutor())
    assert keys.decrypt(product).tolist() == [7 * 6 % 16, 13 * 6 % 16]
    assert ray.started == 1 and "3 workers" in repr(fhe.RayExecutor()) and not ray.cancelled


def test_progress_and_what_raises_in_it(keys, ray):
    x, y = keys.encrypt([1, 2], _U4), keys.encrypt(3, _U4)
    executor = fhe.RayExecutor(workers=2, part_seconds=1e-9)
    seen = []
    with fhe.progress(lambda phase, fraction: seen.append((phase, fraction))):
        _mean.run(keys, x, y, executor=executor)
    fractions = [fraction for phase, fraction in seen if phase == "circuit"]
    assert fractions == sorted(fractions) and fractions[-1] == 1

    def stop(phase, fraction):
        raise KeyboardInterrupt

    with fhe.progress(stop), pytest.raises(KeyboardInterrupt):
        _mean.run(keys, x, y, executor=executor)


def test_errors_of_workers_are_those_of_the_library(keys, ray):
    quiet = _mean.compile(keys, noise=1)
    with pytest.raises(fhe.NoiseExceeded, match="noise"):
        quiet.run(keys, keys.encrypt([1, 2], _U4), keys.encrypt(3, _U4), executor=fhe.RayExecutor())


def test_evaluators_keep_what_they_were_made_with(keys, other_keys, ray):
    x, y = keys.encrypt([1, 2], _U4), keys.encrypt(3, _U4)
    by_ntl = pickle.loads(pickle.dumps(fhe.Evaluator(keys, "ntl")))
    assert by_ntl.public == keys.public and by_ntl is pickle.loads(pickle.dumps(by_ntl))
    before = by_ntl.counts["products"]
    results = _mean.run(by_ntl, x, y, executor=fhe.RayExecutor())
    assert by_ntl.counts["products"] > before
    assert keys.decrypt(results[0]) == (1 & 2) + 3
    with pytest.raises(fhe.WrongKey):
        _mean.run(other_keys, x, y, executor=fhe.RayExecutor())


def test_what_an_executor_does_not_do(keys, ray, tmp_path):
    x, y = keys.encrypt([1, 2], _U4), keys.encrypt(3, _U4)
    with pytest.raises(fhe.Unsupported, match="checkpoint"):
        _mean.run(keys, x, y, executor=fhe.RayExecutor(), checkpoint=tmp_path / "c")


def test_without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(fhe.Unsupported, match="pip install"):
        fhe.RayExecutor()
