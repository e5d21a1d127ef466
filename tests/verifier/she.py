# SPDX-License-Identifier: Apache-2.0
"""Numbers in slots under a secret key, and sums under a public one (batch DGHV, ePrint 2013/036,
without a public modulus): keys and ciphertexts from a test seed, and from files."""

import struct

import gmpy2

import container as fmt
import randomness as rnd
from dghv import centered, chinese, product_of


def _words(x):
    """An integer as its 64-bit words."""
    return int(x).to_bytes((int(x).bit_length() + 63) // 64 * 8, "little")


class Group:
    """What follows from the parameters."""

    def __init__(self, group):
        self.group = group
        self.name, self.digest = group.name, group.digest
        self.slots, self.modulus = group.slots, group.plaintext
        self.has_public_keys = "tau" in group.fields
        self.correction_bits = group.slots * group.eta + group.lambda_
        self.limit = gmpy2.mpz(1) << group.eta - 2
        self.fresh_noise = (group.plaintext << group.rho) - 1

    def public_noise(self):
        group = self.group
        element = group.plaintext * ((1 << group.rho) - 1)
        return group.tau * ((1 << group.alpha) - 1) * element + group.plaintext - 1


def corrected(group, p, chi, noise, random):
    """The correction of chi that leaves `noise` modulo p."""
    limit, delta = gmpy2.mpz(1) << group.correction_bits, -1
    while not 0 <= delta < limit:
        delta = chi % p - noise + rnd.uniform_below(random, limit // p) * p
    return delta


class SecretKey:
    def __init__(self, group, primes):
        self.group, self.primes, self.p = group, primes, product_of(primes)
        fmt.require(len(primes) == group.slots and len(set(primes)) == group.slots and
                    all(q.bit_length() == group.group.eta and gmpy2.is_prime(q) for q in primes),
                    "the secret primes")

    @staticmethod
    def read(group, container):
        fmt.require(list(container.sections) == ["params", "p"], "sections of a secret key")
        key = SecretKey(group, [gmpy2.mpz(p) for p in fmt.integers(
            container.sections["p"], group.slots, group.group.eta)])
        fmt.require(group.has_public_keys or container.key_id == key.id(), "the id of the key")
        return key

    def id(self):
        return fmt.sha256(b"fhe slots key" + self.group.digest + b"".join(map(_words, self.primes)))

    def section(self):
        return b"".join(fmt.integer_bytes(p, self.group.group.eta) for p in self.primes)

    def noise(self, c):
        return max(abs(centered(c, p)) for p in self.primes)

    def decrypt(self, c):
        return [int(centered(c, p) % self.group.modulus) for p in self.primes]

    def encrypt(self, rows, source):
        """(seed, corrections) of the numbers of each ciphertext, of hedged randomness."""
        group, rho = self.group, self.group.group.rho
        context = rnd.encryption_context(_words(self.p), rows)
        random = rnd.Buffered(rnd.HedgedRandom(source, context))
        seed = random.fill(16)
        stream, corrections = rnd.PublicStream(seed), []
        size, middle = (rho + 64) // 64 * 8, (1 << rho) - 1
        for i, row in enumerate(rows):
            words, residues = random.fill(group.slots * size), []
            for j in range(group.slots):
                word = int.from_bytes(words[j * size:(j + 1) * size], "little")
                term = (word & (2 << rho) - 1) - middle
                if term > middle:
                    term = rnd.uniform_centered(random, rho)
                residues.append(group.modulus * term + (row[j] if j < len(row) else 0))
            noise = chinese(residues, self.primes) % self.p
            chi = stream.element(rnd.CIPHERTEXTS, i, group.group.gamma)
            corrections.append(corrected(group, self.p, chi, noise, random))
        return seed, corrections


class PublicKey:
    """Elements x_i = chi_i - delta_i, which are Q r_i modulo p."""

    def __init__(self, group, seed, corrections):
        self.group, self.seed, self.corrections = group, seed, corrections
        stream = rnd.PublicStream(seed)
        self.elements = [stream.element(rnd.ELEMENTS, i, group.group.gamma) - delta
                         for i, delta in enumerate(corrections)]

    @staticmethod
    def read(group, container):
        fmt.require(list(container.sections) == ["params", "seed", "delta"],
                    "sections of a public key")
        fmt.require(container.key_id == container.public_key_id(), "the id of the public key")
        return PublicKey(group, fmt.public_seed(container.sections["seed"]),
                         fmt.packed(container.sections["delta"], group.group.tau,
                                    group.correction_bits))

    def id(self):
        return fmt.Container(1, True, "she", self.group.name, self.group.digest, b"",
                             self.sections()).public_key_id()

    def sections(self):
        return {"seed": fmt.seed_bytes(self.seed),
                "delta": fmt.packed_bytes(self.corrections, self.group.correction_bits)}

    def check(self, secret):
        for x in self.elements:
            noise = centered(x, secret.p)
            fmt.require(noise % self.group.modulus == 0 and abs(noise) <= self.group.fresh_noise,
                        "noise of a public element")

    def encrypt(self, numbers, source):
        """At most 32 numbers, in one batch."""
        context = rnd.encryption_context(self.id(), [numbers])
        random, values = rnd.Buffered(rnd.HedgedRandom(source, context)), []
        for _ in numbers:
            weights = [rnd.uniform_bits(random, self.group.group.alpha) for _ in self.elements]
            values.append(sum(b * x for b, x in zip(weights, self.elements)))
        return [value + number for value, number in zip(values, numbers)]


def generate(group, test_seed):
    """(secret key, public key or None) of a test seed."""
    random = rnd.TestRandom("slots key generation " + test_seed)
    eta = group.group.eta
    primes = [rnd.prime_of_bits(random, eta)]
    primes += [rnd.prime_of_bits(rnd.Buffered(random.split(i)), eta) for i in range(group.slots - 1)]
    secret = SecretKey(group, primes)
    if not group.has_public_keys:
        return secret, None
    seed, draws = rnd.test_public_seed(test_seed), rnd.Buffered(random)
    stream = rnd.PublicStream(seed)
    noise = [group.modulus * rnd.uniform_centered(draws, group.group.rho)
             for _ in range(group.group.tau)]
    corrections = [corrected(group, secret.p, stream.element(rnd.ELEMENTS, i, group.group.gamma),
                             term, draws) for i, term in enumerate(noise)]
    return secret, PublicKey(group, seed, corrections)


def whole(group, seed, corrections):
    """What compressed ciphertexts stand for."""
    stream = rnd.PublicStream(seed)
    return [stream.element(rnd.CIPHERTEXTS, i, group.group.gamma) - delta
            for i, delta in enumerate(corrections)]


def read_ciphertexts(group, container):
    """[(value, bound on the noise)], of whole and of compressed ones."""
    fmt.require(fmt.group_of(container).digest == group.digest, "ciphertexts of the group")
    sections = container.sections
    if "seeded" in sections:
        fmt.require(list(sections) == ["params", "seeded", "delta"], "sections of compressed ones")
        count = int.from_bytes(sections["seeded"][:8], "little")
        corrections = fmt.packed(sections["delta"], count, group.correction_bits)
        values = whole(group, fmt.public_seed(sections["seeded"][8:]), corrections)
        return [(value, group.fresh_noise) for value in values]
    fmt.require(list(sections) == ["params", "meta", "values"], "sections of ciphertexts")
    meta, values, at = sections["meta"], sections["values"], 0
    size = 8 + (group.group.eta + 7) // 8
    count = int.from_bytes(meta[:8], "little")
    fmt.require(count >= 1 and len(meta) == 8 + size * count, "length of meta")
    result = []
    for i in range(count):
        entry = meta[8 + size * i:8 + size * (i + 1)]
        sign, bits = struct.unpack_from("<II", entry)
        length = (bits + 7) // 8
        value = fmt.integer(values[at:at + length], bits)
        fmt.require(sign <= (value > 0) and value.bit_length() == bits, "sign and length")
        result.append((-value if sign else value, fmt.integer(entry[8:], group.group.eta)))
        at += length
    fmt.require(at == len(values), "length of values")
    return result


def _file(key, text):
    result = fmt.Container(3, key.test_key, key.scheme, key.group, key.group_digest, key.key_id)
    result.sections["params"] = text.encode()
    return result


def compressed_container(key, text, group, seed, corrections):
    """A file of compressed ciphertexts of the key whose container is given."""
    result = _file(key, text)
    result.sections["seeded"] = struct.pack("<Q", len(corrections)) + fmt.seed_bytes(seed)
    result.sections["delta"] = fmt.packed_bytes(corrections, group.correction_bits)
    return result


def ciphertext_container(key, text, group, ciphertexts):
    """A file of (value, bound) pairs."""
    result = _file(key, text)
    meta, values = struct.pack("<Q", len(ciphertexts)), b""
    for value, noise in ciphertexts:
        bits = abs(int(value)).bit_length()
        meta += struct.pack("<II", value < 0, bits) + fmt.integer_bytes(noise, group.group.eta)
        values += fmt.integer_bytes(abs(value), bits)
    result.sections["meta"], result.sections["values"] = meta, values
    return result
