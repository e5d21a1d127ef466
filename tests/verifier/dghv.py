# SPDX-License-Identifier: Apache-2.0
"""CNT (ePrint 2011/440), CMNT (2011/441) and batch DGHV (2013/036): keys from a test seed, and keys
from files."""

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


def chinese(residues, primes):
    """The x in (-pi/2, pi/2) with these residues: Garner's method, one prime after the other."""
    x, product = gmpy2.mpz(0), gmpy2.mpz(1)
    for residue, p in zip(residues, primes):
        x += product * centered((residue - x) * gmpy2.invert(product, p), p)
        product *= p
    return centered(x, product)


def by_slot(values, primes):
    """What each of the values is modulo each prime, prime by prime."""
    return [[centered(value, p) for value in values] for p in primes]


class Shape:
    """What follows from the parameters."""

    def __init__(self, group):
        self.group = group
        self.slots = group.fields.get("slots", 1)
        self.product = group.fields.get("squash") == "product"
        self.side = int(gmpy2.isqrt(group.Theta))
        self.key_bits = 2 * self.side if self.product else group.Theta
        self.correction_bits = self.slots * group.eta + group.lambda_
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
        # Batch DGHV: the element that is added in slot i to element i, the bits of noise, and the
        # number of elements, of each list.
        if group.scheme == "bdghv":
            self.lists = {"delta": (rnd.ELEMENTS, 1, group.tau, group.rho_prime - 1, 0),
                          "delta.x'": (rnd.SLOT_UNITS, 0, self.slots, group.rho, 1),
                          "delta.Pi": (rnd.SLOT_NOISE, 0, self.slots, group.rho,
                                       gmpy2.mpz(1) << group.rho_prime + 1)}

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
    def __init__(self, group, key_id, sections):
        self.shape = shape = Shape(group)
        self.group, self.id = group, key_id
        self.seed = fmt.public_seed(sections["seed"])
        self.x0 = shape.modulus(sections)
        self.solved = [gmpy2.mpz(u) for u in fmt.packed(sections["u0"], shape.slots, shape.u_bits)]
        self.sigma = fmt.packed(sections["sigma"], shape.key_bits, shape.correction_bits)
        fmt.require(self.x0 % 2 == 1 and self.x0.bit_length() == group.gamma, "x0")
        if shape.digit_set:
            self.digit_sigma = fmt.packed(sections["sigma.32"], shape.key_bits,
                                          shape.correction_bits)
        if group.scheme == "bdghv":
            self.deltas = {name: fmt.packed(sections[name], count, shape.correction_bits)
                           for name, (_, _, count, _, _) in shape.lists.items()}
        elif group.scheme == "cnt":
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
        return self.solved + [self.stream.element(rnd.SQUASH, i, self.shape.u_bits)
                              for i in range(self.shape.slots, self.group.Theta)]

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

    def slot_elements(self, name):
        """The x_i, x'_i or Pi_i of batch DGHV."""
        purpose, first, _, _, _ = self.shape.lists[name]
        return [self.stream.element(purpose, first + i, self.group.gamma) - delta
                for i, delta in enumerate(self.deltas[name])]

    # -------- encryption: c = m + 2r + 2 (random sum) mod x0
    # batch DGHV: c = m + sum b'_i Pi_i + sum b_i x_i mod x0

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

    def _encrypt_in_all_slots(self, bits, random):
        draw = lambda count, width: [[rnd.uniform_bits(random, width) for _ in range(count)]
                                     for _ in bits]
        sets = [(draw(self.group.tau, self.group.alpha + 1), self.slot_elements("delta")),
                (draw(self.shape.slots, self.group.alpha_prime + 1),
                 self.slot_elements("delta.Pi"))]
        return [(bit + sum(b * x for weights, elements in sets
                           for b, x in zip(weights[k], elements))) % self.x0
                for k, bit in enumerate(bits)]

    def encrypt(self, bits, source):
        """At most 16 bits, in one batch; each in all slots."""
        context = rnd.encryption_context(self.id, [[bit] for bit in bits]) + rnd.DENSE
        random = rnd.Buffered(rnd.HedgedRandom(source, context))
        if self.group.scheme == "bdghv":
            return self._encrypt_in_all_slots(bits, random)
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
        self.primes = [gmpy2.mpz(p) for p in
                       fmt.integers(sections["p"], self.shape.slots, group.eta)]
        self.p = product_of(self.primes)
        count, *ones = struct.unpack(f"<{len(sections['s']) // 4}I", sections["s"])
        boxes = self.shape.boxes
        fmt.require(count == len(ones) == self.shape.slots * len(boxes), "number of ones")
        self.all_ones = [ones[j:j + len(boxes)] for j in range(0, len(ones), len(boxes))]
        self.ones = self.all_ones[0]
        for j, own in enumerate(self.all_ones):
            fmt.require(all(first <= one < end for one, (first, end) in zip(own, boxes)) and
                        own[0] == j, "the ones")
        self.x0 = self.shape.modulus(sections)
        fmt.require(all(p.bit_length() == group.eta for p in self.primes) and
                    len(set(self.primes)) == self.shape.slots and self.x0 % self.p == 0,
                    "p divides x0")

    def noise(self, c):
        """Of the slot that has most of it."""
        return max(abs(centered(c, p)) for p in self.primes)

    def decrypt_slots(self, c):
        return [int(centered(c, p) % 2) for p in self.primes]

    def decrypt(self, c):
        """The bit that is in all slots."""
        bits = set(self.decrypt_slots(c))
        fmt.require(len(bits) == 1, "all slots have one bit")
        return bits.pop()

    def encrypt(self, bits, source):
        """(seed, corrections): chi_i - delta_i = 2 r_i + bit modulo p, of hedged randomness; each
        bit in all slots."""
        return self.encrypt_slots([[bit] * self.shape.slots for bit in bits], source)

    def encrypt_slots(self, rows, source):
        key, bits = int(self.p), [bit for row in rows for bit in row]
        limbs = key.to_bytes((key.bit_length() + 63) // 64 * 8, "little")
        random = rnd.Buffered(rnd.HedgedRandom(source, rnd.encryption_context(limbs, [bits])))
        seed = random.fill(16)
        noise = [chinese([2 * rnd.uniform_centered(random, self.group.rho) + bit for bit in row],
                         self.primes) for row in rows]
        bits = rows
        stream = rnd.PublicStream(seed)
        chi = [stream.element(rnd.CIPHERTEXTS, i, self.group.gamma) for i in range(len(bits))]
        return seed, corrections(self.shape, self.p, chi, noise, random)

    def check_pair(self, public):
        """Whether every integer of the public key is what the papers say."""
        group, p = public.group, self.p
        fmt.require(public.x0 == self.x0, "both keys have the same x0")
        fmt.require(all(map(gmpy2.is_prime, self.primes)), "p is prime")
        if self.shape.special:
            fmt.require(is_rough(public.x0 // p, group.q0_rough_bits), "q0 has no small factor")
        for own, ones in zip(self.primes, self.all_ones):
            fmt.require(sum(public.u[i] for i in self.shape.selected(ones)) %
                        (1 << self.shape.u_bits) == ((1 << group.kappa + 1) + own) // (2 * own),
                        "sum s_i u_i = round(2^kappa / p)")
        for bits, factor in ((public.key_bits, self.shape.factor),
                             (public.key_digits, digits.MODULUS)):
            if factor == digits.MODULUS and not self.shape.digits:
                continue
            for own, ones in zip(self.primes, self.all_ones):
                for i, sigma in enumerate(bits):
                    noise = centered(sigma, own) - (i in ones)
                    fmt.require(noise % factor == 0 and abs(noise) < factor << group.rho,
                                f"key bit {i}")
        if group.scheme == "bdghv":
            return self._check_lists(public)
        elements = public.elements if group.scheme == "cnt" else public.rows + public.columns
        for i, x in enumerate(elements):
            fmt.require(abs(centered(x, p)) < 1 << group.rho, f"public element {i}")


    def _check_lists(self, public):
        for name, (_, _, _, bits, own) in self.shape.lists.items():
            for j, slot in enumerate(by_slot(public.slot_elements(name), self.primes)):
                for i, residue in enumerate(slot):
                    noise = residue - (own if i == j else 0)
                    fmt.require(noise % 2 == 0 and abs(noise) < 2 << bits, f"{name}, {i}")


def product_of(numbers):
    product = gmpy2.mpz(1)
    for number in numbers:
        product *= number
    return product


# ---------------------------------------------------------------- keys from a test seed


def _product_of_primes(p, group, random):
    """x0 = p q0 of exactly gamma bits, q0 a product of secret primes."""
    # Of several p all but the first come from the same source as the factors of q0.
    product, made, bits = p, group.fields.get("slots", 1) - 1, group.q0_prime_bits
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


def modulus_of(p, shape, random):
    return (_special_modulus if shape.special else _product_of_primes)(p, shape.group, random)


def corrections(shape, p, chi, noise, random):
    """Of the elements chi, which leave this noise modulo p."""
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


def _generate_with_slots(shape, random, seed):
    """The sections of both keys of batch DGHV."""
    group, stream = shape.group, rnd.PublicStream(seed)
    primes = [rnd.prime_of_bits(random, group.eta)]
    primes += [rnd.prime_of_bits(rnd.Buffered(random.split(i)), group.eta)
               for i in range(shape.slots - 1)]
    p = product_of(primes)
    x0 = _product_of_primes(p, group, random)
    draws = rnd.Buffered(random)
    all_ones = [[first + (j if k in shape.known else rnd.uniform_index(draws, end - first))
                 for k, (first, end) in enumerate(shape.boxes)] for j in range(shape.slots)]

    def section(purpose, first, count, noise):
        """`count` elements with the noise noise[j][i] in slot j."""
        chi = [stream.element(purpose, first + i, group.gamma) for i in range(count)]
        combined = [chinese([slot[i] for slot in noise], primes) for i in range(count)]
        return fmt.packed_bytes(corrections(shape, p, chi, combined, draws),
                                shape.correction_bits)

    public = {"seed": fmt.seed_bytes(seed), shape.modulus_section: shape.stored(x0), "u0": b""}
    for name, (purpose, first, count, bits, own) in shape.lists.items():
        noise = [[2 * rnd.uniform_centered(draws, bits) + (own if i == j else 0)
                  for i in range(count)] for j in range(shape.slots)]
        public[name] = section(purpose, first, count, noise)
    key_noise = [[shape.factor * rnd.uniform_centered(draws, group.rho) + (i in ones)
                  for i in range(shape.key_bits)] for ones in all_ones]
    solved = []
    for own, ones in zip(primes, all_ones):
        u = ((1 << group.kappa + 1) + own) // (2 * own)
        u -= sum(stream.element(rnd.SQUASH, i, shape.u_bits) for i in ones[1:])
        solved.append(u % (1 << shape.u_bits))
    public["u0"] = fmt.packed_bytes(solved, shape.u_bits)
    public["sigma"] = section(rnd.KEY_BITS, 0, shape.key_bits, key_noise)

    ones = [one for own in all_ones for one in own]
    secret = {"p": b"".join(fmt.integer_bytes(own, group.eta) for own in primes),
              "s": struct.pack(f"<{1 + len(ones)}I", len(ones), *ones),
              shape.modulus_section: shape.stored(x0)}
    return public, secret


def generate(group, test_seed):
    """The sections of both keys, other than `params`."""
    shape = Shape(group)
    random = rnd.TestRandom("key generation " + test_seed)
    if group.scheme == "bdghv":
        return _generate_with_slots(shape, random, rnd.test_public_seed(test_seed))
    seed = rnd.test_public_seed(test_seed)
    stream = rnd.PublicStream(seed)

    p = rnd.prime_of_bits(random, group.eta)
    x0 = modulus_of(p, shape, random)
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
        delta = corrections(shape, p, chi(rnd.ELEMENTS, 1, group.tau), element_noise, random)
        public["delta"] = fmt.packed_bytes(delta, shape.correction_bits)
    else:
        elements = _public_elements(group, p, x0, random)
        public["x.0"] = fmt.packed_bytes(elements[:group.beta], group.gamma)
        public["x.1"] = fmt.packed_bytes(elements[group.beta:], group.gamma)
    sigma = corrections(shape, p, chi(rnd.KEY_BITS, 0, shape.key_bits), key_noise, random)
    public["sigma"] = fmt.packed_bytes(sigma, shape.correction_bits)
    if shape.digit_set:
        noise = draw_noise(digits.MODULUS)
        sigma = corrections(shape, p, chi(rnd.KEY_DIGITS, 0, shape.key_bits), noise, random)
        public["sigma.32"] = fmt.packed_bytes(sigma, shape.correction_bits)

    secret = {"p": fmt.integer_bytes(p, group.eta),
              "s": struct.pack(f"<{1 + len(ones)}I", len(ones), *ones),
              shape.modulus_section: shape.stored(x0)}
    return public, secret
