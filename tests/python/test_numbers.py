# SPDX-License-Identifier: Apache-2.0
"""Encrypted bits and numbers, their operators, and what is refused."""

import operator
import random

import numpy as np
import pytest

import fhe
from fhe import exchange

_U4, _I4 = fhe.Uint(4), fhe.Int(4)
_chosen = random.Random(1)


def _pairs(element, count=12):
    """Random pairs, among them those of the ends of the range."""
    ends = [element.least, element.greatest]
    pairs = [(x, y) for x in ends for y in ends]
    pairs += [tuple(_chosen.randint(*ends) for _ in range(2)) for _ in range(count - len(pairs))]
    return np.array(pairs).T


def _wrapped(numbers, element):
    span = 1 << element.bits
    return (numbers - element.least) % span + element.least


@pytest.mark.parametrize("plain", [True, False, np.bool_(True)])
def test_a_bit_comes_back(keys, plain):
    encrypted = keys.encrypt(plain)
    assert encrypted.type == fhe.Bool and encrypted.shape == ()
    assert keys.decrypt(encrypted) is bool(plain)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "int64"])
def test_arrays_come_back_with_shape_and_dtype(keys, dtype):
    info = None if dtype == "bool" else np.iinfo(dtype)
    values = [0, 1, 1, 0] if info is None else [info.min, info.max, 0, 1]
    plain = np.array(values, dtype).reshape(2, 2)
    back = keys.decrypt(keys.encrypt(plain))
    assert back.dtype == plain.dtype
    np.testing.assert_array_equal(back, plain)


@pytest.mark.parametrize("element", [fhe.Uint(1), fhe.Int(1), fhe.Uint(3), fhe.Int(5), fhe.Uint(65), fhe.Int(100)])
def test_numbers_of_any_width_come_back(keys, element):
    for number in {element.least, element.greatest, 0}:
        assert keys.decrypt(keys.encrypt(number, element)) == number


def test_operators_on_bits(keys):
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    x, y = keys.encrypt(a), keys.encrypt(b)
    for function in (operator.and_, operator.or_, operator.xor, operator.eq, operator.ne):
        np.testing.assert_array_equal(keys.decrypt(function(x, y)), function(a, b))
    np.testing.assert_array_equal(keys.decrypt(~x), ~a)
    np.testing.assert_array_equal(keys.decrypt(x & True), a)
    np.testing.assert_array_equal(keys.decrypt(b ^ x), a ^ b)
    assert keys.decrypt(x.sum()) == 2
    assert keys.decrypt(x.any()) is True
    assert keys.decrypt(x.all()) is False


@pytest.mark.parametrize("element", [_U4, _I4], ids=repr)
@pytest.mark.parametrize(
    "function",
    [operator.add, operator.sub, operator.mul, operator.lt, operator.le, operator.gt, operator.ge, operator.eq,
     operator.ne, operator.and_, operator.or_, operator.xor],
)
def test_operators_on_numbers(keys, function, element):
    a, b = _pairs(element)
    expected = function(a, b)
    result = keys.decrypt(function(keys.encrypt(a, element), keys.encrypt(b, element)))
    np.testing.assert_array_equal(result, expected if expected.dtype == bool else _wrapped(expected, element))


@pytest.mark.parametrize("element", [_U4, _I4], ids=repr)
def test_functions_of_numbers(keys, element):
    a, b = _pairs(element, 6)
    b[b == 0] = 1
    x, y = keys.encrypt(a, element), keys.encrypt(b, element)
    quotient = np.trunc(a / b).astype(int)
    cases = [
        (fhe.minimum(x, y), np.minimum(a, b)),
        (fhe.maximum(x, y), np.maximum(a, b)),
        (fhe.divide(x, y), quotient),
        (fhe.remainder(x, y), a - quotient * b),
        (fhe.popcount(x), np.array([bin(v & 15).count("1") for v in a.tolist()])),
        (fhe.select(x < y, x, 3), np.where(a < b, a, 3)),
        (-x, -a),
        (abs(x), np.abs(a)),
        (~x, ~a),
        (x << 1, a << 1),
        (x >> 1, a >> 1),
        (x.astype(fhe.Int(8)), a),
        (x + 1, a + 1),
        (1 - x, 1 - a),
        (x.sum(), a.sum()),
    ]
    for result, expected in cases:
        np.testing.assert_array_equal(keys.decrypt(result), _wrapped(expected, result.type))


def test_uint_division_and_secret_shifts(keys):
    x, y = keys.encrypt(13, _U4), keys.encrypt(3, _U4)
    assert keys.decrypt(x // y) == 4
    assert keys.decrypt(x % y) == 1
    assert keys.decrypt(14 // y) == 4
    assert keys.decrypt(x << keys.encrypt(2, fhe.Uint(2))) == 13 << 2 & 15
    assert keys.decrypt(x >> keys.encrypt(2, fhe.Uint(2))) == 13 >> 2


def test_look_up(keys):
    index = keys.encrypt(np.array([0, 3, 2], np.uint8), fhe.Uint(2))
    np.testing.assert_array_equal(keys.decrypt(fhe.look_up([5, -7, 11, -8], index, fhe.Int(5))), [5, -8, 11])


def test_indexing_reshaping_and_bits(keys):
    plain = np.arange(6, dtype=np.uint8).reshape(2, 3)
    x = keys.encrypt(plain, fhe.Uint(3))
    np.testing.assert_array_equal(keys.decrypt(x[1]), plain[1])
    np.testing.assert_array_equal(keys.decrypt(x[:, ::2]), plain[:, ::2])
    np.testing.assert_array_equal(keys.decrypt(x.reshape(3, -1)), plain.reshape(3, 2))
    assert [keys.decrypt(row[0]) for row in x] == [0, 3]
    assert x.bits.shape == (2, 3, 3)
    np.testing.assert_array_equal(keys.decrypt(x.bits[1, 2]), [True, False, True])
    np.testing.assert_array_equal(keys.decrypt(fhe.number(x.bits, fhe.Uint(3))), plain)
    with pytest.raises(IndexError):
        x[2]


def test_broadcasting_with_plain_numbers(keys):
    column = keys.encrypt(np.array([[1], [2]], np.uint8), _U4)
    np.testing.assert_array_equal(keys.decrypt(column + np.array([10, 20 - 16])), [[11, 5], [12, 6]])


def test_compute_plans_a_function_as_a_whole(keys):
    evaluator = fhe.Evaluator(keys)
    x, y = keys.encrypt(9, _U4), keys.encrypt(12, _U4)
    larger, smaller = evaluator.compute(lambda a, b: (fhe.maximum(a, b), fhe.minimum(a, b)), x, y)
    assert (keys.decrypt(larger), keys.decrypt(smaller)) == (12, 9)
    assert evaluator.counts["recryptions"] > 0


def test_noise_is_claimed_and_measured(keys):
    x = keys.encrypt(np.array([1, 2], np.uint8), _U4)
    assert x.noise.shape == (2,)
    assert isinstance(x[0].noise, float)
    assert (keys.measure_noise(x) <= x.noise).all()
    fresh = fhe.Evaluator(keys).recrypt(x)
    rule = fhe.Evaluator(keys).noise_rule
    assert (fresh.noise == rule["refreshed"]).all()
    np.testing.assert_array_equal(keys.decrypt(fresh), [1, 2])


def test_a_ciphertext_is_an_integer(keys):
    bits = keys.encrypt(5, _U4).ciphertexts
    gamma = keys.public.parameters.fields["gamma"]
    assert len({bits.value(i) for i in range(4)}) == 4
    assert all(0 < bits.value(i) < 1 << gamma for i in range(4))
    with pytest.raises(IndexError):
        bits.value(4)


def test_the_owner_encrypts_in_little_space(keys):
    plain = np.array([[3, 250]], np.uint8)
    compressed = fhe.SecretEncryptor(keys).encrypt(plain)
    whole = compressed.expand(keys)
    np.testing.assert_array_equal(keys.decrypt(whole), plain)
    assert len(compressed.to_bytes(keys)) < len(whole.to_bytes()) / 2
    assert compressed.noise < keys.encrypt(True).noise


def test_without_refreshing_noise_ends_it(keys):
    evaluator = fhe.Evaluator(keys, refresh=False)
    with pytest.raises(fhe.NoiseExceeded):
        evaluator.compute(operator.mul, keys.encrypt(3, _U4), keys.encrypt(5, _U4))


def test_slots(slot_keys):
    slots = slot_keys.public.slots
    a = np.arange(2 * slots, dtype=np.uint8).reshape(slots, 2) % 16
    x = slot_keys.encrypt_slots(a, _U4)
    assert x.in_slots and x.shape == (2,)
    np.testing.assert_array_equal(slot_keys.decrypt(x), a)
    np.testing.assert_array_equal(slot_keys.decrypt(x + slot_keys.encrypt(5, _U4)), (a + 5) % 16)
    np.testing.assert_array_equal(slot_keys.decrypt(x > 7), a > 7)
    evaluator = fhe.Evaluator(slot_keys)
    moved = evaluator.permute(x, fhe.rotation(slots, 1))
    np.testing.assert_array_equal(slot_keys.decrypt(moved), np.roll(a, -1, axis=0))
    masked = evaluator.compute(operator.and_, x, evaluator.constant_slots(np.full((slots, 2), 15), _U4))
    np.testing.assert_array_equal(slot_keys.decrypt(masked), a)
    whole = fhe.SecretEncryptor(slot_keys).encrypt_slots(a, _U4).expand(slot_keys)
    np.testing.assert_array_equal(slot_keys.decrypt(whole), a)
    everywhere = slot_keys.encrypt(9, _U4)
    assert slot_keys.decrypt(everywhere) == 9


def test_slots_are_checked(slot_keys):
    with pytest.raises(fhe.InvalidArgument, match="slots"):
        slot_keys.encrypt_slots(np.zeros((1, 2), np.uint8))
    with pytest.raises(fhe.InvalidArgument):
        fhe.Evaluator(slot_keys).permute(slot_keys.encrypt(True), [0, 0, 0, 0])
    with pytest.raises(fhe.InvalidArgument):
        fhe.rotation(0, 1)


@pytest.mark.parametrize("number, element", [(16, _U4), (-1, _U4), (8, _I4), (-9, _I4), (2, fhe.Bool), (1 << 70, fhe.Uint(70))])
def test_numbers_out_of_range_are_refused(keys, number, element):
    with pytest.raises(fhe.InvalidArgument):
        keys.encrypt(number, element)
    with pytest.raises(fhe.InvalidArgument):
        keys.encrypt(0, element) == number


def test_wrong_types_are_refused(keys):
    x = keys.encrypt(3, _U4)
    for wrong in (3, [1, 2], 1.5, "3", None, np.array([1.5]), np.array(["a"])):
        with pytest.raises(TypeError):
            keys.encrypt(wrong)
    with pytest.raises(TypeError):
        keys.encrypt(1.5, _U4)
    with pytest.raises(TypeError):
        x + 1.5
    with pytest.raises(TypeError):
        x + "1"
    with pytest.raises(TypeError, match="fhe.select"):
        bool(x > 1)
    with pytest.raises(TypeError, match="bits"):
        keys.encrypt(True) + keys.encrypt(True)
    with pytest.raises(TypeError, match="fhe.divide"):
        keys.encrypt(3, _I4) // 2
    with pytest.raises(TypeError):
        fhe.select(x, x, x)
    with pytest.raises(TypeError):
        fhe.minimum(1, 2)
    with pytest.raises(TypeError):
        hash(x)
    with pytest.raises(TypeError):
        len(x)
    with pytest.raises(TypeError):
        keys.decrypt(3)
    with pytest.raises(TypeError):
        fhe.Encryptor(keys.secret)
    with pytest.raises(TypeError):
        fhe.Decryptor(keys.public)
    with pytest.raises(TypeError):
        fhe.keygen(7)


def test_types_do_not_mix(keys):
    with pytest.raises(fhe.InvalidArgument, match="astype"):
        keys.encrypt(3, _U4) + keys.encrypt(3, fhe.Uint(5))
    with pytest.raises(ValueError):
        keys.encrypt(np.array([1, 2], np.uint8)) + keys.encrypt(np.array([1, 2, 3], np.uint8))
    with pytest.raises(fhe.InvalidArgument):
        keys.encrypt(np.array([], np.uint8))
    with pytest.raises(fhe.InvalidArgument):
        fhe.Uint(0)
    with pytest.raises(fhe.InvalidArgument):
        keys.encrypt(3, _U4) << -1
    with pytest.raises(fhe.InvalidArgument):
        fhe.look_up([1, 2, 3], keys.encrypt(1, fhe.Uint(2)), _U4)


def test_keys_do_not_mix(keys, other_keys):
    x = keys.encrypt(3, _U4)
    with pytest.raises(fhe.WrongKey):
        x + other_keys.encrypt(3, _U4)
    with pytest.raises(fhe.WrongKey):
        other_keys.decrypt(x)
    with pytest.raises(fhe.WrongKey):
        other_keys.measure_noise(x)
    with pytest.raises(fhe.WrongKey):
        fhe.Evaluator(other_keys).recrypt(x)
    with pytest.raises(fhe.WrongKey):
        fhe.SecretEncryptor(keys).encrypt(True).expand(other_keys)


def test_a_numpy_that_misreads_arrays_is_refused(monkeypatch):
    exchange.require_exchange()
    whole = np.frombuffer
    monkeypatch.setattr(np, "frombuffer", lambda data, dtype: np.full(len(data), whole(data, dtype)[0]))
    with pytest.raises(ImportError, match="misreads arrays of numpy"):
        exchange.require_exchange()


def test_masked_numbers_are_refused(keys):
    hidden = np.ma.array([1, 2, 3], mask=[False, True, False])
    with pytest.raises(fhe.InvalidArgument, match="masked"):
        keys.encrypt(hidden)
    assert keys.decrypt(keys.encrypt(np.ma.array([1, 2], mask=False, dtype=np.uint8))).tolist() == [1, 2]


def test_views_cross_as_their_numbers(keys):
    whole = np.arange(12, dtype=np.uint8).reshape(3, 4)
    for view in (whole.T, whole[::-1], whole[:, ::2], np.asfortranarray(whole), np.broadcast_to(whole[0], (2, 4))):
        assert (keys.decrypt(keys.encrypt(view)) == view).all()


def test_the_type_of_an_array_is_no_type_of_a_number(keys):
    with pytest.raises(TypeError, match=r"give the type of one number, fhe.Uint\(4\)"):
        keys.encrypt([1, 2], fhe.Uint(4)[2])
