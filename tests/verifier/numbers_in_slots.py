# SPDX-License-Identifier: Apache-2.0
"""The comparison of verify.py for the scheme `she`: golden vectors, and files of the tool and for
it."""

import container as fmt
import randomness as rnd
import she

ROWS = [[3, 1, 4, 1, 5], [9, 0, 6], []]  # by ciphertext; missing numbers are 0
VOTES = [1, 0, 7, 9]


def filled(group, row):
    return row + [0] * (group.slots - len(row))


def vectors_of(group, key_seed, encryption_seed):
    secret, public = she.generate(group, key_seed)
    source, hexed = rnd.TestRandom(encryption_seed), lambda values: [f"{int(v):x}" for v in values]
    result = {"group": group.name, "key_seed": key_seed, "encryption_seed": encryption_seed,
              "primes": hexed(secret.primes)}
    if public:
        fresh = public.encrypt(VOTES, source)
        fmt.require(secret.decrypt(sum(fresh)) == [sum(VOTES) % group.modulus], "a derived sum")
        return {**result, "delta": hexed(public.corrections), "numbers": VOTES,
                "fresh": hexed(fresh)}
    seed, corrections = secret.encrypt(ROWS, source)
    fresh = she.whole(group, seed, corrections)
    for c, row in zip(fresh, ROWS):
        fmt.require(secret.decrypt(c) == filled(group, row), "a derived ciphertext decrypts")
    return {**result, "key_id": secret.id().hex(), "numbers": ROWS, "own_seed": seed.hex(),
            "own_corrections": hexed(corrections), "fresh": hexed(fresh),
            "product": f"{int(fresh[0] * fresh[1]):x}"}


class Files:
    """Files of the tool in its folder, and files for it."""

    def __init__(self, tool, group, text):
        self.tool, self.group, self.text = tool, group, text
        self.container = tool.load("keys/secret.fhe", "secret key")
        self.secret = she.SecretKey.read(group, self.container)

    def write_numbers(self, name, rows):
        """As the tool reads them: a line for each slot, a number for each ciphertext."""
        slots = max(map(len, rows))
        lines = (" ".join(str(filled(self.group, row)[j]) for row in rows) for j in range(slots))
        (self.tool.folder / name).write_text("\n".join(lines) + "\n")

    def decrypted(self, name):
        """What the tool decrypts, by ciphertext."""
        lines = self.tool("decrypt", "--key", "keys/secret.fhe", name).splitlines()
        return [list(row) for row in zip(*(map(int, line.split()) for line in lines))]

    def check(self, name, numbers, values=None):
        """Ciphertexts of the tool: their numbers, bounds and, where they are given, integers."""
        container = self.tool.load(name, "ciphertexts")
        fmt.require(container.key_id == self.container.key_id, f"{name}: the id of the key")
        read = she.read_ciphertexts(self.group, container)
        for (value, noise), row in zip(read, numbers, strict=True):
            fmt.require(self.secret.decrypt(value) == row, f"{name}: other numbers")
            fmt.require(self.secret.noise(value) <= noise <= self.group.limit, f"{name}: noise")
        if values is not None:
            fmt.require([value for value, _ in read] == values, f"{name}: other integers")
        return [value for value, _ in read]

    def give(self, name, container):
        (self.tool.folder / name).write_bytes(container.to_bytes())


def check_slots(files):
    """Numbers in slots: encrypted, computed with and decrypted by both."""
    tool, group, q = files.tool, files.group, files.group.modulus
    rows = [filled(group, row) for row in ROWS]
    others = [[(7 * number + 2) % q for number in row] for row in rows]
    for name, numbers in (("a", rows), ("b", others)):
        files.write_numbers(name + ".txt", numbers)
        tool("encrypt", "--secret-key", "keys/secret.fhe", "--slots", name + ".txt", "--out", name)
    a, b = files.check("a", rows), files.check("b", others)

    def compared(operation, values, numbers, *arguments):
        tool("slots", operation, *arguments, "--out", operation)
        files.check(operation, numbers, values)
        fmt.require(files.decrypted(operation) == numbers, f"{operation}: the tool's numbers")

    def by_slot(compute):
        return [[compute(x, y) % q for x, y in zip(row, other)] for row, other in zip(rows, others)]

    compared("add", [x + y for x, y in zip(a, b)], by_slot(lambda x, y: x + y), "a", "b")
    compared("subtract", [x - y for x, y in zip(a, b)], by_slot(lambda x, y: x - y), "a", "b")
    compared("multiply", [x * y for x, y in zip(a, b)], by_slot(lambda x, y: x * y), "a", "b")
    compared("negate", [-x for x in a], by_slot(lambda x, _: -x), "a")
    compared("add-constant", [x - 3 for x in a], by_slot(lambda x, _: x - 3), "a", "--constant", -3)
    compared("sum", [sum(b)], [[sum(column) % q for column in zip(*others)]], "b")

    made = files.secret.encrypt(ROWS, rnd.TestRandom("of the verifier"))
    files.give("own", she.compressed_container(files.container, files.text, group, *made))
    fmt.require(files.decrypted("own") == rows, "the tool decrypts compressed ones made here")
    values = [(-value, group.fresh_noise) for value in she.whole(group, *made)]
    files.give("own", she.ciphertext_container(files.container, files.text, group, values))
    fmt.require(files.decrypted("own") == [[-n % q for n in row] for row in rows],
                "the tool decrypts whole ones made here")


def check_sums(files):
    """Numbers under a public key."""
    tool, group = files.tool, files.group
    container = tool.load("keys/public.fhe", "public key")
    fmt.require(container.key_id == files.container.key_id, "both keys have one id")
    public = she.PublicKey.read(group, container)
    public.check(files.secret)
    (tool.folder / "votes").write_text(" ".join(map(str, VOTES)) + "\n")
    tool("encrypt", "--key", "keys/public.fhe", "--slots", "votes", "--out", "v")
    votes = files.check("v", [[vote] for vote in VOTES])
    total = [[sum(VOTES) % group.modulus]]
    tool("slots", "sum", "v", "--out", "sum")
    files.check("sum", total, [sum(votes)])
    made = public.encrypt(VOTES, rnd.TestRandom("of the verifier"))
    files.give("own", she.ciphertext_container(files.container, files.text, group, [
        (value, group.public_noise()) for value in made]))
    tool("slots", "sum", "own", "--out", "sum")
    files.check("sum", total, [sum(made)])
    fmt.require(files.decrypted("sum") == total, "the tool decrypts a sum made here")


def check_test_keys(tool, group, key_seed):
    """The keys of a test seed, section by section."""
    secret, public = she.generate(group, key_seed)
    sections = tool.load("keys/secret.fhe", "secret key").sections
    fmt.require(sections["p"] == secret.section(), "the primes of the test seed differ")
    if public:
        made = tool.load("keys/public.fhe", "public key").sections
        for name, contents in public.sections().items():
            fmt.require(made[name] == contents, f"section {name} of the test seed differs")


def check_tool(tool, path, text, key_seed):
    group = she.Group(fmt.Group(text))
    tool("keygen", "--params", path, "--test-seed", key_seed, "--out", "keys")
    check_test_keys(tool, group, key_seed)
    tool("keygen", "--params", path, "--out", "real")
    (tool.folder / "keys").rename(tool.folder / "test")
    (tool.folder / "real").rename(tool.folder / "keys")
    files = Files(tool, group, text)
    fmt.require(not files.container.test_key, "no mark of a test key")
    (check_sums if group.has_public_keys else check_slots)(files)
