# SPDX-License-Identifier: Apache-2.0
"""When a side of a channel waits."""

import random


def pauses(chance, seed):
    """True in clocks in which it waits: runs of a few clocks, with this chance to begin."""
    chooser = random.Random(seed)
    while True:
        if chooser.random() < chance:
            for _ in range(chooser.randint(1, 8)):
                yield True
        yield False


def pause(channels, chance, seed):
    """Makes all these channels of cocotbext-axi wait, each in clocks of its own."""
    for number, channel in enumerate(channels):
        channel.set_pause_generator(pauses(chance, seed + number))
