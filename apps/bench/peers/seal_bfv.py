#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers in slots beside BFV of Microsoft SEAL, on one thread of this machine in one run.

    seal_bfv.py --install FOLDER     makes a virtual environment there, with SEAL from PyPI, and runs in it
    seal_bfv.py                      runs with the SEAL of this Python (packages seal-python and numpy)

Times are those of the processor, each the mean of many calls. Rounds alternate between the two programs, and the best of
each operation counts: what else the machine does makes a round slower and none faster. SEAL computes n = 4096 numbers modulo 65537 with its default coefficient modulus for 128
bits. fhe computes 4096 numbers: modulo 65537, and of one bit.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time
import venv

PACKAGES = ("seal-python==4.4.0", "numpy")  # SEAL 4.4 behind pybind11, which takes vectors of numpy
DEGREE, PLAIN_MODULUS = 4096, 65537
GROUPS = ("she-128-d1-field", "she-128-d1")
BENCH = pathlib.Path(__file__).resolve().parents[3] / "build/release/apps/bench/fhe-bench"
# (what is shown, SEAL's operation, that of fhe-bench)
ROWS = (("make keys", "keys", "keygen"), ("encrypt", "encrypt", "encrypt"), ("add", "add", "add"),
        ("product", "product", "product"), ("product, as short again", "product_relinearised", None),
        ("decrypt", "decrypt", "decrypt"), ("decrypt a product", "decrypt_product", "decrypt_product"))


def install(folder):
    """Starts this program again with the Python of a virtual environment that has SEAL."""
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *PACKAGES],
                   check=True)
    arguments = [a for i, a in enumerate(sys.argv) if a != "--install" and sys.argv[i - 1] != "--install"]
    os.execv(python, [str(python), *arguments])


def mean_seconds(run, least=0.2):
    """Of one call, by calls for `least` seconds."""
    calls, start = 0, time.process_time()
    while True:
        run()
        calls += 1
        passed = time.process_time() - start
        if passed >= least:
            return passed / calls


class Seal:
    """Keys of SEAL and what is measured with them; results are compared with plain numbers first."""

    def __init__(self, seal, numpy):
        self.seal = seal
        parameters = seal.EncryptionParameters(seal.scheme_type.bfv)
        parameters.set_poly_modulus_degree(DEGREE)
        parameters.set_coeff_modulus(seal.CoeffModulus.BFVDefault(DEGREE))
        parameters.set_plain_modulus(PLAIN_MODULUS)
        self.context = seal.SEALContext(parameters)
        self.make_keys()
        encoder = seal.BatchEncoder(self.context)
        numbers = [[(7 * i + k) ** 2 % PLAIN_MODULUS for i in range(DEGREE)] for k in range(2)]
        self.plain = [encoder.encode(numpy.array(row, numpy.uint64)) for row in numbers]
        self.x, self.y = (self.encryptor.encrypt(plain) for plain in self.plain)
        self.product = self.evaluator.multiply(self.x, self.y)
        decrypted = [int(n) % PLAIN_MODULUS for n in encoder.decode(self.decryptor.decrypt(self.product))]
        if decrypted != [a * b % PLAIN_MODULUS for a, b in zip(*numbers)]:
            raise SystemExit("seal_bfv.py: SEAL computes another product than plain numbers")

    def make_keys(self):
        generator = self.seal.KeyGenerator(self.context)
        self.encryptor = self.seal.Encryptor(self.context, generator.create_public_key())
        self.decryptor = self.seal.Decryptor(self.context, generator.secret_key())
        self.evaluator = self.seal.Evaluator(self.context)
        self.relin_keys = generator.create_relin_keys()

    def relinearised(self):
        product = self.evaluator.multiply(self.x, self.y)
        self.evaluator.relinearize_inplace(product, self.relin_keys)

    def seconds(self):
        """Each operation on what __init__ made; the keys last, since they change everything."""
        runs = {"encrypt": lambda: self.encryptor.encrypt(self.plain[0]),
                "add": lambda: self.evaluator.add(self.x, self.y),
                "product": lambda: self.evaluator.multiply(self.x, self.y),
                "product_relinearised": self.relinearised,
                "decrypt": lambda: self.decryptor.decrypt(self.x),
                "decrypt_product": lambda: self.decryptor.decrypt(self.product)}
        return {name: mean_seconds(run) for name, run in runs.items()}


def fhe_seconds(bench, group):
    done = subprocess.run([bench, "--params", group, "--threads", "1", "--json", "-", "--min-time", "0.2"],
                          check=True, capture_output=True, text=True)
    run = json.loads(done.stdout)
    return {record["operation"]: record["cpu_seconds"] for record in run["results"]}


def keep_best(best, seconds):
    for name, value in seconds.items():
        best[name] = min(best.get(name, float("inf")), value)


def shown(seconds):
    if seconds is None:
        return "-"
    return f"{1e6 * seconds:.1f} us" if seconds < 1e-3 else f"{1e3 * seconds:.2f} ms"


def print_table(seal, ours):
    print(f"\n{'4096 numbers, one thread':<26}{'SEAL BFV':>12}" + "".join(f"{g:>20}" for g in ours))
    for label, theirs, own in ROWS:
        cells = "".join(f"{shown(times.get(own)):>20}" for times in ours.values())
        print(f"{label:<26}{shown(seal.get(theirs)):>12}{cells}")
    for group, times in ours.items():
        print(f"A product of {group} is {seal['product'] / times['product']:.1f} times as fast as SEAL's.")


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "an unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--install", type=pathlib.Path, metavar="FOLDER",
                        help="virtual environment for SEAL, made if it is not there")
    parser.add_argument("--fhe-bench", type=pathlib.Path, default=BENCH, metavar="FILE",
                        help="the program fhe-bench of a release build")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds of both programs (3)")
    options = parser.parse_args()
    if options.install:
        install(options.install)
    try:
        import numpy
        import seal
    except ImportError:
        parser.error(f"this Python has no SEAL: --install FOLDER, or pip install {' '.join(PACKAGES)}")
    if not options.fhe_bench.exists():
        parser.error(f"{options.fhe_bench} is not there: build it, or name it with --fhe-bench")

    print(f"SEAL {seal.__version__} (PyPI's {PACKAGES[0]}, stock build), "
          f"BFV n = {DEGREE}, modulo {PLAIN_MODULUS}\n{processor()}")
    peer, best, ours = Seal(seal, numpy), {}, {group: {} for group in GROUPS}
    for _ in range(options.rounds):
        keep_best(best, peer.seconds())
        for group, times in ours.items():
            keep_best(times, fhe_seconds(options.fhe_bench, group))
    keep_best(best, {"keys": mean_seconds(peer.make_keys)})
    print_table(best, ours)


main()
