# SPDX-License-Identifier: Apache-2.0
"""axi4_master with the AXI slave of cocotbext-axi as its memory, in clocks of any relation."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Combine, RisingEdge
from cocotbext.axi import AxiBus, AxiSlave
from pauses import pause

WORD = 64  # bytes
WORDS = 256  # that there are: what is beyond is answered with SLVERR
REQUESTS = 400
CLOCKS = ((6.0, 3.4), (3.4, 6.0), (5.0, 5.0))  # of the device and of the memory, in ns
CHANCES = (0, 0.4)  # of a pause of the memory


class Memory:
    """What the slave of cocotbext-axi asks; an exception is an error of that access."""

    def __init__(self):
        self.bytes = bytearray(random.randbytes(WORD * WORDS))

    async def read(self, address, length, **_):
        self._check(address, length)
        return bytes(self.bytes[address : address + length])

    async def write(self, address, data, **_):
        self._check(address, len(data))
        self.bytes[address : address + len(data)] = data

    def word(self, index):
        return int.from_bytes(self.bytes[WORD * index : WORD * (index + 1)], "little")

    def _check(self, address, length):
        if address + length > len(self.bytes):
            raise IndexError("no memory there")


async def keeps_requests(dut, channel, fields):
    """A request waits unchanged until it is taken: AXI allows nothing else."""
    valid, ready = (getattr(dut, f"m_axi_{channel}{side}") for side in ("valid", "ready"))
    waiting = None
    while True:
        await RisingEdge(dut.axi_clk)
        if dut.axi_reset.value != 0:
            continue
        now = None
        if valid.value == 1:
            now = tuple(getattr(dut, f"m_axi_{channel}{field}").value.integer for field in fields)
        assert waiting is None or now == waiting, f"{channel}: a request was changed or taken back"
        waiting = now if ready.value == 0 else None


async def start(dut, clocks, chance, seed):
    """The memory, after a reset."""
    random.seed(seed)
    for signal in (dut.read_valid, dut.write_valid):
        signal.value = 0
    dut.reset.value = dut.axi_reset.value = 1
    cocotb.start_soon(Clock(dut.clk, clocks[0], "ns").start())
    cocotb.start_soon(Clock(dut.axi_clk, clocks[1], "ns").start())
    memory = Memory()
    slave = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.axi_clk, dut.axi_reset, target=memory)
    write, read = slave.write_if, slave.read_if
    pause((write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel), chance, seed)
    await Combine(ClockCycles(dut.clk, 5), ClockCycles(dut.axi_clk, 5))
    dut.reset.value = dut.axi_reset.value = 0
    for channel, fields in (("ar", ("addr", "len")), ("aw", ("addr", "len")), ("w", ("data", "strb", "last"))):
        cocotb.start_soon(keeps_requests(dut, channel, fields))
    return memory


async def ask(dut, port, requests, on_taken):
    """Puts (address, data) to a port; now and then it takes one back that has not been taken, as a soft reset does."""
    valid, ready, address = (getattr(dut, f"{port}_{name}") for name in ("valid", "ready", "address"))
    requests = deque(requests)
    while requests:
        valid.value = int(random.random() < 0.8)
        address.value = requests[0][0]
        if port == "write":
            dut.write_data.value = requests[0][1]
        await RisingEdge(dut.clk)
        if valid.value == 1 and ready.value == 1:
            on_taken(*requests.popleft())
    valid.value = 0


async def answers(dut, valid, count, on_answer):
    """Calls on_answer() in each clock with an answer, `count` times."""
    while count > 0:
        await RisingEdge(dut.clk)
        if valid.value == 1:
            on_answer()
            count -= 1


async def reads_and_writes(dut, clocks, chance, seed):
    """Reads of the lower half of the memory and beyond its end, writes to the upper half and beyond."""
    memory = await start(dut, clocks, chance, seed)
    final = bytearray(memory.bytes)
    expected_reads, expected_writes = deque(), deque()

    def some_index(first, count):
        return random.choice((first + random.randrange(count), WORDS + random.randrange(4)))

    def read_taken(address, _):
        expected_reads.append(address // WORD)

    def write_taken(address, data):
        expected_writes.append(address // WORD)
        if address < len(final):
            final[address : address + WORD] = data.to_bytes(WORD, "little")

    def read_answered():
        index = expected_reads.popleft()
        assert dut.response_error.value == int(index >= WORDS)
        if index < WORDS:
            assert dut.response_data.value.integer == memory.word(index)

    def write_answered():
        assert dut.written_error.value == int(expected_writes.popleft() >= WORDS)

    reads = [(WORD * some_index(0, WORDS // 2), None) for _ in range(REQUESTS)]
    writes = [(WORD * some_index(WORDS // 2, WORDS // 2), random.getrandbits(8 * WORD)) for _ in range(REQUESTS)]
    await Combine(
        cocotb.start_soon(ask(dut, "read", reads, read_taken)),
        cocotb.start_soon(ask(dut, "write", writes, write_taken)),
        cocotb.start_soon(answers(dut, dut.response_valid, REQUESTS, read_answered)),
        cocotb.start_soon(answers(dut, dut.written_valid, REQUESTS, write_answered)),
    )
    assert memory.bytes == final
    for _ in range(50):  # nothing comes after the last one
        await RisingEdge(dut.clk)
        assert dut.response_valid.value == 0 and dut.written_valid.value == 0


def tests_of(scenario):
    """A test for each relation of the clocks and chance of a pause."""
    for number, clocks in enumerate(CLOCKS):
        for chance in CHANCES:

            async def run(dut, clocks=clocks, chance=chance, seed=number):
                await scenario(dut, clocks, chance, seed)

            name = f"{scenario.__name__}_{clocks[0]}_{clocks[1]}_{round(100 * chance)}".replace(".", "p")
            run.__name__ = run.__qualname__ = name
            yield name, cocotb.test(timeout_time=1, timeout_unit="ms")(run)


globals().update(tests_of(reads_and_writes))
