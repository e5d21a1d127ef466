# SPDX-License-Identifier: Apache-2.0
"""Modulus switching (ePrint 2011/440): rungs of a ladder of primes, from a test seed and from files,
and the switch itself, as libfhe/storage/FORMAT.md has it."""

import struct
from functools import cached_property

import gmpy2

import container as fmt
import dghv
import randomness as rnd


def rung_group(group, eta):
    """The group of a ladder, with the eta of a rung."""
    result = fmt.Group.__new__(fmt.Group)
    result.__dict__.update(group.__dict__, fields={**group.fields, "eta": eta})
    return result


class Rung:
    """The keys that a switching key leads to: p' and a modulus."""

    def __init__(self, group, eta, p, x0):
        self.shape, self.eta, self.p, self.x0 = dghv.Shape(rung_group(group, eta)), eta, p, x0
        fmt.require(p.bit_length() == eta and gmpy2.is_prime(p) and x0 % p == 0 and x0 % 2 == 1 and
                    x0.bit_length() == group.gamma, "the keys of a rung")

    def sections(self):
        """Of the public and of the secret key, but for `params`."""
        rung = {"rung": struct.pack("<I", self.eta)}
        modulus = {self.shape.modulus_section: self.shape.stored(self.x0)}
        return ({**rung, **modulus},
                {**rung, "p": fmt.integer_bytes(self.p, self.eta), **modulus})

    @staticmethod
    def read(group, public, secret):
        """From the containers of both keys."""
        eta, = struct.unpack("<I", public.sections["rung"])
        shape = dghv.Shape(rung_group(group, eta))
        rung = Rung(group, eta, gmpy2.mpz(fmt.integer(secret.sections["p"], eta)),
                    shape.modulus(public.sections))
        for container, sections in zip((public, secret), rung.sections()):
            fmt.require(fmt.group_of(container).digest == group.digest, "the group of a rung")
            fmt.require(list(container.sections)[1:] == list(sections), "sections of a rung")
            fmt.require(all(container.sections[name] == sections[name] for name in sections),
                        "contents of the keys of a rung")
        fmt.require(public.key_id == public.public_key_id() == secret.key_id, "the id of a rung")
        return rung

    def noise(self, c):
        return abs(dghv.centered(c, self.p))

    def decrypt(self, c):
        return int(dghv.centered(c, self.p) % 2)


class SwitchingKey:
    def __init__(self, rung, theta, seed, solved, corrections):
        group = rung.shape.group
        self.rung, self.theta, self.seed = rung, theta, seed
        self.solved, self.corrections = solved, corrections
        self.width = rung.eta + 1  # W
        self.fraction = group.gamma + 2  # kappa'
        self.y_bits = self.width + self.fraction

    def sections(self, target):
        return {"switch": target + struct.pack("<I", self.theta), "seed": fmt.seed_bytes(self.seed),
                "Y0": fmt.integer_bytes(self.solved, self.y_bits),
                "delta": fmt.packed_bytes(self.corrections, self.rung.shape.correction_bits)}

    @staticmethod
    def read(container, source, target, rung):
        """The key of a container, which leads from one key to another, by their ids."""
        fmt.require(list(container.sections) == ["switch", "seed", "Y0", "delta"],
                    "sections of a switching key")
        sections, width = container.sections, rung.eta + 1
        fmt.require(container.key_id == source and sections["switch"][:32] == target and
                    len(sections["switch"]) == 36, "the ends of a switching key")
        theta, = struct.unpack("<I", sections["switch"][32:])
        corrections = fmt.packed(sections["delta"], theta * width, rung.shape.correction_bits)
        fmt.require(len(set(corrections)) == len(corrections), "two equal corrections")
        solved = fmt.integer(sections["Y0"], width + rung.shape.group.gamma + 2)
        return SwitchingKey(rung, theta, fmt.public_seed(sections["seed"]), gmpy2.mpz(solved),
                            corrections)

    @cached_property
    def stream(self):
        return rnd.PublicStream(self.seed)

    @cached_property
    def Y(self):
        return [self.solved] + [self.stream.element(rnd.SWITCH_SQUASH, i, self.y_bits)
                                for i in range(1, self.theta)]

    @cached_property
    def elements(self):
        """sigma_(i,b), those of one i after the other."""
        gamma = self.rung.shape.group.gamma
        return [self.stream.element(rnd.SWITCH_BITS, i, gamma) - delta
                for i, delta in enumerate(self.corrections)]

    def switch(self, c):
        total = 0
        for i, y in enumerate(self.Y):
            z = (c * y + (1 << self.fraction - 1) >> self.fraction) & (1 << self.width) - 1
            total += sum(self.elements[i * self.width + b] for b in range(self.width) if z >> b & 1)
        return (2 * total + c % 2) % self.rung.x0

    def noise_claim(self, noise, eta):
        """Of a switched ciphertext, from the noise of the one under a prime of eta bits."""
        rho = self.rung.shape.group.rho
        return (noise * gmpy2.mpfr(2) ** (self.rung.eta - eta + 1) +
                2 * self.theta * self.width * ((1 << rho) + 1) + self.theta + 4)

    def hidden(self, i, b):
        """round(2^b p' / 2^W), the same for every i."""
        return (self.rung.p << b + 1) + (1 << self.width) >> self.width + 1

    def open(self):
        """(s, the noise of all elements): s_i = 1 where the top element of i is near p' / 2."""
        bound, p, width = 1 << self.rung.shape.group.rho, self.rung.p, self.width
        residues = [dghv.centered(sigma, p) for sigma in self.elements]
        s = [int(abs(residues[(i + 1) * width - 1]) >= bound) for i in range(self.theta)]
        noise = [dghv.centered(residues[i * width + b] - s[i] * self.hidden(i, b), p)
                 for i in range(self.theta) for b in range(width)]
        return s, noise

    def check(self, p):
        """Whether it is what it must be from the prime p on, and hides it."""
        s, noise = self.open()
        rho = self.rung.shape.group.rho
        fmt.require(s[0] == 1 and 1 < sum(s) < self.theta, f"{sum(s)} ones in the hidden vector")
        fmt.require(all(abs(r) < 1 << rho for r in noise), "noise of hidden bits")
        # As often positive as not, and in the outer half of the range: within six deviations.
        for count in (sum(r > 0 for r in noise), sum(abs(r) >= 1 << rho - 1 for r in noise)):
            fmt.require((2 * count - len(noise)) ** 2 <= 36 * len(noise),
                        "noise of hidden bits does not fill its range")
        quotient = ((gmpy2.mpz(1) << self.rung.eta + self.fraction + 1) + p) // (2 * p)
        total = sum(y for y, bit in zip(self.Y, s) if bit)
        fmt.require(total % (1 << self.y_bits) == quotient, "sum s_i Y_i")


def generate(group, p, eta, theta, test_seed):
    """The switching key from the prime p to a rung, and the rung in it, of a test seed."""
    random = rnd.TestRandom("modulus switching " + test_seed)
    own = rung_group(group, eta)
    prime = rnd.prime_of_bits(random, eta)
    rung = Rung(group, eta, prime, dghv.modulus_of(prime, dghv.Shape(own), random))
    key = SwitchingKey(rung, theta, rnd.test_public_seed(test_seed), None, [])
    s = [1] + [rnd.uniform_index(random, 2) for _ in range(theta - 1)]
    noise = [rnd.uniform_centered(random, group.rho) + s[i] * key.hidden(i, b)
             for i in range(theta) for b in range(key.width)]
    chi = [key.stream.element(rnd.SWITCH_BITS, i, group.gamma) for i in range(len(noise))]
    key.corrections = dghv.corrections(rung.shape, prime, chi, noise, random)
    quotient = ((gmpy2.mpz(1) << eta + key.fraction + 1) + p) // (2 * p)
    key.solved = (quotient - sum(
        key.stream.element(rnd.SWITCH_SQUASH, i, key.y_bits) for i in range(1, theta) if s[i])) % (
            1 << key.y_bits)
    return key
