# SPDX-License-Identifier: Apache-2.0
"""CNT (ePrint 2011/440) and CMNT (2011/441): keys from a test seed, and keys from files."""

import struct
from functools import cached_property

import gmpy2

import container as fmt
import randomness as rnd
import digits
from adder import rounded_sum

ROW_BOXES, COLUMN_BOXES = 3, 5  # of a squashed key of product form


def centered(x, p):
    residue = x % p
    return residue - p if 2 * residue > p else residue


class Shape:
    """What follows from the parameters."""

    def __init__(self, group):
        self.group = group
        self.product = group.fields.get("squash") == "product"
        self.side = int(gmpy2.isqrt(group.Theta))
        self.key_bits = 2 * self.side if self.product else group.Theta
        self.correction_bits = group.eta + group.lambda_
        self.u_bits = group.kappa + 1
        cut = lambda first, length, count: [(first + k * length // count,
                                             first + (k + 1) * length // count)
                                            for k in range(count)]
        self.boxes = (cut(0, self.side, ROW_BOXES) + cut(self.side, self.side, COLUMN_BOXES)
                      if self.product else cut(0, group.Theta, group.theta))
        # A modulus 2^gamma - r, of which files hold r.
        self.special = "q0_offset_bits" in group.fields
        self.modulus_section = "x0.r" if self.special else "x0"
        self.modulus_bits = group.eta + group.q0_offset_bits if self.special else group.gamma
        # Recryption by digits: the noise of sigma_i is factor * r_i + s_i; two sets or one.
        self.digits = group.fields["adder"] == "digits"
        self.digit_set = self.digits and group.digit_key_sets == 2
        self.factor = digits.MODULUS if self.digits and not self.digit_set else 2
        # The first one of each vector is publicly the first of its box.
        self.known = (0, ROW_BOXES) if self.product else (0,)

    def keeps_bound(self, noise):
        """Whether key generation keeps these noise terms. It draws those of digit keys again as
        this says; others, with key_noise_percent below 100, for about one key in a thousand, which
        is not done here."""
        group = self.group
        if not self.digits:
            return True
        largest = self.factor << group.rho
        percent, count = group.key_noise_percent, len(noise)
        if group.noise_failure_bits == 0:
            return 100 * sum(map(abs, noise)) <= percent * count * largest
        return 10000 * sum(n * n for n in noise) <= (percent * largest) ** 2 * count

    def stored(self, x0):
        """The section of the modulus."""
        number = (1 << self.group.gamma) - x0 if self.special else x0
        return fmt.integer_bytes(number, self.modulus_bits)

    def modulus(self, sections):
        number = gmpy2.mpz(fmt.integer(sections[self.modulus_section], self.modulus_bits))
        return (1 << self.group.gamma) - number if self.special else number

    def selected(self, ones):
        """Positions of the ones of s."""
        if not self.product:
            return ones
        return [row * self.side + column - self.side
                for row in ones[:ROW_BOXES] for column in ones[ROW_BOXES:]]


class PublicKey:
    def __init__(self, group, sections):
        self.shape = shape = Shape(group)
        self.group = group
        self.seed = fmt.public_seed(sections["seed"])
        self.x0 = shape.modulus(sections)
        self.u0 = gmpy2.mpz(fmt.integer(sections["u0"], shape.u_bits))
        self.sigma = fmt.packed(sections["sigma"], shape.key_bits, shape.correction_bits)
        fmt.require(self.x0 % 2 == 1 and self.x0.bit_length() == group.gamma, "x0")
        if shape.digit_set:
            self.digit_sigma = fmt.packed(sections["sigma.32"], shape.key_bits,
                                          shape.correction_bits)
        if group.scheme == "cnt":
            self.delta = fmt.packed(sections["delta"], group.tau, shape.correction_bits)
        else:
            self.rows, self.columns = (
                [gmpy2.mpz(x) for x in fmt.packed(sections[name], group.beta, group.gamma)]
                for name in ("x.0", "x.1"))
            fmt.require(max(self.rows + self.columns) < self.x0, "elements are below x0")

    @property
    def modulus(self):
        return self.x0

    @cached_property
    def stream(self):
        return rnd.PublicStream(self.seed)

    @cached_property
    def u(self):
        return [self.u0] + [self.stream.element(rnd.SQUASH, i, self.shape.u_bits)
                            for i in range(1, self.group.Theta)]

    @cached_property
    def key_bits(self):
        return [self.stream.element(rnd.KEY_BITS, i, self.group.gamma) - self.sigma[i]
                for i in range(self.shape.key_bits)]

    @cached_property
    def key_digits(self):
        """The encryptions of the secret bits modulo 32."""
        if not self.shape.digit_set:
            return self.key_bits
        return [self.stream.element(rnd.KEY_DIGITS, i, self.group.gamma) - self.digit_sigma[i]
                for i in range(self.shape.key_bits)]

    @property
    def adder(self):
        """The one of `recrypt`."""
        return "digits" if self.shape.digits else "sym"

    @cached_property
    def elements(self):
        return [self.stream.element(rnd.ELEMENTS, i + 1, self.group.gamma) - self.delta[i]
                for i in range(self.group.tau)]

    # -------- encryption: c = m + 2r + 2 (random sum) mod x0

    def _sums(self, random, count):
        """Sums of public elements with random weights, of `count` bits that are encrypted
        together."""
        group = self.group
        if group.scheme == "cnt":
            weights = [[rnd.uniform_bits(random, group.alpha) for _ in range(group.tau)]
                       for _ in range(count)]
            return [sum(b * x for b, x in zip(row, self.elements)) for row in weights]
        weights = [[[rnd.uniform_bits(random, group.alpha) for _ in range(group.beta)]
                    for _ in range(group.beta)] for _ in range(count)]
        return [sum(x * sum(b * y for b, y in zip(row, self.columns))
                    for x, row in zip(self.rows, matrix)) for matrix in weights]

    def encrypt(self, bits, source):
        """At most 16 bits, in one batch."""
        random = rnd.Buffered(source)
        values = []
        for bit, total in zip(bits, self._sums(random, len(bits))):
            r = rnd.uniform_centered(random, self.group.rho_prime)
            values.append((bit + 2 * r + 2 * total) % self.x0)
        return values

    def whole(self, seed, corrections):
        """What compressed ciphertexts stand for."""
        stream = rnd.PublicStream(seed)
        return [(stream.element(rnd.CIPHERTEXTS, i, self.group.gamma) - delta) % self.x0
                for i, delta in enumerate(corrections)]

    # -------- recryption, with the adder `sym` or by digits

    def expand(self, c):
        """z_i = c y_i mod 2, rounded to n fractional bits; the integer bit is on top."""
        kept = self.group.precision + 1
        cut = self.shape.u_bits - kept
        modulus_mask, mask = (1 << self.shape.u_bits) - 1, (1 << kept) - 1
        return [((c * u & modulus_mask) + (1 << cut - 1)) >> cut & mask for u in self.u]

    def recrypt_by_digits(self, c):
        z = [number - 32 if number >= 16 else number for number in self.expand(c)]
        b = 8 + sum(number * sigma for number, sigma in zip(z, self.key_digits))
        a = sum((2 - number % 4) * sigma for number, sigma in zip(z, self.key_bits)
                if number % 2)
        return (digits.top_digit(a % self.x0, b % self.x0, self.x0) + c % 2) % self.x0

    def recrypt(self, c):
        if self.shape.digits:
            return self.recrypt_by_digits(c)
        z, width, sigma = self.expand(c), self.group.precision + 1, self.key_bits
        boxes, side = self.shape.boxes, self.shape.side
        subset = lambda box, bit, word: sum(sigma[i] for i in range(*box) if word(i) >> bit & 1)
        if not self.shape.product:
            numbers = [[subset(box, b, lambda i: z[i]) % self.x0 for b in range(width)]
                       for box in boxes]
        else:
            numbers = [[sum(sigma[j] * subset(rows, b, lambda i: z[i * side + j - side])
                            for j in range(*columns)) % self.x0 for b in range(width)]
                       for columns in boxes[ROW_BOXES:] for rows in boxes[:ROW_BOXES]]
        return (rounded_sum(numbers, self.x0) + c % 2) % self.x0


class SecretKey:
    def __init__(self, group, sections):
        self.group = group
        self.shape = Shape(group)
        self.p = gmpy2.mpz(fmt.integer(sections["p"], group.eta))
        count, *self.ones = struct.unpack(f"<{len(sections['s']) // 4}I", sections["s"])
        fmt.require(count == len(self.ones) == len(self.shape.boxes), "number of ones")
        fmt.require(all(first <= one < end
                        for one, (first, end) in zip(self.ones, self.shape.boxes)), "the ones")
        self.x0 = self.shape.modulus(sections)
        fmt.require(self.p.bit_length() == group.eta and self.x0 % self.p == 0, "p divides x0")

    def noise(self, c):
        return abs(centered(c, self.p))

    def decrypt(self, c):
        return int(centered(c, self.p) % 2)

    def encrypt(self, bits, source):
        """(seed, corrections): chi_i - delta_i = 2 r_i + bit modulo p, of hedged randomness."""
        key = int(self.p)
        limbs = key.to_bytes((key.bit_length() + 63) // 64 * 8, "little")
        random = rnd.Buffered(rnd.HedgedRandom(source, limbs + bytes(bits)))
        seed = random.fill(16)
        noise = [2 * rnd.uniform_centered(random, self.group.rho) + bit for bit in bits]
        stream = rnd.PublicStream(seed)
        chi = [stream.element(rnd.CIPHERTEXTS, i, self.group.gamma) for i in range(len(bits))]
        return seed, _corrections(self.shape, self.p, chi, noise, random)

    def check_pair(self, public):
        """Whether every integer of the public key is what the papers say."""
        group, p = public.group, self.p
        fmt.require(public.x0 == self.x0, "both keys have the same x0")
        fmt.require(gmpy2.is_prime(p), "p is prime")
        if self.shape.special:
            fmt.require(is_rough(public.x0 // p, group.q0_rough_bits), "q0 has no small factor")
        selected = self.shape.selected(self.ones)
        fmt.require(sum(public.u[i] for i in selected) % (1 << self.shape.u_bits) ==
                    ((1 << group.kappa + 1) + p) // (2 * p), "sum s_i u_i = round(2^kappa / p)")
        for bits, factor in ((public.key_bits, self.shape.factor),
                             (public.key_digits, digits.MODULUS)):
            if factor == digits.MODULUS and not self.shape.digits:
                continue
            for i, sigma in enumerate(bits):
                noise = centered(sigma, p) - (i in self.ones)
                fmt.require(noise % factor == 0 and abs(noise) < factor << group.rho,
                            f"key bit {i}")
        elements = public.elements if group.scheme == "cnt" else public.rows + public.columns
        for i, x in enumerate(elements):
            fmt.require(abs(centered(x, p)) < 1 << group.rho, f"public element {i}")


# ---------------------------------------------------------------- keys from a test seed


def _product_of_primes(p, group, random):
    """x0 = p q0 of exactly gamma bits, q0 a product of secret primes."""
    product, made, bits = p, 0, group.q0_prime_bits
    while (gap := group.gamma - product.bit_length()) >= 3 * bits:
        for _ in range(gap // bits - 1):
            product *= rnd.prime_of_bits(rnd.Buffered(random.split(made)), bits)
            made += 1
    low = (gmpy2.mpz(1) << group.gamma - 1) // product + 1
    high = ((gmpy2.mpz(1) << group.gamma) - 1) // product + 1
    return product * rnd.uniform_prime(random, low, high)


def is_rough(number, bits):
    """Whether it has no prime factor below 2^bits."""
    return gmpy2.gcd(number, gmpy2.primorial(1 << bits)) == 1


def _special_modulus(p, group, random):
    """x0 = p q0 = 2^gamma - r: q0 = floor(2^gamma / p) - k, k one of 4096 numbers from a secret
    one on for which q0 has no small factor."""
    product = gmpy2.primorial(1 << group.q0_rough_bits)
    while True:
        least = rnd.uniform_below(random, (1 << group.q0_offset_bits) - 4096)
        largest = (gmpy2.mpz(1) << group.gamma) // p - least
        rough = [i for i in range(4096) if gmpy2.gcd(largest % product - i, product) == 1]
        if rough:
            return p * (largest - rough[rnd.uniform_index(random, len(rough))])


def _corrections(shape, p, chi, noise, random):
    limit = gmpy2.mpz(1) << shape.correction_bits
    result = []
    for value, e in zip(chi, noise):
        delta = -1
        while not 0 <= delta < limit:
            delta = value % p - e + rnd.uniform_below(random, limit // p) * p
        result.append(delta)
    return result


def _public_elements(group, p, x0, random):
    """x_{i,b} = p q + r of CMNT: from a branch of the randomness of its own."""
    branch = random.split((1 << 64) - 1)
    elements = []
    for k in range(2 * group.beta):
        own = rnd.Buffered(branch.split(k))
        q = rnd.uniform_below(own, x0 // p)
        elements.append((p * q + rnd.uniform_centered(own, group.rho)) % x0)
    return elements


def generate(group, test_seed):
    """The sections of both keys, other than `params`."""
    shape = Shape(group)
    random = rnd.TestRandom("key generation " + test_seed)
    seed = rnd.test_public_seed(test_seed)
    stream = rnd.PublicStream(seed)

    p = rnd.prime_of_bits(random, group.eta)
    x0 = (_special_modulus if shape.special else _product_of_primes)(p, group, random)
    ones = [first + (0 if k in shape.known else rnd.uniform_index(random, end - first))
            for k, (first, end) in enumerate(shape.boxes)]
    element_noise = [rnd.uniform_centered(random, group.rho)
                     for _ in range(group.tau if group.scheme == "cnt" else 0)]
    draw_noise = lambda factor: [factor * rnd.uniform_centered(random, group.rho) + (i in ones)
                                 for i in range(shape.key_bits)]
    key_noise = draw_noise(shape.factor)
    while not shape.keeps_bound(key_noise):
        key_noise = draw_noise(shape.factor)

    public = {"seed": fmt.seed_bytes(seed), shape.modulus_section: shape.stored(x0)}
    u0 = ((1 << group.kappa + 1) + p) // (2 * p)
    u0 -= sum(stream.element(rnd.SQUASH, i, shape.u_bits) for i in shape.selected(ones) if i > 0)
    public["u0"] = fmt.integer_bytes(u0 % (1 << shape.u_bits), shape.u_bits)
    chi = lambda purpose, first, count: [stream.element(purpose, first + i, group.gamma)
                                         for i in range(count)]
    if group.scheme == "cnt":
        delta = _corrections(shape, p, chi(rnd.ELEMENTS, 1, group.tau), element_noise, random)
        public["delta"] = fmt.packed_bytes(delta, shape.correction_bits)
    else:
        elements = _public_elements(group, p, x0, random)
        public["x.0"] = fmt.packed_bytes(elements[:group.beta], group.gamma)
        public["x.1"] = fmt.packed_bytes(elements[group.beta:], group.gamma)
    sigma = _corrections(shape, p, chi(rnd.KEY_BITS, 0, shape.key_bits), key_noise, random)
    public["sigma"] = fmt.packed_bytes(sigma, shape.correction_bits)
    if shape.digit_set:
        noise = draw_noise(digits.MODULUS)
        sigma = _corrections(shape, p, chi(rnd.KEY_DIGITS, 0, shape.key_bits), noise, random)
        public["sigma.32"] = fmt.packed_bytes(sigma, shape.correction_bits)

    secret = {"p": fmt.integer_bytes(p, group.eta),
              "s": struct.pack(f"<{1 + len(ones)}I", len(ones), *ones),
              shape.modulus_section: shape.stored(x0)}
    return public, secret
