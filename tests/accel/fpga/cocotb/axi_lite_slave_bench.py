# SPDX-License-Identifier: Apache-2.0
"""axi_lite_slave under the AXI-Lite master of cocotbext-axi, in front of registers that this bench keeps."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from pauses import pause

REGISTERS = 1024
CHANCES = (0, 0.1, 0.5)  # of a pause


class Registers:
    """The device behind the slave. What it reads is there in one clock only, and other bits before and after."""

    def __init__(self, dut):
        self.words = [random.getrandbits(32) for _ in range(REGISTERS)]
        self._dut = dut
        cocotb.start_soon(self._serve())

    async def _serve(self):
        while True:
            await RisingEdge(self._dut.clk)
            answer = random.getrandbits(32)
            if self._dut.read.value == 1:
                answer = self.words[self._index(self._dut.read_address)]
            if self._dut.write.value == 1:
                self.words[self._index(self._dut.write_address)] = self._dut.write_data.value.integer
            self._dut.read_data.value = answer

    @staticmethod
    def _index(address):
        assert address.value.integer % 4 == 0
        return address.value.integer // 4


async def start(dut, chance, seed):
    """The master and the registers, after a reset."""
    random.seed(seed)
    cocotb.start_soon(Clock(dut.clk, 5, "ns").start())
    master = AxiLiteMaster(AxiLiteBus.from_entity(dut), dut.clk, dut.reset)
    write, read = master.write_if, master.read_if
    pause((write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel), chance, seed)
    dut.read_data.value = 0
    dut.reset.value = 1
    await ClockCycles(dut.clk, 3)
    dut.reset.value = 0
    await ClockCycles(dut.clk, 1)
    return master, Registers(dut)


async def write_word(master, index, word):
    answer = await master.write(4 * index, word.to_bytes(4, "little"))
    assert answer.resp == AxiResp.OKAY


async def read_word(master, index):
    answer = await master.read(4 * index, 4)
    assert answer.resp == AxiResp.OKAY
    return int.from_bytes(answer.data, "little")


async def writes_and_reads(dut, chance, seed):
    """One access at a time, each a write that a read finds or a read of what there was."""
    master, registers = await start(dut, chance, seed)
    for _ in range(150):
        index, word = random.randrange(REGISTERS), random.getrandbits(32)
        if random.random() < 0.5:
            await write_word(master, index, word)
            assert registers.words[index] == word
        assert await read_word(master, index) == registers.words[index]


async def both_at_once(dut, chance, seed):
    """Writes to one half of the registers while the other half is read."""
    master, registers = await start(dut, chance, seed)
    expected = list(registers.words)

    async def write_all():
        for _ in range(150):
            index, word = random.randrange(REGISTERS // 2), random.getrandbits(32)
            expected[index] = word
            await write_word(master, index, word)

    async def read_all():
        for _ in range(150):
            index = random.randrange(REGISTERS // 2, REGISTERS)
            assert await read_word(master, index) == expected[index]

    await Combine(cocotb.start_soon(write_all()), cocotb.start_soon(read_all()))
    assert registers.words == expected


async def many_under_way(dut, chance, seed):
    """The master has all transactions in its queues at once."""
    master, registers = await start(dut, chance, seed)
    words = [random.getrandbits(32) for _ in range(64)]
    writes = [master.init_write(4 * index, word.to_bytes(4, "little")) for index, word in enumerate(words)]
    reads = [master.init_read(4 * index, 4) for index in range(REGISTERS - 64, REGISTERS)]
    for write in writes:
        await write.wait()
        assert write.data.resp == AxiResp.OKAY
    for index, read in enumerate(reads):
        await read.wait()
        assert int.from_bytes(read.data.data, "little") == registers.words[REGISTERS - 64 + index]
    assert registers.words[:64] == words


async def parts_of_words(dut, chance, seed):
    """A write of less than four bytes is refused and changes nothing."""
    master, registers = await start(dut, chance, seed)
    before = list(registers.words)
    for first in range(4):
        for last in range(first, 4):
            if (first, last) == (0, 3):
                continue
            index = random.randrange(REGISTERS)
            answer = await master.write(4 * index + first, bytes(last - first + 1))
            assert answer.resp == AxiResp.SLVERR
    assert registers.words == before


async def reset_under_way(dut, chance, seed):
    """A reset in any phase of a transaction; the next ones are as after the first."""
    master, registers = await start(dut, chance, seed)
    for phase in range(12):
        write = master.init_write(4 * phase, b"\0\0\0\0")
        read = master.init_read(4 * phase, 4)
        await ClockCycles(dut.clk, phase)
        dut.reset.value = 1
        await ClockCycles(dut.clk, 3)
        dut.reset.value = 0
        await ClockCycles(dut.clk, 2)
        del write, read  # the master drops what a reset ends
        word = random.getrandbits(32)
        await write_word(master, phase, word)
        assert await read_word(master, phase) == word


def tests_of(*scenarios):
    """A test for each scenario and chance of a pause."""
    for scenario in scenarios:
        for seed, chance in enumerate(CHANCES):

            async def run(dut, scenario=scenario, chance=chance, seed=seed):
                await scenario(dut, chance, seed)

            name = f"{scenario.__name__}_{round(100 * chance)}"
            run.__name__ = run.__qualname__ = name
            yield name, cocotb.test(timeout_time=1, timeout_unit="ms")(run)


globals().update(tests_of(writes_and_reads, both_at_once, many_under_way, parts_of_words, reset_under_way))
