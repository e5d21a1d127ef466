# SPDX-License-Identifier: Apache-2.0
"""The adder `sym` of recryption, as polynomials: sums of short binary numbers given as encrypted
bits, by elementary symmetric polynomials (Gentry and Halevi 2011, grade-school addition)."""


def symmetric_polynomials(values, highest, modulus):
    """e_0 ... e_highest of the values."""
    e = [1] + [0] * highest
    for value in values:
        for k in range(highest, 0, -1):
            e[k] = (e[k] + e[k - 1] * value) % modulus
    return e


def rounded_sum(numbers, modulus):
    """Bit w-1 plus bit w-2 of the sum of numbers of w bits, least significant first: since digit t
    of the number of ones among bits is e_(2^t) of them modulo 2, column j adds to the columns
    above it, and what is above the top column is dropped."""
    width = len(numbers[0])
    columns = [[number[j] for number in numbers] for j in range(width)]
    below = 0
    for j in range(width - 1):
        places = min(width - 1 - j, len(columns[j]).bit_length() - 1)
        e = symmetric_polynomials(columns[j], 1 << places, modulus)
        below = e[1]
        for t in range(1, places + 1):
            columns[j + t].append(e[1 << t])
    return (sum(columns[-1]) + below) % modulus
