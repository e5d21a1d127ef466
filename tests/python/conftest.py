# SPDX-License-Identifier: Apache-2.0
"""Keys that all tests share: those of the smallest groups, made once."""

import pytest

import fhe


@pytest.fixture(scope="session")
def keys():
    return fhe.keygen("cnt-mini", test_seed="tests/python")


@pytest.fixture(scope="session")
def other_keys():
    return fhe.keygen("cnt-mini", test_seed="tests/python, other keys")


@pytest.fixture(scope="session")
def slot_keys():
    slots = fhe.ParameterSet("bdghv-mini").sizes["slots"]
    return fhe.keygen("bdghv-mini", test_seed="tests/python", permutations=[fhe.rotation(slots, 1)])
