# SPDX-License-Identifier: Apache-2.0
"""What takes the place of a card's clocks, PCIe and DRAM in a simulation of the shell.

The transaction layer of PCIe is at the ports of the top module, as LitePCIe's PHYs give it to the endpoint: beats of 128
bits, and messages of interrupts. DRAM is LiteDRAM's model of the chips behind its DFI.
"""

from litedram import modules
from litedram.phy.model import SDRAMPHYModel
from litepcie.common import get_bar_mask, msi_layout, phy_layout
from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import ClockDomain, ClockSignal, ResetSignal, Signal

from shell import BAR0_BYTES

PCIE_BITS = 128

PORTS = [
    ("sys_clk", 0, Pins(1)),
    ("device_clk", 0, Pins(1)),
    ("reset", 0, Pins(1)),
    (
        "pcie",
        0,
        *(
            Subsignal(f"{side}_{name}", Pins(bits))
            for side in ("rx", "tx")
            for name, bits in (("valid", 1), ("ready", 1), ("first", 1), ("last", 1), ("dat", 128), ("be", 16))
        ),
        Subsignal("msi_valid", Pins(1)),
        Subsignal("msi_ready", Pins(1)),
        Subsignal("max_request", Pins(16)),
        Subsignal("max_payload", Pins(16)),
    ),
]


class Platform(SimPlatform):
    def __init__(self):
        SimPlatform.__init__(self, "SIM", PORTS)

    def add_false_path_constraints(self, *_):
        """There is no timing in a simulation."""


class Clocks(LiteXModule):
    """sys and device from ports; a reset of sys, from which the shell makes that of the device."""

    def __init__(self, platform):
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_device = ClockDomain()
        self.comb += [
            self.cd_sys.clk.eq(platform.request("sys_clk")),
            self.cd_sys.rst.eq(platform.request("reset") | self.rst),
            self.cd_device.clk.eq(platform.request("device_clk")),
        ]


class Pcie(LiteXModule):
    """A PHY whose link partner is at the ports: rx to the card, tx from it."""

    endianness = "big"
    qword_aligned = False

    def __init__(self, pads):
        self.data_width = PCIE_BITS
        self.sink = stream.Endpoint(phy_layout(PCIE_BITS))
        self.source = stream.Endpoint(phy_layout(PCIE_BITS))
        self.msi = stream.Endpoint(msi_layout())
        self.bar0_mask = get_bar_mask(BAR0_BYTES)
        self.id = Signal(16, reset=0x0100)  # bus 1, device 0, function 0
        self.max_request_size = Signal(16)
        self.max_payload_size = Signal(16)
        self.cd_pcie = ClockDomain()
        self.comb += [
            self.cd_pcie.clk.eq(ClockSignal("sys")),
            self.cd_pcie.rst.eq(ResetSignal("sys")),
            self.max_request_size.eq(pads.max_request),
            self.max_payload_size.eq(pads.max_payload),
            pads.msi_valid.eq(self.msi.valid),
            self.msi.ready.eq(pads.msi_ready),
            pads.rx_ready.eq(self.source.ready),
            self.sink.ready.eq(pads.tx_ready),
        ]
        for name in ("valid", "first", "last", "dat", "be"):
            self.comb += [
                getattr(self.source, name).eq(getattr(pads, f"rx_{name}")),
                getattr(pads, f"tx_{name}").eq(getattr(self.sink, name)),
            ]


class SmallModule(modules.MT41K512M16):
    """The chip of the card with few rows: 32 MiB in place of 1 GiB."""

    nrows = 2048


def dram(sys_clk_freq):
    """The chip and the model of its PHY: 16 bits at four times sys, 128 bits a clock."""
    module = SmallModule(sys_clk_freq, "1:4")
    return module, SDRAMPHYModel(module, data_width=16, clk_freq=sys_clk_freq)
