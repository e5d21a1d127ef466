#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How busy fhe.RayExecutor keeps the workers of a Ray cluster: with parts that sleep as long as they would take and give as many
bytes, so that a machine of few cores can try many workers. As `fhe-bench scale` does for the threads of a machine.

    PYTHONPATH=build/release/apps/python apps/bench/ray_scale.py [--workers 4] [--sizes toy,small,medium,large] [--seconds 20]
"""

import argparse
import time

import numpy as np
import ray

import fhe

# What a recryption of the CNT groups takes on one core, in seconds, and the bytes of a ciphertext.
_SIZES = {"toy": (0.004, 18_432), "small": (0.030, 105_380), "medium": (0.25, 531_484), "large": (2.3, 2_447_000)}


def _sleeping(recryption_seconds, value_bytes):
    """An executor whose parts compute nothing."""

    class Sleeping(fhe.RayExecutor):
        parts_done = 0
        outputs = None  # of the right number, and otherwise nothing

        @staticmethod
        def work(evaluator, program, part, *given):
            start = time.perf_counter()
            assert all(len(each) > 0 for each in given)
            time.sleep(max(0.0, part.recryptions * recryption_seconds - (time.perf_counter() - start)))
            return np.zeros(len(part.gives) * value_bytes, np.uint8)

        def recryption_seconds(self, evaluator):
            return recryption_seconds

        def _outputs(self, run, names):
            self.parts_done += run.parts
            return self.outputs

    return Sleeping


def _program(keys, recryptions):
    """Numbers multiplied two by two, about so many recryptions in all."""
    for numbers in range(1, 1000):
        circuit = fhe.circuit(fhe.Uint(6)[numbers], fhe.Uint(6)[numbers])(lambda x, y: x * y)
        program = circuit.compile(keys)
        if program.cost()["recryptions"] >= recryptions:
            return circuit, program
    raise ValueError("too many")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=4, choices=(4, 16, 64))
    parser.add_argument("--sizes", default="toy,small,medium,large")
    parser.add_argument("--seconds", type=float, default=20, help="of work by one worker, for each size; at least 8 recryptions")
    arguments = parser.parse_args()
    keys = fhe.keygen("cnt-mini")
    ray.init(num_cpus=arguments.workers, include_dashboard=False, log_to_driver=False)
    print(f"{'size':>8} {'recryptions':>12} {'parts':>6} {'ideal s':>8} {'list s':>8} {'ray s':>8} {'of ideal':>9} {'of list':>8}")
    for size in arguments.sizes.split(","):
        seconds, value_bytes = _SIZES[size]
        circuit, program = _program(keys, max(8 * arguments.workers, arguments.seconds / seconds))
        cost = program.cost()
        executor = _sleeping(seconds, value_bytes)(workers=arguments.workers)
        x = keys.encrypt(np.zeros(circuit.inputs["x"].shape, np.uint8), fhe.Uint(6))
        executor.outputs = x.ciphertexts
        taken = []
        for _ in range(2):  # the first run also starts the workers
            start = time.perf_counter()
            program.run(keys, x, x, executor=executor)
            taken.append(time.perf_counter() - start)
        work = cost["work_in_recryptions"] * seconds
        ideal, listed, slept = work / arguments.workers, work / cost["speedup"][arguments.workers], min(taken)
        print(
            f"{size:>8} {cost['recryptions']:>12} {executor.parts_done // 2:>6} {ideal:>8.2f} {listed:>8.2f} {slept:>8.2f} "
            f"{ideal / slept:>9.1%} {listed / slept:>8.1%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
