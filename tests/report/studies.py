# SPDX-License-Identifier: Apache-2.0
"""Results of fhe-bench as it writes them, with numbers that tests can foresee."""

import copy


def record(operation, seconds, **more):
    return {"operation": operation, "seconds": seconds, "cpu_seconds": seconds, "peak_memory_bytes": 20_000_000, **more}


def run_of(group, backend, *records):
    return {
        "format": "fhe-bench 1",
        "machine": {"processor": "A processor", "cores": 2, "compiler": "gcc 12.2"},
        "date": "2026-11-20T10:00:00Z",
        "group": group,
        "backend": backend,
        "backend_description": f"{backend} described",
        "threads": 2,
        "results": list(records),
    }


FACTS = {
    "group": "cnt-toy",
    "scheme": "cnt",
    "modulus_bits": 147456,
    "public_key_bytes": 79100,
    "secret_key_bytes": 21100,
    "decrypt_limit_bits": 986,
    "refresh_limit_bits": 982,
    "noise": [
        {"start": "fresh", "steps": [{"depth": 0, "bound_bits": 970.25, "measured_bits": 965}, {"depth": 1, "bound_bits": 1940.5}]},
        {
            "start": "recrypted",
            "steps": [
                {"depth": 0, "bound_bits": 490, "measured_bits": 427.5},
                {"depth": 1, "bound_bits": 980, "measured_bits": 855},
                {"depth": 2, "bound_bits": 1960},
            ],
        },
    ],
}

# An adder on one worker, where it was run, and on so many that it was not.
SCALING = {
    "format": "fhe-bench scale 1",
    "params": "cnt-toy",
    "seconds": {"sum": 1e-6, "product": 1e-4, "recryption": 0.004},
    "circuits": [
        {
            "circuit": "adder",
            "recryptions": 1000,
            "seconds": 4,
            "chain_seconds": 0.25,
            "workers": [
                {"workers": 1, "scheduled_seconds": 4, "slept_seconds": 5, "moved_bytes": 0},
                {"workers": 32, "scheduled_seconds": 0.25, "slept_seconds": None, "moved_bytes": 2_000_000},
            ],
        }
    ],
}


# An encryption on hardware of the tree, by its law of clocks.
COMPUTED = {
    "module": "super_size_encrypt",
    "published": "128-point FFT multiplier, modulus 2^64 - 2^32 + 1",
    "group": "cnt-toy-paper",
    "operation": "encrypt_dense",
    "device_cycles": 110096,
    "device_hertz": 166.45e6,
}


def small_study():
    """Two backends on cnt-toy, products, what the keys are like, an adder on many workers, and computed clocks."""
    product = record("product_786432", 0.0002, device_cycles=41146, device_hertz=200e6)
    return copy.deepcopy(
        {
            "format": "fhe-bench report 1",
            "runs": [
                run_of("cnt-toy", "auto", record("keygen", 0.04), record("encrypt_dense", 0.0002)),
                run_of("cnt-toy", "ntl", record("keygen", 0.08), record("encrypt_dense", 0.0025)),
                run_of("engine", "auto", record("gmp_product_786432", 0.002), product),
            ],
            "groups": [FACTS],
            "scalings": [SCALING],
            "computed": [COMPUTED],
        }
    )


def with_small_group():
    study = small_study()
    study["runs"].append(run_of("gh-2048", "auto", record("recrypt", 0.21)))
    return study


def with_simulated_devices():
    study = small_study()
    for backend in ("fpga:sim", "fpga:model=super_size"):
        encrypt = record("encrypt_dense", 40, device_cycles=451606, device_hertz=161.276e6)
        study["runs"].append({**run_of("cnt-small", backend, encrypt), "threads": 1})
    return study


def hostile_study():
    """A study in which every name is markup."""
    name = "</td><script>alert('x')</script>|[a](b)\n\x01\"$x_{$"
    run = run_of(name, name, record("keygen", 1e-18), record(name, 1e18))
    run["machine"].update(processor=name, compiler=name)
    run.update(date=name, backend_description=name)
    products = run_of(
        "engine",
        name,
        record("product_0", 1),
        record("product_99999999999999999999999", 1),
        record("product_12x", 1),
        record("product_12", 1e-9),
    )
    noise = [{"start": name, "steps": []}, {"start": name, "steps": [{"depth": 0, "bound_bits": 1e18, "measured_bits": 0}]}]
    scaling = copy.deepcopy(SCALING)
    scaling["params"] = scaling["circuits"][0]["circuit"] = name
    facts = {**FACTS, "group": name, "scheme": name, "noise": noise}
    computed = {**COMPUTED, "module": name, "published": name, "group": name, "operation": name}
    return {
        "format": "fhe-bench report 1",
        "runs": [run, products],
        "groups": [facts],
        "scalings": [scaling],
        "computed": [computed],
    }
