# SPDX-License-Identifier: Apache-2.0
"""Traced functions: simulated, run, shown, saved; and circuits from files."""

import pickle

import numpy as np
import pytest

import fhe

_U4, _I4 = fhe.Uint(4), fhe.Int(4)


@fhe.circuit
def distance(x: _U4, y: _U4):
    """The distance of two numbers."""
    return fhe.maximum(x, y) - fhe.minimum(x, y)


@fhe.circuit
def statistics(values: _I4[3], limit: _I4):
    above = values > limit
    return values.sum(), above.sum(), fhe.select(above.any(), values[0], limit)


def test_simulation_is_exhaustively_right():
    for x in range(16):
        for y in range(16):
            assert distance.simulate(x, y) == abs(x - y)


def test_a_run_gives_what_the_simulation_gives(keys):
    for x, y in ((3, 12), (12, 3), (7, 7)):
        encrypted = distance.run(keys, keys.encrypt(x, _U4), keys.encrypt(y, _U4))
        assert encrypted.type == _U4 and keys.decrypt(encrypted) == abs(x - y)


def test_arrays_tuples_and_calls(keys):
    plain, limit = np.array([-8, 3, 7]), 2
    expected = statistics(plain, limit)
    assert expected == (2, 2, -8)
    results = statistics(keys.encrypt(plain, _I4), keys.encrypt(limit, _I4))
    assert tuple(keys.decrypt(result) for result in results) == expected
    assert statistics.inputs == {"values": _I4[3], "limit": fhe.circuits.array_type(_I4)}
    assert list(statistics.outputs) == ["out0", "out1", "out2"]


def test_what_is_recrypted_once_is_not_again(keys):
    """One plan for the function: never more than operators that do not know of each other."""
    evaluator = fhe.Evaluator(keys)
    x, y = keys.encrypt(3, _U4), keys.encrypt(12, _U4)
    evaluator.compute(lambda a, b: fhe.maximum(a, b), x, y)
    evaluator.compute(lambda a, b: fhe.minimum(a, b), x, y)
    apart = evaluator.counts["recryptions"]
    evaluator.compute(lambda a, b: (fhe.maximum(a, b), fhe.minimum(a, b)), x, y)
    assert evaluator.counts["recryptions"] - apart < apart


def test_cost(keys):
    plain = distance.cost()
    assert plain["products"] == plain["gates"]["and"] > 0
    whole = distance.cost(keys)
    assert whole["recryptions"] >= whole["recryptions_lower_bound"] > 0
    assert whole["parameters"] == "cnt-mini" and set(whole["speedup"]) == {4, 16, 64}
    assert whole["recryptions"] <= whole["recryptions_gate_by_gate"]


def test_programs(keys, tmp_path):
    program = distance.compile(keys)
    x, y = keys.encrypt(9, _U4), keys.encrypt(4, _U4)
    path = tmp_path / "distance.fhe"
    program.save(path)
    loaded = fhe.load_program(path)
    for each in (program, loaded, pickle.loads(pickle.dumps(program))):
        assert keys.decrypt(each.run(keys, x, y)) == 5
        assert each.cost() == program.cost()
        assert each.simulate(9, 4) == 5
    quiet = distance.compile(keys, noise=1)
    with pytest.raises(fhe.NoiseExceeded):
        quiet.run(keys, x, y)
    with pytest.raises(fhe.WrongKey):
        program.run(fhe.keygen("gh-mini"), x, y)


def test_little_memory(keys):
    x, y = keys.encrypt(9, _U4), keys.encrypt(4, _U4)
    assert keys.decrypt(distance.run(keys, x, y, max_memory=1 << 30)) == 5
    with pytest.raises(fhe.Unsupported):
        distance.run(keys, x, y, max_memory=1)


def test_a_run_goes_on_from_its_checkpoint(keys, tmp_path):
    class Enough(Exception):
        pass

    def stop(phase, fraction):
        if phase == "circuit" and fraction > 0:
            raise Enough

    checkpoint = tmp_path / "run.fhe"
    product = fhe.circuit(fhe.Uint(8), fhe.Uint(8))(lambda x, y: x * y)
    inputs = keys.encrypt(13, fhe.Uint(8)), keys.encrypt(17, fhe.Uint(8))
    with fhe.progress(stop), pytest.raises(Enough):
        product.run(keys, *inputs, checkpoint=checkpoint)
    assert checkpoint.stat().st_size > 0
    assert keys.decrypt(product.run(keys, *inputs, checkpoint=checkpoint, resume=True)) == 221
    with pytest.raises(fhe.InvalidArgument):
        product.run(keys, *reversed(inputs), checkpoint=checkpoint, resume=True)
    with pytest.raises(TypeError):
        product.run(keys, *inputs, checkpoint=3)


def test_drawings(keys):
    both = fhe.circuit(fhe.Bool, fhe.Bool)(lambda x, y: x & ~y)
    assert both.draw() == "input x[0]\ninput y[0]\nw2 = not y[0]\nw3 = and x[0] w2\noutput out[0] = w3"
    dot = both.draw("dot")
    assert dot.startswith("digraph") and dot.count("->") == 4 and dot.endswith("}")
    assert "recrypted" in both.compile(keys).draw() and "gold" in both.compile(keys).draw("dot")
    with pytest.raises(fhe.InvalidArgument):
        both.draw("oil")


def test_bristol(keys, tmp_path):
    path = tmp_path / "distance.txt"
    distance.to_bristol(path)
    loaded = fhe.load_circuit(path)
    assert repr(loaded) == "<fhe.Circuit (in0: Uint(4), in1: Uint(4)) -> Uint(4)>"
    assert all(loaded.simulate(x, y) == abs(x - y) for x in range(16) for y in (0, 5, 15))
    signed = fhe.load_circuit(path.read_bytes(), [_I4, _I4], [_I4])
    assert signed.simulate(-1, 1) == -2  # 15 - 1 of numbers without a sign
    assert keys.decrypt(loaded.run(keys, keys.encrypt(1, _U4), keys.encrypt(9, _U4))) == 8
    with pytest.raises(fhe.InvalidArgument):
        fhe.load_circuit(path, [_U4])
    with pytest.raises(fhe.MalformedFile):
        fhe.load_circuit(b"garbage")


def test_slots(slot_keys):
    slots = slot_keys.public.slots
    x = np.arange(slots) % 16
    result = distance(slot_keys.encrypt_slots(x, _U4), slot_keys.encrypt(2, _U4))
    np.testing.assert_array_equal(slot_keys.decrypt(result), np.abs(x - 2))


def test_annotations_as_texts():
    namespace = {}
    exec("from __future__ import annotations\nimport fhe\ndef double(x: fhe.Uint(4)): return x + x", namespace)
    assert fhe.circuit(namespace["double"]).simulate(5) == 10


def test_the_function_keeps_its_name():
    assert distance.__name__ == "distance" and distance.__doc__ == "The distance of two numbers."


def test_misuse(keys):
    x, y = keys.encrypt(9, _U4), keys.encrypt(4, _U4)
    with pytest.raises(TypeError, match="annotate"):
        fhe.circuit(lambda x: x)
    with pytest.raises(TypeError, match="arguments"):
        fhe.circuit(_U4)(lambda x, y: x)
    with pytest.raises(TypeError, match="fhe.select"):
        fhe.circuit(_U4)(lambda x: x if x > 1 else x)
    with pytest.raises(TypeError):
        fhe.circuit(_U4)(lambda x: 3)
    with pytest.raises(TypeError, match="arguments"):
        fhe.circuit(_U4)(lambda value: value + x)
    kept = []
    fhe.circuit(_U4)(lambda value: kept.append(value) or value)
    with pytest.raises(fhe.InvalidArgument, match="another traced function"):
        fhe.circuit(_U4)(lambda value: value + kept[0])
    with pytest.raises(TypeError):
        distance.run(keys, x)
    with pytest.raises(TypeError, match="simulate"):
        distance.run(keys, x, 4)
    with pytest.raises(fhe.InvalidArgument):
        distance.run(keys, x, keys.encrypt(4, fhe.Uint(5)))
    with pytest.raises(fhe.InvalidArgument):
        distance.simulate(16, 0)
    with pytest.raises(fhe.InvalidArgument):
        statistics.simulate([1, 2], 3)
    with pytest.raises(fhe.WrongKey):
        distance.run(keys, x, fhe.keygen("cnt-mini").encrypt(4, _U4))
    with pytest.raises(TypeError):
        fhe.circuit("x")
