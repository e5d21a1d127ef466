# SPDX-License-Identifier: Apache-2.0
"""GH (Gentry and Halevi, ePrint 2010/520): keys from a test seed, and keys from files."""

import cmath
import math

import gmpy2

import container as fmt
import randomness as rnd
from adder import rounded_sum


def centered(x, d):
    residue = x % d
    return residue - d if 2 * residue > d else residue


def pairs(c, count):
    """The first pairs a < b of c things, in lexicographic order."""
    return [(a, b) for a in range(c) for b in range(a + 1, c)][:count]


class PublicKey:
    def __init__(self, group, key_id, sections):
        self.group, self.id = group, key_id
        self.d = gmpy2.mpz(int.from_bytes(sections["d"], "little"))
        bits = self.d.bit_length()
        fmt.require(len(sections["d"]) == (bits + 7) // 8, "d takes as many bytes as it needs")
        self.r = gmpy2.mpz(fmt.integer(sections["r"], bits))
        self.x = [gmpy2.mpz(x) for x in fmt.integers(sections["x"], group.s, bits)]
        self.eta = [gmpy2.mpz(x) for x in fmt.integers(sections["eta"], group.s * group.c, bits)]
        fmt.require(max(self.r, *self.x, *self.eta) < self.d, "integers are below d")
        fmt.require(pow(self.r, group.n, self.d) == self.d - 1, "r^n = -1 mod d")

    @property
    def modulus(self):
        return self.d

    def evaluate(self, terms):
        return sum(sign * pow(self.r, exponent, self.d) for exponent, sign in terms)

    def encrypt(self, bits, source):
        context = rnd.encryption_context(self.id, [[bit] for bit in bits]) + rnd.DENSE
        random = rnd.Buffered(rnd.HedgedRandom(source, context))
        noise = [noise_polynomial(self.group, random) for _ in bits]
        return [(bit + 2 * self.evaluate(u)) % self.d for bit, u in zip(bits, noise)]

    def expand(self, y):
        """z_j of the elements y R^j of a block: rounded to p fractional bits, and the parity of
        y_j added to the integer bit."""
        p, z = self.group.precision, []
        for _ in range(self.group.S):
            rounded = ((y << p + 1) // self.d + 1) >> 1
            z.append(int(rounded ^ (y % 2) << p))
            y = (y << self.group.log_R) % self.d
        return z

    adder = "sym"

    def recrypt(self, c):
        """With the adder `sym`."""
        group, numbers = self.group, []
        for k in range(group.s):
            z = self.expand(c * self.x[k] % self.d)
            eta = self.eta[k * group.c:(k + 1) * group.c]
            number = []
            for bit in range(group.precision + 1):
                rows = {}
                for (a, b), word in zip(pairs(group.c, group.S), z):
                    if word >> bit & 1:
                        rows[a] = rows.get(a, 0) + eta[b]
                number.append(sum(eta[a] * row for a, row in rows.items()) % self.d)
            numbers.append(number)
        return rounded_sum(numbers, self.d)


class SecretKey:
    def __init__(self, group, sections):
        self.group = group
        self.d = gmpy2.mpz(int.from_bytes(sections["d"], "little"))
        self.w = centered(gmpy2.mpz(fmt.integer(sections["w"], self.d.bit_length())), self.d)
        fmt.require(self.w % 2 == 1, "the centred w is odd")
        fmt.require(abs(self.w) << group.inverse_bits <= self.d, "w is short")

    def noise(self, c):
        """In units of d 2^-inverse_bits, rounded up to an integer."""
        return -((-abs(centered(c * self.w, self.d)) << self.group.inverse_bits) // self.d)

    def decrypt(self, c):
        return int(centered(c * self.w, self.d) % 2)

    def check_pair(self, public):
        group, d = self.group, self.d
        fmt.require(public.d == d, "both keys have the same d")
        chosen = []
        for k in range(group.s):
            ones = [i for i in range(group.c) if self.decrypt(public.eta[k * group.c + i])]
            fmt.require(len(ones) == 2, f"block {k} has two ones")
            chosen.append(pairs(group.c, group.S).index(tuple(ones)))
        total = sum(x << group.log_R * j for x, j in zip(public.x, chosen))
        fmt.require((total - self.w) % d == 0, "sum x_k R^idx_k = w")


# ---------------------------------------------------------------- keys from a test seed


def noise_polynomial(group, random):
    exponents = rnd.distinct_positions(random, group.h, group.n)
    return [(e, -1 if rnd.uniform_index(random, 2) else 1) for e in exponents]


def multiply(f, g):
    """In Z[x]/(x^n + 1)."""
    n = len(f)
    result = [gmpy2.mpz(0)] * n
    for i, a in enumerate(f):
        for j, b in enumerate(g):
            if i + j < n:
                result[i + j] += a * b
            else:
                result[i + j - n] -= a * b
    return result


def norm_and_constant(v, u):
    """(d, constant coefficient of d u / v) for d = resultant(v, x^n + 1), by halving n: with
    v = e(x^2) + x o(x^2), both are unchanged by multiplication with v(-x)."""
    while len(v) > 1:
        mirrored = [-a if i % 2 else a for i, a in enumerate(v)]
        v, u = multiply(v, mirrored)[::2], multiply(u, mirrored)[::2]
    return v[0], u[0]


def lattice(v):
    """(d, r, w), or None for a generator that has none."""
    n = len(v)
    one = [gmpy2.mpz(i == 0) for i in range(n)]
    inverse_of_x = [gmpy2.mpz(-(i == n - 1)) for i in range(n)]
    d, w0 = norm_and_constant(v, one)
    _, w1 = norm_and_constant(v, inverse_of_x)
    if gmpy2.gcd(w0, d) != 1:
        return None
    r = w1 * gmpy2.invert(w0, d) % d
    if pow(r, n, d) != d - 1:
        return None
    w = w0  # centred as it is, like every coefficient of the inverse
    while centered(w, d) % 2 == 0:
        w = w * r % d
    return d, r, centered(w, d)


def has_short_inverse(v, group):
    """rms_j 1 / |v(zeta_j)| <= 2^-inverse_bits."""
    scaled = [float(a / gmpy2.mpfr(gmpy2.mpz(1) << group.t - 1)) for a in v]
    total = 0.0
    for j in range(len(v)):
        zeta = cmath.exp(1j * math.pi * (2 * j + 1) / len(v))
        value = 0
        for a in reversed(scaled):
            value = value * zeta + a
        total += 1 / abs(value) ** 2
    return math.log2(total / len(v)) / 2 - (group.t - 1) <= -group.inverse_bits


def _generate_lattice(group, source):
    random = rnd.Buffered(source)
    while True:
        v = [rnd.uniform_bits(random, group.t) - (gmpy2.mpz(1) << group.t - 1)
             for _ in range(group.n)]
        if sum(v) % 2 == 0:
            v[0] ^= 1
        if has_short_inverse(v, group) and (found := lattice(v)):
            return found


def generate(group, test_seed):
    """The sections of both keys, other than `params`."""
    random = rnd.TestRandom("key generation " + test_seed)
    stream = rnd.PublicStream(rnd.test_public_seed(test_seed))
    d, r, w = _generate_lattice(group, random)
    bits = d.bit_length()
    chosen = [rnd.uniform_index(random, group.S) for _ in range(group.s)]

    x = [stream.element(rnd.SQUASH, k, bits + 64) % d for k in range(group.s - 1)]
    rest = w - sum(a << group.log_R * j for a, j in zip(x, chosen))
    x.append(rest * gmpy2.invert(gmpy2.mpz(1) << group.log_R * chosen[-1], d) % d)

    own = rnd.Buffered(random)
    noise = [noise_polynomial(group, own) for _ in range(group.s * group.c)]
    ones = [pairs(group.c, group.S)[j] for j in chosen]
    powers = [gmpy2.mpz(1)]
    while len(powers) < group.n:
        powers.append(powers[-1] * r % d)
    eta = [(int(i % group.c in ones[i // group.c]) + 2 * sum(sign * powers[e] for e, sign in u)) % d
           for i, u in enumerate(noise)]

    whole = lambda values: b"".join(fmt.integer_bytes(value, bits) for value in values)
    public = {"d": whole([d]), "r": whole([r]), "x": whole(x), "eta": whole(eta)}
    secret = {"w": whole([w % d]), "d": public["d"]}
    return public, secret
