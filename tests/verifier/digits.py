# SPDX-License-Identifier: Apache-2.0
"""Recryption by digits: the top one of five binary digits of a number encrypted modulo 32."""

import gmpy2

MODULUS = 32


def parity(x, e, modulus):
    """f_e(x) = sum_{k=1..e} (-2)^(k-1) binomial(x, k), which is x mod 2 modulo 2^e."""
    total, binomial = 0, gmpy2.mpz(1)
    for k in range(1, e + 1):
        binomial = binomial * (x - k + 1) * gmpy2.invert(k, modulus) % modulus
        total += (-2) ** (k - 1) * binomial
    return total % modulus


def top_digit(a, b, modulus):
    """An encryption of digit 4 of b, for encryptions of b modulo 32 and of a number of its parity."""
    half = gmpy2.invert(2, modulus)
    digits = [a]  # each right modulo 2
    for k in range(1, 5):
        rest = b - sum(2 ** j * parity(digit, k + 1 - j, modulus)
                       for j, digit in enumerate(digits))
        digits.append(rest * half ** k % modulus)
    return digits[4]
