# SPDX-License-Identifier: Apache-2.0
"""Runs on Ray itself: the right bits, also where workers and machines are lost. Not one of the quick tests."""

import os
import signal

import numpy as np
import pytest
import ray
from guide import blocks_of_guide
from ray.cluster_utils import Cluster

import fhe

_U4 = fhe.Uint(4)


@fhe.circuit
def _products(x: _U4[3], y: _U4[3]):
    return x * y, (x * y).sum()


@pytest.fixture(scope="module")
def inputs(keys):
    return keys.encrypt([3, 7, 15], _U4), keys.encrypt([5, 11, 13], _U4)


@pytest.fixture(scope="module")
def expected(keys, inputs):
    return _bytes_of(_products.run(keys, *inputs))


def _bytes_of(values):
    return [bytes(value.to_bytes()) for value in values]


def _once_at(folder, count, action):
    """Work that calls action() once, in the worker that begins the part of this number; folder counts them."""

    def work(evaluator, program, part, *given):
        number = len(os.listdir(folder))
        open(os.path.join(folder, f"{number}-{os.getpid()}"), "w").close()
        if number >= count:
            try:
                os.mkdir(os.path.join(folder, "done"))
            except FileExistsError:
                pass
            else:
                action()
        return fhe.RayExecutor.work(evaluator, program, part, *given)

    return work


@pytest.fixture
def workers():
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_the_outputs_are_those_of_a_run_here(keys, inputs, expected, workers):
    executor = fhe.RayExecutor()
    assert executor.workers == 4
    for _ in range(2):
        assert _bytes_of(_products.run(keys, *inputs, executor=executor)) == expected
    quiet = _products.compile(keys, noise=1)
    with pytest.raises(fhe.NoiseExceeded):
        quiet.run(keys, *inputs, executor=executor)


def test_a_worker_that_is_killed_changes_nothing(keys, inputs, expected, workers, tmp_path):
    class Killed(fhe.RayExecutor):
        work = staticmethod(_once_at(str(tmp_path), 6, lambda: os.kill(os.getpid(), signal.SIGKILL)))

    executor = Killed(part_seconds=1e-9)
    assert _bytes_of(_products.run(keys, *inputs, executor=executor)) == expected
    assert (tmp_path / "done").exists()


def test_a_machine_that_is_lost_changes_nothing(keys, inputs, expected, tmp_path):
    """Its results are lost with it, since none is kept by this process, and are computed again."""
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "_system_config": {"max_direct_call_object_size": 100}},
    )
    nodes = [cluster.add_node(num_cpus=2) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    lost = []

    def lose(phase, fraction):
        if fraction > 0.3 and not lost:
            lost.append(fraction)
            cluster.remove_node(nodes[0], allow_graceful=False)

    try:
        executor = fhe.RayExecutor(workers=4, part_seconds=1e-9)
        with fhe.progress(lose):
            assert _bytes_of(_products.run(keys, *inputs, executor=executor)) == expected
        assert lost and lost[0] < 1
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_the_key_goes_to_a_worker_once(keys, inputs, workers):
    """Not with each part: a part takes a few ciphertexts, and the key is an object of its own."""
    key_bytes = len(memoryview(keys.public.to_bytes()))
    executor = fhe.RayExecutor(part_seconds=1e-9)
    put = []
    original = ray.put

    def counted(value):
        put.append(value)
        return original(value)

    ray.put, kept = counted, ray.put
    try:
        _products.run(keys, *inputs, executor=executor)
        _products.run(keys, *inputs, executor=executor)
    finally:
        ray.put = kept
    evaluators = [value for value in put if isinstance(value, fhe.Evaluator)]
    others = [value.nbytes for value in put if isinstance(value, np.ndarray)]
    assert len(evaluators) == 1 and len(others) == 2 * 24 and max(others) < key_bytes


def test_the_guide(keys, inputs, workers):
    (block,) = (block for block in blocks_of_guide() if "fhe.RayExecutor" in block)
    difference = fhe.circuit(_U4[3], _U4[3])(lambda x, y: x - y)
    session = {"fhe": fhe, "keys": keys, "distance": difference, "x": inputs[0], "y": inputs[1]}
    exec(block, session)
    assert keys.decrypt(session["y"]).tolist() == [(3 - 5) % 16, (7 - 11) % 16, 2]
