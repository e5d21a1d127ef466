#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second implementation of files and schemes, compared with the library.

    verify.py --fhe build/release/apps/cli/fhe cnt-mini gh-mini ...
    verify.py --ladder build/release/tests/verifier/fhe_verifier_ladder cnt-mini ...
    verify.py --write GROUP...     makes the golden vectors anew, without the library

For each parameter group: keys, encryptions, a sum, recryptions and their product are derived from
test seeds and compared with vectors/GROUP.json (and so do the C++ tests: vectors_test.cpp); then
the tool's own keys, ciphertexts and checkpoints are read, checked and decrypted, and ciphertexts
made here are given to the tool.
"""

import argparse
import hashlib
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

try:
    import gmpy2
except ImportError:
    print("verify.py: skipped, gmpy2 is missing (package python3-gmpy2)")
    sys.exit(77)

sys.dont_write_bytecode = True

import container as fmt
import dghv
import gh
import modulus_switch
import numbers_in_slots
import randomness as rnd
import she

HERE = pathlib.Path(__file__).resolve().parent
PARAMS = HERE.parents[1] / "params"
KEY_SEED = "golden"
ENCRYPTION_SEED = "golden encryption"
BITS = [1, 0, 1, 1]
AND = 6  # of the kinds of gates
RECRYPTED = 2  # of the fresh ciphertexts
LONGEST = 16384  # bits of a value that a vector holds in full
RUNG_SEED, RUNG_ETA, RUNG_THETA = "golden rung", 80, 6


def module_of(group):
    return {"cnt": dghv, "cmnt": dghv, "bdghv": dghv, "gh": gh}[group.scheme]


class Keys:
    """A pair of keys, read from two containers."""

    def __init__(self, public, secret):
        self.container = public
        self.group = fmt.group_of(public)
        fmt.require(public.key_id == public.public_key_id(), "the id of the public key")
        fmt.require(secret.key_id == public.key_id, "both keys have one id")
        fmt.require(fmt.group_of(secret).digest == self.group.digest, "both keys have one group")
        module = module_of(self.group)
        self.public = module.PublicKey(self.group, public.key_id, public.sections)
        self.secret = module.SecretKey(self.group, secret.sections)

    @property
    def bits(self):
        return int(self.public.modulus).bit_length()

    @property
    def slots(self):
        return self.group.fields.get("slots", 1)


def derived_containers(group, text):
    """The containers of the keys of the test seed, from nothing but it."""
    contents = module_of(group).generate(group, KEY_SEED)
    result = []
    for kind, sections in zip((1, 2), contents):
        result.append(fmt.Container(kind, True, group.scheme, group.name, group.digest, b"",
                                    {"params": text.encode(), **sections}))
    public, secret = result
    public.key_id = secret.key_id = public.public_key_id()
    return public, secret


def pinned(value, bits):
    """As a vector holds a value: in hexadecimal digits, or the SHA-256 of its bytes."""
    if bits <= LONGEST:
        return f"{int(value):x}"
    return "sha256:" + hashlib.sha256(fmt.integer_bytes(value, bits)).hexdigest()


def vectors_of(keys):
    public, secret, bits = keys.public, keys.secret, keys.bits
    modulus = public.modulus
    fresh = public.encrypt(BITS, rnd.TestRandom(ENCRYPTION_SEED))
    recrypted = [public.recrypt(c) for c in fresh[:RECRYPTED]]
    product = recrypted[0] * recrypted[1] % modulus
    total = sum(fresh) % modulus
    for value, bit in [*zip(fresh, BITS), *zip(recrypted, BITS), (product, BITS[0] & BITS[1]),
                       (total, sum(BITS) % 2)]:
        fmt.require(secret.decrypt(value) == bit, "a derived ciphertext decrypts to its bit")
    if keys.group.scheme == "gh":
        key = {"w": pinned(secret.w % modulus, bits), "r": pinned(public.r, bits)}
    else:
        seed, corrections = secret.encrypt(BITS, rnd.TestRandom(ENCRYPTION_SEED))
        same("decryption", map(secret.decrypt, public.whole(seed, corrections)), BITS)
        key = {"p": f"{int(secret.p):x}", "ones": secret.ones, "own_seed": seed.hex(),
               "own_corrections": [f"{int(delta):x}" for delta in corrections]}
        if keys.slots == 1 and bits <= LONGEST:
            key["switch"] = switch_vectors_of(keys, fresh)
    return {"group": keys.group.name, "key_seed": KEY_SEED, "encryption_seed": ENCRYPTION_SEED,
            "key_id": keys.container.key_id.hex(), "modulus": pinned(modulus, bits), **key,
            "bits": BITS, "fresh": [pinned(c, bits) for c in fresh], "sum": pinned(total, bits),
            f"recrypted_by_{public.adder}": [pinned(c, bits) for c in recrypted],
            "product": pinned(product, bits)}


def switch_vectors_of(keys, fresh):
    """A rung of a test seed, and the fresh ciphertexts switched to it."""
    group = keys.group
    key = modulus_switch.generate(group, keys.secret.p, RUNG_ETA, RUNG_THETA, RUNG_SEED)
    key.check(keys.secret.p)
    public, _ = key.rung.sections()
    key_id = fmt.Container(1, True, group.scheme, group.name, group.digest, b"",
                           public).public_key_id()
    switched = [key.switch(c) for c in fresh]
    same("bits of switched ciphertexts", map(key.rung.decrypt, switched), BITS)
    sections = key.sections(key_id)
    return {"seed": RUNG_SEED, "eta": RUNG_ETA, "Theta": RUNG_THETA, "key_id": key_id.hex(),
            "p": f"{int(key.rung.p):x}", "modulus": pinned(key.rung.x0, keys.bits),
            **{name: hashlib.sha256(sections[name]).hexdigest() for name in ("Y0", "delta")},
            "switched": [pinned(c, keys.bits) for c in switched]}


class Tool:
    """The command-line tool in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = str(pathlib.Path(program).resolve()), pathlib.Path(folder)

    def __call__(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=600, check=False)
        fmt.require(done.returncode == 0, f"fhe {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def load(self, name, kind):
        return fmt.load(self.folder / name, kind)

    def keys(self, *options):
        self("keygen", *options, "--out", "keys")
        return Keys(self.load("keys/public.fhe", "public key"),
                    self.load("keys/secret.fhe", "secret key"))

    def decrypted(self, keys, name):
        """The bits in a file of ciphertexts, which are the same in all slots."""
        lines = self("decrypt", "--key", "keys/secret.fhe", name).split()
        fmt.require(len(lines) == keys.slots and len(set(lines)) == 1, "a line for each slot")
        return lines[0]

    def values(self, keys, name):
        """The values of a file of ciphertexts, each within its noise bound."""
        container = self.load(name, "ciphertexts")
        fmt.require((container.key_id, container.group_digest) ==
                    (keys.container.key_id, keys.group.digest), "ciphertexts of the key")
        values, noise, bits = fmt.ciphertexts(container)
        fmt.require(bits == keys.bits, "bits of the modulus")
        check_noise(keys, values, noise)
        return values


def check_noise(keys, values, noise):
    for value, units in zip(values, noise):
        fmt.require(value < keys.public.modulus, "a value is below the modulus")
        # noise^1024 <= 2^units, with a unit for rounding
        real = max(keys.secret.noise(gmpy2.mpz(value)), 1)
        fmt.require(1024 * float(gmpy2.log2(real)) <= units + 1, "noise is within its bound")


def same(name, own, others):
    fmt.require(list(map(int, own)) == list(map(int, others)), f"{name}: other integers")


def check_operations(tool, keys):
    """Encryption by the tool; sums, products and recryptions by both."""
    public, secret = keys.public, keys.secret
    texts = "".join(map(str, BITS))
    tool("encrypt", "--key", "keys/public.fhe", "--bits", texts, "--out", "a")
    tool("encrypt", "--key", "keys/public.fhe", "--bits", texts[::-1], "--out", "b")
    a, b = tool.values(keys, "a"), tool.values(keys, "b")
    same("decryption", [secret.decrypt(c) for c in a], BITS)
    same("decryption", [secret.decrypt(c) for c in b], BITS[::-1])

    gate = ("eval", "--key", "keys/public.fhe", "--refresh", "never")
    tool(*gate, "xor", "a", "b", "--out", "sum")
    same("xor", [(x + y) % public.modulus for x, y in zip(a, b)], tool.values(keys, "sum"))
    for name, values in (("a", a), ("b", b)):
        tool("recrypt", "--key", "keys/public.fhe", "--adder", public.adder, name, "--out", name + "r")
        same("recryption", [public.recrypt(c) for c in values], tool.values(keys, name + "r"))
    tool(*gate, "and", "ar", "br", "--out", "product")
    products = tool.values(keys, "product")
    same("and", [x * y % public.modulus for x, y in
                 zip(tool.values(keys, "ar"), tool.values(keys, "br"))], products)
    same("bits of and", [secret.decrypt(c) for c in products],
         [x & y for x, y in zip(BITS, BITS[::-1])])
    return fmt.ciphertexts(tool.load("a", "ciphertexts"))[1][0]


def check_own_ciphertexts(tool, keys, fresh_noise):
    """Ciphertexts made here are decrypted and recrypted by the tool."""
    values = keys.public.encrypt(BITS, rnd.TestRandom("of the verifier"))
    container = fmt.ciphertext_container(keys.container, values, [fresh_noise] * len(values),
                                         keys.bits)
    (tool.folder / "own").write_bytes(container.to_bytes())
    text = "".join(map(str, BITS))
    fmt.require(tool.decrypted(keys, "own") == text,
                "the tool decrypts ciphertexts made here")
    tool("recrypt", "--key", "keys/public.fhe", "own", "--out", "ownr")
    fmt.require(tool.decrypted(keys, "ownr") == text,
                "the tool recrypts ciphertexts made here")


def check_owner(tool, keys):
    """Compressed ciphertexts, made by the tool and for it."""
    text = "".join(map(str, BITS))
    tool("encrypt", "--secret-key", "keys/secret.fhe", "--bits", text, "--out", "c")
    seed, corrections, noise, bits, _ = fmt.compressed(tool.load("c", "ciphertexts"))
    fmt.require(bits == keys.bits and noise == 1024 * (keys.group.rho + 1), "the head of c")
    values = keys.public.whole(seed, corrections)
    check_noise(keys, values, [noise] * len(values))
    same("decryption", [keys.secret.decrypt(c) for c in values], BITS)
    tool("expand", "--key", "keys/public.fhe", "c", "--out", "whole")
    same("expansion", values, tool.values(keys, "whole"))

    made = keys.secret.encrypt(BITS, rnd.TestRandom("of the verifier"))
    own = fmt.compressed_container(keys.container, *made, noise, bits,
                                   keys.secret.shape.correction_bits)
    (tool.folder / "own").write_bytes(own.to_bytes())
    fmt.require(tool.decrypted(keys, "own") == text,
                "the tool decrypts compressed ciphertexts made here")


def check_slots(tool, keys):
    """Bits that differ from slot to slot, made by the tool and for it."""
    slots, secret = keys.slots, keys.secret
    rows = [[(i + j) % 3 % 2 for j in range(slots)] for i in range(5)]  # by ciphertext
    lines = ["".join(str(row[j]) for row in rows) for j in range(slots)]
    (tool.folder / "slots").write_text("\n".join(lines) + "\n")
    tool("encrypt", "--key", "keys/public.fhe", "--slots", "slots", "--out", "c")
    values = tool.values(keys, "c")
    for value, row in zip(values, rows):
        fmt.require(secret.decrypt_slots(value) == row, "bits of slots of the tool")
    tool("recrypt", "--key", "keys/public.fhe", "--adder", "sym", "c", "--out", "cr")
    same("recryption of slots", [keys.public.recrypt(c) for c in values], tool.values(keys, "cr"))
    tool("encrypt", "--secret-key", "keys/secret.fhe", "--slots", "slots", "--out", "own")
    seed, corrections, noise, bits, width = fmt.compressed(tool.load("own", "ciphertexts"))
    for value, row in zip(keys.public.whole(seed, corrections), rows):
        fmt.require(secret.decrypt_slots(value) == row, "bits of slots of the owner")
    made = secret.encrypt_slots(rows, rnd.TestRandom("slots of the verifier"))
    own = fmt.compressed_container(keys.container, *made, noise, bits, width)
    (tool.folder / "own").write_bytes(own.to_bytes())
    fmt.require(tool("decrypt", "--key", "keys/secret.fhe", "own").split() == lines,
                "the tool decrypts bits of slots made here")


def check_checkpoint(tool, keys):
    """A run that is killed after its first batches leaves a checkpoint that is read here."""
    ands = 3000
    gates = "\n".join(f"2 1 {i} {i + 1} {i + 2} AND" for i in range(ands))
    (tool.folder / "chain.txt").write_text(f"{ands} {ands + 2}\n1 2\n1 1\n\n{gates}\n")
    tool("encrypt", "--key", "keys/public.fhe", "--bits", "11", "--out", "input")
    path = tool.folder / "checkpoint"
    run = subprocess.Popen(
        [tool.program, "run", "chain.txt", "--key", "keys/public.fhe", "--input", "input",
         "--checkpoint", path.name, "--checkpoint-interval", "0", "--out", "output"], cwd=tool.folder,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not path.exists() and run.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    fmt.require(path.exists(), "the run ended before it could be killed")
    named = {}
    for container in fmt.load_checkpoint(path):
        fmt.require(container.key_id == keys.container.key_id, "a checkpoint of the key")
        values, noise, _ = fmt.ciphertexts(container)
        check_noise(keys, values, noise)
        circuit, inputs, more = fmt.checkpoint(container)
        fmt.require(not named.keys() & more.keys(), "a checkpoint has a value twice")
        named.update(more)
    wires = [fact for i in range(ands) for fact in (AND, i, i + 1)]
    fmt.require(circuit == fmt.circuit_digest([1, "in0", 2, ands, *wires, 1, "out0", 1, ands + 1]),
                "digest of the circuit of a checkpoint")
    values, noise, _ = fmt.ciphertexts(tool.load("input", "ciphertexts"))
    fmt.require(inputs == fmt.inputs_digest(values, noise), "digest of the inputs of a checkpoint")
    fmt.require(all(keys.secret.decrypt(gmpy2.mpz(value)) == 1 for value in named.values()),
                "all wires of a chain of ones are 1")


def path_of(name):
    """A built-in group, or one of the verifier's own."""
    own = HERE / "groups" / f"{name}.toml"
    return own if own.exists() else PARAMS / f"{name}.toml"


def check_vectors(name, found):
    golden = json.loads((HERE / "vectors" / f"{name}.json").read_text())
    for field, value in golden.items():
        fmt.require(found.get(field) == value, f"vectors/{name}.json: {field} differs")


def check_numbers(name, program):
    """A group of numbers in slots."""
    path = path_of(name)
    text = path.read_text()
    check_vectors(name, numbers_in_slots.vectors_of(she.Group(fmt.Group(text)), KEY_SEED,
                                                    ENCRYPTION_SEED))
    with tempfile.TemporaryDirectory(prefix="fhe-verifier") as folder:
        numbers_in_slots.check_tool(Tool(program, folder), path, text, KEY_SEED)


def check_group(name, program):
    text = path_of(name).read_text()
    group = fmt.Group(text)
    if group.scheme == "she":
        check_numbers(name, program)
        return
    derived = derived_containers(group, text)
    check_vectors(name, vectors_of(Keys(*derived)))
    with tempfile.TemporaryDirectory(prefix="fhe-verifier") as folder:
        tool = Tool(program, folder)
        made = tool.keys("--params", name, "--test-seed", KEY_SEED)
        for file, own in zip(("public", "secret"), derived):
            sections = fmt.load(tool.folder / "keys" / f"{file}.fhe", f"{file} key").sections
            fmt.require(list(sections) == list(own.sections), f"sections of the {file} key")
            for section in list(sections)[1:]:
                fmt.require(sections[section] == own.sections[section],
                            f"section {section} of the {file} key of the test seed differs")
        made.secret.check_pair(made.public)
    with tempfile.TemporaryDirectory(prefix="fhe-verifier") as folder:
        tool = Tool(program, folder)
        made = tool.keys("--params", name)
        fmt.require(not made.container.test_key, "no mark of a test key")
        made.secret.check_pair(made.public)
        check_own_ciphertexts(tool, made, check_operations(tool, made))
        if made.group.scheme != "gh":
            check_owner(tool, made)
        if made.slots > 1:
            check_slots(tool, made)
        check_checkpoint(tool, made)


def check_ladder(name, program):
    """Rungs and ciphertexts of the library's modulus switching (write_ladder.cpp)."""
    group = fmt.Group(path_of(name).read_text())
    with tempfile.TemporaryDirectory(prefix="fhe-verifier") as folder:
        tool = Tool(program, folder)
        rungs = int(tool(name, *map(str, BITS)))
        keys = Keys(tool.load("0.public", "public key"), tool.load("0.secret", "secret key"))
        source, p, eta = keys.container.key_id, keys.secret.p, group.eta
        values, noise, _ = fmt.ciphertexts(tool.load("0.ciphertexts", "ciphertexts"))
        for i in range(1, rungs + 1):
            public = tool.load(f"{i}.public", "public key")
            rung = modulus_switch.Rung.read(group, public, tool.load(f"{i}.secret", "secret key"))
            key = modulus_switch.SwitchingKey.read(tool.load(f"{i}.switch", "switching key"),
                                                   source, public.key_id, rung)
            key.check(p)
            container = tool.load(f"{i}.ciphertexts", "ciphertexts")
            fmt.require(container.key_id == public.key_id, "switched ciphertexts of the rung")
            switched, claims, _ = fmt.ciphertexts(container)
            same("switched ciphertexts", [key.switch(gmpy2.mpz(c)) for c in values], switched)
            same("bits of switched ciphertexts", map(rung.decrypt, map(gmpy2.mpz, switched)), BITS)
            for c, old, claim in zip(switched, noise, claims):
                bound = key.noise_claim(gmpy2.exp2(gmpy2.mpfr(old) / 1024), eta)
                fmt.require(max(rung.noise(gmpy2.mpz(c)), 1) <= bound, "noise of a switch")
                # Three operations, each of which rounds up by at most two units.
                fmt.require(0 <= claim - 1024 * gmpy2.log2(bound) < 8, "noise claimed by a switch")
            source, p, eta, values, noise = public.key_id, rung.p, rung.eta, switched, claims


def write_vectors(name):
    text = path_of(name).read_text()
    group = fmt.Group(text)
    found = (numbers_in_slots.vectors_of(she.Group(group), KEY_SEED, ENCRYPTION_SEED)
             if group.scheme == "she" else vectors_of(Keys(*derived_containers(group, text))))
    path = HERE / "vectors" / f"{name}.json"
    path.write_text(json.dumps(found, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fhe", help="the command-line tool")
    parser.add_argument("--ladder", help="the program write_ladder: modulus switching alone")
    parser.add_argument("--write", action="store_true", help="make the golden vectors anew")
    parser.add_argument("groups", nargs="+")
    options = parser.parse_args()
    if not options.fhe and not options.ladder and not options.write:
        parser.error("--fhe is missing")
    for name in options.groups:
        start = time.monotonic()
        try:
            if options.write:
                write_vectors(name)
            elif options.ladder:
                check_ladder(name, options.ladder)
            else:
                check_group(name, options.fhe)
        except (fmt.FormatError, OSError, subprocess.SubprocessError) as error:
            print(f"verify.py: {name}: {error}", file=sys.stderr)
            return 1
        print(f"{name}: {time.monotonic() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
