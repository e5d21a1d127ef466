# SPDX-License-Identifier: Apache-2.0
"""The shell around fhe_device on a card with PCIe and DRAM, made of LiteX, LitePCIe and LiteDRAM.

BAR0 has the registers of the shell at 0 and those of the device at DEVICE_REGISTERS. Clocks: "sys" of the DRAM
controller, of PCIe's user side and of the buses, "device" of fhe_device. acorn.py has the card, simulated.py what
takes the place of its parts.
"""

import pathlib

from litedram.frontend.axi import LiteDRAMAXI2Native
from litedram.frontend.dma import LiteDRAMDMAReader, LiteDRAMDMAWriter
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr import CSRStatus
from migen import ClockSignal, If, Instance, ResetSignal, Signal, bits_for
from migen.genlib.cdc import MultiReg
from migen.genlib.resetsync import AsyncResetSynchronizer

RTL = pathlib.Path(__file__).resolve().parents[1] / "rtl"

WORD_BITS = 512  # of the memory ports of fhe_device
BAR0_BYTES = 0x20000
DEVICE_REGISTERS = 0x10000  # in BAR0
REGISTERS_BYTES = 0x1000
MEMORY_BASE = 0x40000000  # of DRAM, for the device and for the processor that trains it
CSR_BASE = 0xF0000000  # what address 0 of BAR0 is on the bus
RESET_CLOCKS = 64  # of sys: more than the three of the slower side that axi4_master asks for

# The engines that an XC7A200T has room for: README.md has the count.
DEVICE_PARAMETERS = {"MUL768": 0, "STREAM768": 0, "LHW": 1, "SERIAL_LOG2_POINTS": 8, "ELEMENTS": 0}


def rtl_sources():
    """The sources of the hardware: what fhe_rtl.f lists."""
    lines = (RTL / "fhe_rtl.f").read_text().splitlines()
    return [RTL / line for line in lines if line.endswith(".sv")]


class Device(LiteXModule):
    """fhe_device and its AXI4 master in the clock "device", with everything that leaves in "sys".

    bus: AXI-Lite, registers. memory: AXI4, words of 512 bits. irq: level.
    """

    def __init__(self, memory_bytes, rom_dir, parameters):
        self.bus = bus = axi.AXILiteInterface(data_width=32, address_width=32)
        self.memory = memory = axi.AXIInterface(data_width=WORD_BITS, address_width=32, id_width=1)
        self.irq = Signal()
        self.reset = Signal()  # of both sides of axi4_master, in sys

        inside = axi.AXILiteInterface(data_width=32, address_width=32, clock_domain="device")
        self.crossing = axi.AXILiteClockDomainCrossing(bus, inside, cd_from="sys", cd_to="device")

        irq = Signal()
        self.specials += MultiReg(irq, self.irq, "sys")

        ports = {
            "o_read_valid": Signal(),
            "i_read_ready": Signal(),
            "o_read_address": Signal(64),
            "i_response_valid": Signal(),
            "i_response_data": Signal(WORD_BITS),
            "i_response_error": Signal(),
            "o_write_valid": Signal(),
            "i_write_ready": Signal(),
            "o_write_address": Signal(64),
            "o_write_data": Signal(WORD_BITS),
            "i_written_valid": Signal(),
            "i_written_error": Signal(),
        }
        other_side = {("i" if name[0] == "o" else "o") + name[1:]: signal for name, signal in ports.items()}

        self.specials += Instance(
            "fhe_device",
            **{f"p_{name}": value for name, value in parameters.items()},
            p_ROM_DIR=rom_dir,
            i_clk=ClockSignal("device"),
            i_reset=ResetSignal("device"),
            i_memory_base=MEMORY_BASE,
            i_memory_size=memory_bytes,
            i_s_axi_awvalid=inside.aw.valid,
            o_s_axi_awready=inside.aw.ready,
            i_s_axi_awaddr=inside.aw.addr[:12],
            i_s_axi_awprot=inside.aw.prot,
            i_s_axi_wvalid=inside.w.valid,
            o_s_axi_wready=inside.w.ready,
            i_s_axi_wdata=inside.w.data,
            i_s_axi_wstrb=inside.w.strb,
            o_s_axi_bvalid=inside.b.valid,
            i_s_axi_bready=inside.b.ready,
            o_s_axi_bresp=inside.b.resp,
            i_s_axi_arvalid=inside.ar.valid,
            o_s_axi_arready=inside.ar.ready,
            i_s_axi_araddr=inside.ar.addr[:12],
            i_s_axi_arprot=inside.ar.prot,
            o_s_axi_rvalid=inside.r.valid,
            i_s_axi_rready=inside.r.ready,
            o_s_axi_rdata=inside.r.data,
            o_s_axi_rresp=inside.r.resp,
            o_irq=irq,
            **ports,
        )

        addresses = {"ar": Signal(64), "aw": Signal(64)}
        self.comb += [getattr(memory, channel).addr.eq(address) for channel, address in addresses.items()]
        requests = {}
        for channel, address in addresses.items():
            stream = getattr(memory, channel)
            requests |= {
                f"o_m_axi_{channel}valid": stream.valid,
                f"i_m_axi_{channel}ready": stream.ready,
                f"o_m_axi_{channel}addr": address,
                f"o_m_axi_{channel}len": stream.len,
                f"o_m_axi_{channel}size": stream.size,
                f"o_m_axi_{channel}burst": stream.burst,
                f"o_m_axi_{channel}cache": stream.cache,
                f"o_m_axi_{channel}prot": stream.prot,
                f"o_m_axi_{channel}id": stream.id,
            }
        self.specials += Instance(
            "axi4_master",
            i_clk=ClockSignal("device"),
            i_reset=ResetSignal("device"),
            i_axi_clk=ClockSignal("sys"),
            i_axi_reset=self.reset,
            **other_side,
            **requests,
            i_m_axi_rvalid=memory.r.valid,
            o_m_axi_rready=memory.r.ready,
            i_m_axi_rdata=memory.r.data,
            i_m_axi_rresp=memory.r.resp,
            i_m_axi_rlast=memory.r.last,
            i_m_axi_rid=memory.r.id,
            o_m_axi_wvalid=memory.w.valid,
            i_m_axi_wready=memory.w.ready,
            o_m_axi_wdata=memory.w.data,
            o_m_axi_wstrb=memory.w.strb,
            o_m_axi_wlast=memory.w.last,
            i_m_axi_bvalid=memory.b.valid,
            o_m_axi_bready=memory.b.ready,
            i_m_axi_bresp=memory.b.resp,
            i_m_axi_bid=memory.b.id,
        )


class CardMemory(LiteXModule):
    """Streams of the PCIe DMA to and from DRAM.

    Registers of `put` and `get`: base (address on the card), length (bytes, a multiple of 16), enable, done. A get is
    enabled after the DMA that takes its words; a put before, and it has ended when it is done and `unwritten` is 0: then
    the device reads what was put. While a put is not enabled, it swallows what comes.
    """

    def __init__(self, put_port, get_port, dma):
        self.put = LiteDRAMDMAWriter(put_port, with_csr=True)
        self.get = LiteDRAMDMAReader(get_port, fifo_depth=32, with_csr=True)
        self.unwritten = CSRStatus(bits_for(16), description="Words of a put that DRAM has not taken yet.")
        self.comb += [
            dma.source.connect(self.put.sink),
            self.get.source.connect(dma.sink),
            self.unwritten.status.eq(self.put.fifo.level),
        ]


class Shell(SoCCore):
    """All of it. `pcie` and `dram` are PHYs, `dram_module` is a module of litedram.modules.

    The card sends an interrupt when that of the device rises, and again if it is still up when the host writes to the
    register pcie_msi_clear: so the host may clear, look at the device and wait, and misses nothing.
    """

    mem_map = {**SoCCore.mem_map, "csr": CSR_BASE, "main_ram": MEMORY_BASE}
    # Places of registers, in units of 2 KiB: what drivers know does not move when something else is added.
    csr_map = {"ctrl": 0, "card_memory": 1, "pcie_dma0": 2, "pcie_msi": 3}

    def __init__(self, platform, sys_clk_freq, pcie, dram, dram_module, rom_dir, parameters, **kwargs):
        SoCCore.__init__(self, platform, sys_clk_freq, ident_version=False, **kwargs)
        self.mem_map["csr"] = CSR_BASE

        self.ddrphy = dram  # the name by which the BIOS finds what it trains
        self.add_sdram(
            "sdram", phy=dram, module=dram_module, with_soc_interconnect=self.cpu_type is not None, l2_cache_size=2048
        )
        geometry = dram_module.geom_settings
        memory_bytes = 2 ** (geometry.bankbits + geometry.rowbits + geometry.colbits) * dram.settings.databits // 8

        self.device = Device(memory_bytes, rom_dir, parameters)
        self.submodules += LiteDRAMAXI2Native(
            self.device.memory, self.sdram.crossbar.get_port(data_width=WORD_BITS), base_address=MEMORY_BASE
        )
        self.bus.add_slave(
            "device",
            self.device.bus,
            SoCRegion(origin=CSR_BASE + DEVICE_REGISTERS, size=REGISTERS_BYTES, cached=False),
        )
        self._hold_reset()

        interrupt = Signal()
        self.pcie_phy = pcie
        self.add_pcie(phy=pcie, ndmas=1, address_width=64, msis={"DEVICE": interrupt})
        self.card_memory = CardMemory(
            self.sdram.crossbar.get_port(mode="write", data_width=pcie.data_width),
            self.sdram.crossbar.get_port(mode="read", data_width=pcie.data_width),
            self.pcie_dma0,
        )

        seen = Signal()
        self.comb += interrupt.eq(self.device.irq & ~seen)
        self.sync += seen.eq(self.device.irq & ~self.pcie_msi.clear.re)

    def _hold_reset(self):
        """Keeps both sides of the device in reset for RESET_CLOCKS clocks after that of sys."""
        left = Signal(max=RESET_CLOCKS + 1, reset=RESET_CLOCKS)
        hold = Signal(reset=1)
        self.sync += [If(left != 0, left.eq(left - 1)), hold.eq(left != 0)]
        self.comb += self.device.reset.eq(hold)
        self.specials += AsyncResetSynchronizer(self.crg.cd_device, hold)
