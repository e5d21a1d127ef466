# SPDX-License-Identifier: Apache-2.0
"""The list of faults, and how they are planted into a source as switches."""

import dataclasses
import pathlib
import re
import tomllib
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent / "faults"
SWITCH = '#include "tests/mutants/switch.hpp"\n'
KEYS = {"id", "file", "old", "new", "within", "type", "means", "tests", "accepted"}


class ListError(Exception):
    """An entry that cannot be planted as it stands."""


@dataclasses.dataclass(frozen=True)
class Fault:
    id: str
    file: str
    old: str
    new: str
    means: str
    tests: tuple[str, ...]  # those of its room come after them
    within: str = ""  # a text around `old`, where that is there more than once
    type: str = ""  # of both expressions, where they differ
    accepted: str = ""  # why it may survive

    @property
    def number(self) -> int:
        """Stays the same whatever other faults there are, so that little is compiled again."""
        return zlib.crc32(self.id.encode()) >> 1

    def is_statement(self) -> bool:
        return self.old.rstrip().endswith((";", "}"))

    def switched(self, otherwise: str) -> str:
        """The text that has this fault under its number and `otherwise` under all others."""
        is_chosen = f"fhe_mutant({self.number})"
        if self.is_statement():
            return f"if ({is_chosen}) {{ {self.new} }} else {{ {otherwise} }}"
        return f"({is_chosen} ? {self.type}({self.new}) : {self.type}({otherwise}))"


def fault_of(entry: dict, room: list[str]) -> Fault:
    try:
        if unknown := entry.keys() - KEYS:
            raise ListError(f"unknown keys {', '.join(sorted(unknown))}")
        tests = [*entry.get("tests", []), *room]
        return Fault(**{**entry, "tests": tuple(dict.fromkeys(tests))})
    except (ListError, TypeError) as error:
        raise ListError(f"{entry.get('id', 'an entry without id')}: {error}") from None


def all_faults() -> list[Fault]:
    """Those of all rooms, in the order of their files."""
    faults = []
    for path in sorted(FOLDER.glob("*.toml")):
        room = tomllib.loads(path.read_text())
        faults += [fault_of(entry, room["tests"]) for entry in room["fault"]]
    numbers = [fault.number for fault in faults]
    if twice := [fault.id for fault in faults if numbers.count(fault.number) > 1]:
        raise ListError(f"these need other ids, since two have one number: {', '.join(twice)}")
    return faults


def only_place(text: str, part: str, what: str) -> int:
    if (count := text.count(part)) != 1:
        raise ListError(f"{what} is there {count} times and not once: mend the entry")
    return text.index(part)


def refuse_what_is_no_switch(text: str, begin: int, fault: Fault) -> None:
    before = text[text.rfind("\n", 0, begin) + 1 : begin]
    if re.search(r"\b(constexpr|static_assert|case|template)\b|^\s*#", before + fault.old):
        raise ListError("it is not computed at run time")
    if fault.is_statement() and re.match(r"(const|auto|static|std::\w+<.*> \w+[;({])", fault.old):
        raise ListError("the name that it declares would be gone after the switch")


def place_of(text: str, fault: Fault) -> tuple[int, int]:
    """Begin and end of the old text."""
    try:
        around = fault.within or text
        start = only_place(text, around, "the text `within`")
        begin = start + only_place(around, fault.old, "the text `old`")
        refuse_what_is_no_switch(text, begin, fault)
    except ListError as error:
        raise ListError(f"{fault.id}, {fault.file}: {error}") from None
    return begin, begin + len(fault.old)


def by_file(faults: list[Fault]) -> dict[str, list[Fault]]:
    files: dict[str, list[Fault]] = {}
    for fault in faults:
        files.setdefault(fault.file, []).append(fault)
    return files


def planted(text: str, faults: list[Fault]) -> str:
    """The source with its faults. Those of one place share it."""
    places: dict[tuple[int, int], str] = {}
    for fault in faults:
        place = place_of(text, fault)
        places[place] = fault.switched(places.get(place, fault.old))
    limit = len(text)
    for (begin, end), switch in sorted(places.items(), reverse=True):
        if end > limit:
            raise ListError(f"two places overlap: {text[begin:end]}")
        text = text[:begin] + switch + text[end:]
        limit = begin
    first_line = text.index("\n") + 1
    return text[:first_line] + SWITCH + text[first_line:]
