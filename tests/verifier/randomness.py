# SPDX-License-Identifier: Apache-2.0
"""AES-128-CTR from FIPS 197, the public streams of FORMAT.md, and what a test seed leads to: the
samplers of libfhe/random/secret_random.hpp, draw for draw."""

import hashlib
import struct

import gmpy2

# ---------------------------------------------------------------- AES


def _double(x):
    return (x << 1 ^ (0x11B if x & 0x80 else 0)) & 0xFF


def _make_sbox():
    sbox = [0x63] * 256
    power, inverse = 1, 1  # 3^i and 3^-i in GF(2^8)
    for _ in range(255):
        power ^= _double(power)
        for shift in (1, 2, 4):
            inverse ^= inverse << shift & 0xFF
        inverse ^= 0x09 if inverse & 0x80 else 0
        rotations = (inverse << k | inverse >> (8 - k) for k in range(5))
        value = 0x63
        for rotation in rotations:
            value ^= rotation & 0xFF
        sbox[power] = value
    return sbox


SBOX = _make_sbox()


def _make_tables():
    """T-tables: SubBytes, ShiftRows and MixColumns of a column, by byte of the column."""
    first = [_double(s) << 24 | s << 16 | s << 8 | _double(s) ^ s for s in SBOX]
    rotate = lambda x, bits: (x >> bits | x << (32 - bits)) & 0xFFFFFFFF
    return [[rotate(x, bits) for x in first] for bits in (0, 8, 16, 24)]


T0, T1, T2, T3 = _make_tables()


class Aes128:
    def __init__(self, key):
        words = [int.from_bytes(key[i:i + 4], "big") for i in range(0, 16, 4)]
        constant = 1
        for i in range(4, 44):
            word = words[i - 1]
            if i % 4 == 0:
                word = (word << 8 | word >> 24) & 0xFFFFFFFF
                word = int.from_bytes(bytes(SBOX[b] for b in word.to_bytes(4, "big")), "big")
                word ^= constant << 24
                constant = _double(constant)
            words.append(words[i - 4] ^ word)
        self.keys = [tuple(words[i:i + 4]) for i in range(0, 44, 4)]

    def encrypt(self, block):
        """A block of 128 bits, as a number with the first byte on top."""
        k = self.keys[0]
        a, b, c, d = (block >> 96 ^ k[0], block >> 64 & 0xFFFFFFFF ^ k[1],
                      block >> 32 & 0xFFFFFFFF ^ k[2], block & 0xFFFFFFFF ^ k[3])
        for k in self.keys[1:10]:
            a, b, c, d = (
                T0[a >> 24] ^ T1[b >> 16 & 255] ^ T2[c >> 8 & 255] ^ T3[d & 255] ^ k[0],
                T0[b >> 24] ^ T1[c >> 16 & 255] ^ T2[d >> 8 & 255] ^ T3[a & 255] ^ k[1],
                T0[c >> 24] ^ T1[d >> 16 & 255] ^ T2[a >> 8 & 255] ^ T3[b & 255] ^ k[2],
                T0[d >> 24] ^ T1[a >> 16 & 255] ^ T2[b >> 8 & 255] ^ T3[c & 255] ^ k[3])
        k = self.keys[10]
        last = lambda w, x, y, z: (SBOX[w >> 24] << 24 | SBOX[x >> 16 & 255] << 16 |
                                   SBOX[y >> 8 & 255] << 8 | SBOX[z & 255])
        return ((last(a, b, c, d) ^ k[0]) << 96 | (last(b, c, d, a) ^ k[1]) << 64 |
                (last(c, d, a, b) ^ k[2]) << 32 | last(d, a, b, c) ^ k[3])

    def key_stream(self, counter, count):
        """`count` bytes from that counter block on."""
        blocks = (self.encrypt(counter + i).to_bytes(16, "big") for i in range((count + 15) // 16))
        return b"".join(blocks)[:count]


# ---------------------------------------------------------------- public streams

ELEMENTS, SQUASH, KEY_BITS, SWITCH_SQUASH, SWITCH_BITS = 1, 2, 3, 4, 5
CIPHERTEXTS, KEY_DIGITS, SLOT_UNITS, SLOT_NOISE = 6, 7, 8, 9


class PublicStream:
    def __init__(self, seed):
        self.cipher = Aes128(seed)

    def element(self, purpose, index, bits):
        data = self.cipher.key_stream(purpose << 96 | index << 64, (bits + 7) // 8)
        return gmpy2.mpz(int.from_bytes(data, "little") & (1 << bits) - 1)


def test_public_seed(text):
    return hashlib.sha256(b"fhe test public seed" + text.encode()).digest()[:16]


# ---------------------------------------------------------------- secrets of a test seed


class TestRandom:
    """Every call starts at a new block."""

    def __init__(self, seed):
        self.seed = seed
        key = hashlib.sha256(b"fhe test randomness" + seed.encode()).digest()[:16]
        self.cipher = Aes128(key)
        self.next_block = 0

    def fill(self, count):
        data = self.cipher.key_stream(self.next_block, count)
        self.next_block += (count + 15) // 16
        return data

    def split(self, index):
        return TestRandom(f"{self.seed}/{index}")


class HedgedRandom:
    """A test source hashed with what is encrypted, and under which key."""

    def __init__(self, source, context):
        material = b"fhe hedged randomness" + source.fill(32) + context + bytes(8)
        self.cipher = Aes128(hashlib.sha256(material).digest()[:16])
        self.next_block = 0


DENSE = bytes(1)  # of public encryptions of bits, after the context


def encryption_context(key, rows):
    """What is encrypted and under which key: numbers or bits, row by row."""
    return key + b"".join(struct.pack(f"<{1 + len(row)}Q", len(row), *row) for row in rows)


class Buffered:
    """Draws from a source 4 KiB at a time; here the blocks are made when they are asked for."""

    BLOCKS = 4096 // 16

    def __init__(self, source):
        self.source = source
        self.left = 0  # blocks of what was drawn, from next_block on
        self.buffer = b""

    def fill(self, count):
        while len(self.buffer) < count:
            if self.left == 0:
                self.next_block, self.left = self.source.next_block, self.BLOCKS
                self.source.next_block += self.BLOCKS
            self.buffer += self.source.cipher.key_stream(self.next_block, 16)
            self.next_block += 1
            self.left -= 1
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data


def uniform_bits(random, bits):
    data = random.fill((bits + 63) // 64 * 8)
    return gmpy2.mpz(int.from_bytes(data, "little") & (1 << bits) - 1)


def uniform_below(random, bound):
    while True:
        candidate = uniform_bits(random, int(bound - 1).bit_length())
        if candidate < bound:
            return candidate


def uniform_centered(random, bits):
    radius = gmpy2.mpz(1) << bits
    return uniform_below(random, 2 * radius - 1) - (radius - 1)


def _index_of(word, bound):
    """Lemire's method: the index, or None for a word that must be drawn again."""
    high, low = divmod(word * bound, 1 << 32)
    return None if low < (1 << 32) % bound else high


def uniform_index(random, bound):
    while True:
        index = _index_of(int.from_bytes(random.fill(4), "little"), bound)
        if index is not None:
            return index


def distinct_positions(random, count, bound):
    """Floyd's method, on words that are drawn together."""
    data = random.fill(4 * count)
    taken = set()
    for k in range(count):
        j = bound - count + k
        index = _index_of(int.from_bytes(data[4 * k:4 * k + 4], "little"), j + 1)
        if index is None:
            index = uniform_index(random, j + 1)
        taken.add(j if index in taken else index)
    return sorted(taken)


def uniform_prime(random, low, high):
    while True:
        candidate = low + uniform_below(random, high - low)
        if gmpy2.is_prime(candidate, 25):
            return candidate


def prime_of_bits(random, bits):
    return uniform_prime(random, gmpy2.mpz(1) << bits - 1, gmpy2.mpz(1) << bits)
