# SPDX-License-Identifier: Apache-2.0
"""Containers, read and written as libfhe/storage/FORMAT.md says; every digest is checked."""

import hashlib
import struct
import tomllib
from dataclasses import dataclass, field

MAGIC = b"\x89FHE\r\n\x1a\n"
KINDS = {1: "public key", 2: "secret key", 3: "ciphertexts", 4: "checkpoint", 6: "switching key"}
GENERATOR = "aes128ctr-v1"


class FormatError(Exception):
    pass


def require(condition, what):
    if not condition:
        raise FormatError(what)


def sha256(data):
    return hashlib.sha256(data).digest()


def padded_text(data):
    text = data.rstrip(b"\0")
    require(0 < len(text) < len(data), "a text is empty or not terminated")
    require(all(0x20 <= byte <= 0x7E for byte in text), "a text is not printable ASCII")
    return text.decode("ascii")


def name_of_section(data):
    return padded_text(data + b"\0")


@dataclass
class Container:
    kind: int
    test_key: bool
    scheme: str
    group: str
    group_digest: bytes
    key_id: bytes
    sections: dict = field(default_factory=dict)

    @staticmethod
    def parse(data):
        result, end = Container.parse_first(data)
        require(end == len(data), "bytes after the last section")
        return result

    @staticmethod
    def parse_first(data):
        """The container that the bytes begin with, and where it ends."""
        require(data[:8] == MAGIC, "not a container")
        version, kind, flags = struct.unpack_from("<HHI", data, 8)
        require(version == 1, f"version {version}")
        count, reserved = struct.unpack_from("<II", data, 128)
        require(1 <= count <= 16, f"{count} sections")
        table_end = 136 + 48 * count
        require(sha256(data[:table_end]) == data[table_end:table_end + 32], "digest of the header")
        require(kind in KINDS and flags in (0, 1) and reserved == 0, "fields of the header")
        result = Container(kind, flags == 1, padded_text(data[16:32]), padded_text(data[32:64]),
                           data[64:96], data[96:128])
        at = table_end + 32
        for line in range(136, table_end, 48):
            name = name_of_section(data[line:line + 8])
            length = int.from_bytes(data[line + 8:line + 16], "little")
            contents = data[at:at + length]
            require(len(contents) == length, f"section {name} is cut")
            require(sha256(contents) == data[line + 16:line + 48], f"digest of section {name}")
            require(name not in result.sections, f"two sections {name}")
            result.sections[name] = contents
            at += length
        return result, at

    def table(self):
        return b"".join(name.encode().ljust(8, b"\0") + struct.pack("<Q", len(contents)) +
                        sha256(contents) for name, contents in self.sections.items())

    def to_bytes(self):
        header = (MAGIC + struct.pack("<HHI", 1, self.kind, int(self.test_key)) +
                  self.scheme.encode().ljust(16, b"\0") + self.group.encode().ljust(32, b"\0") +
                  self.group_digest + self.key_id + struct.pack("<II", len(self.sections), 0) +
                  self.table())
        return header + sha256(header) + b"".join(self.sections.values())

    def public_key_id(self):
        """The id of a public key: digest of the group, then the table without `params`."""
        lines = self.table()
        rest = [lines[i:i + 48] for i in range(0, len(lines), 48)
                if name_of_section(lines[i:i + 8]) != "params"]
        return sha256(self.group_digest + b"".join(rest))


def load(path, kind):
    with open(path, "rb") as file:
        result = Container.parse(file.read())
    require(KINDS[result.kind] == kind, f"{path} holds {KINDS[result.kind]}, not {kind}")
    return result


class Group:
    """A parameter group, from its TOML text."""

    def __init__(self, text):
        table = tomllib.loads(text)
        self.name, self.scheme = table["name"], table["scheme"]
        self.fields = {name: entry["value"] for name, entry in table.items()
                       if isinstance(entry, dict)}
        canonical = f"scheme = {self.scheme}\n" + "".join(
            f"{name} = {self.fields[name]}\n" for name in sorted(self.fields))
        self.digest = sha256(canonical.encode())

    def __getattr__(self, name):
        try:
            return self.fields[name.rstrip("_")]
        except KeyError:
            raise AttributeError(name) from None


def group_of(container):
    """The group of a key file, which must be the one that the header names."""
    group = Group(container.sections["params"].decode())
    require((group.name, group.scheme, group.digest) ==
            (container.group, container.scheme, container.group_digest), "another group's header")
    return group


# ---------------------------------------------------------------- contents of sections


def integer(data, bits):
    require(len(data) == (bits + 7) // 8, f"{len(data)} bytes for {bits} bits")
    value = int.from_bytes(data, "little")
    require(value.bit_length() <= bits, f"an integer of more than {bits} bits")
    return value


def integer_bytes(value, bits):
    return int(value).to_bytes((bits + 7) // 8, "little")


def integers(data, count, bits):
    """One after the other, each in whole bytes."""
    size = (bits + 7) // 8
    require(len(data) == count * size, "length of a list")
    return [integer(data[i:i + size], bits) for i in range(0, len(data), size)]


def packed(data, count, bits):
    whole = integer(data, count * bits)
    mask = (1 << bits) - 1
    return [whole >> (i * bits) & mask for i in range(count)]


def packed_bytes(values, bits):
    whole = 0
    for value in reversed(values):
        whole = whole << bits | int(value)
    return integer_bytes(whole, bits * len(values))


def seed_bytes(seed):
    return GENERATOR.encode().ljust(16, b"\0") + seed


def public_seed(data):
    require(len(data) == 32 and padded_text(data[:16]) == GENERATOR, "another generator")
    return data[16:]


def ciphertexts(container):
    """(values, noise bounds in units of 1/1024 bit, bits of the modulus)."""
    meta, values = container.sections["meta"], container.sections["values"]
    count, bits = struct.unpack_from("<QQ", meta)
    require(count >= 1 and len(meta) == 16 + 4 * count, "length of meta")
    noise = list(struct.unpack_from(f"<{count}I", meta, 16))
    require(max(noise) <= 1 << 31, "a noise bound past the greatest")
    return integers(values, count, bits), noise, bits


def compressed(container):
    """(seed, corrections, noise bound in units, bits of the modulus, bits of a correction)."""
    require(list(container.sections) == ["seeded", "delta"], "sections of compressed ciphertexts")
    seeded = container.sections["seeded"]
    require(len(seeded) == 60, "length of seeded")
    count, bits, correction_bits, noise = struct.unpack_from("<QQQI", seeded)
    require(count >= 1 and noise <= 1 << 31, "numbers of seeded")
    corrections = packed(container.sections["delta"], count, correction_bits)
    return public_seed(seeded[28:]), corrections, noise, bits, correction_bits


def compressed_container(key, seed, corrections, noise, bits, correction_bits):
    """A file of compressed ciphertexts of the key whose public container is given."""
    result = Container(3, key.test_key, key.scheme, key.group, key.group_digest, key.key_id)
    result.sections["seeded"] = struct.pack("<QQQI", len(corrections), bits, correction_bits,
                                            noise) + seed_bytes(seed)
    result.sections["delta"] = packed_bytes(corrections, correction_bits)
    return result


def load_checkpoint(path):
    """The containers of a checkpoint, up to the first one behind the first that is torn."""
    with open(path, "rb") as file:
        data = file.read()
    containers = []
    while data:
        try:
            result, end = Container.parse_first(data)
        except (FormatError, struct.error):
            require(containers, "the first container of a checkpoint is torn")
            break
        require(KINDS[result.kind] == "checkpoint", f"{path} holds {KINDS[result.kind]}")
        containers.append(result)
        data = data[end:]
    return containers


def ciphertext_container(key, values, noise, bits):
    """A file of ciphertexts of the key whose public container is given."""
    result = Container(3, key.test_key, key.scheme, key.group, key.group_digest, key.key_id)
    result.sections["meta"] = struct.pack(f"<QQ{len(values)}I", len(values), bits, *noise)
    result.sections["values"] = b"".join(integer_bytes(value, bits) for value in values)
    return result


def circuit_digest(facts):
    """Of the numbers and names that describe a circuit."""
    data = b""
    for fact in facts:
        name = fact.encode() if isinstance(fact, str) else None
        data += struct.pack("<Q", fact) if name is None else struct.pack("<Q", len(name)) + name
    return sha256(data)


def inputs_digest(values, noise):
    data = b""
    for value, units in zip(values, noise):
        words = (int(value).bit_length() + 63) // 64
        data += struct.pack("<QQ", words, units) + int(value).to_bytes(8 * words, "little")
    return sha256(data)


def checkpoint(container):
    """(digest of the circuit, digest of the inputs, {(wire, recrypted): value})."""
    run = container.sections["run"]
    values, _, _ = ciphertexts(container)
    require(len(run) == 64 + 4 * len(values), "length of run")
    names = struct.unpack_from(f"<{len(values)}I", run, 64)
    require(list(names) == sorted(set(names)), "names of values do not increase")
    return run[:32], run[32:64], {(n // 2, n % 2 == 1): v for n, v in zip(names, values)}
