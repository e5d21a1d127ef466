#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the shell for the SQRL Acorn CLE-215+: XC7A200T, 1 GiB of DDR3, PCIe Gen2 x4, M.2.

No vendor's tool has seen what it makes. Called by run.sh; README.md says what is in the folder then.
"""

import argparse
import pathlib
import sys

from litedram.modules import MT41K512M16
from litedram.phy.s7ddrphy import A7DDRPHY
from litepcie.phy.s7pciephy import S7PCIEPHY
from litepcie.software import generate_litepcie_software
from litex.gen import LiteXModule
from litex.soc.cores.clock import S7IDELAYCTRL, S7PLL
from litex.soc.integration.builder import Builder
from litex.soc.integration.export import get_csr_header
from litex_boards.platforms import sqrl_acorn
from migen import ClockDomain, Signal

import simulated
from shell import BAR0_BYTES, DEVICE_PARAMETERS, DEVICE_REGISTERS, RTL, Shell, rtl_sources

HERE = pathlib.Path(__file__).resolve().parent
NAME = "fhe_acorn"
SYS_CLOCK = 100e6
DEVICE_CLOCK = 50e6  # a guess: nothing of this was placed on this part


def device_sources():
    """Those of the hardware, with the clock gate of a card."""
    return [HERE / "clock_gate.sv", *(source for source in rtl_sources() if source.name != "clock_gate.sv")]


class Clocks(LiteXModule):
    """sys, the clocks of DDR3's PHY and that of the device, from one PLL. Only what enters it is constrained: that sys
    and device are related keeps the constraints of async_fifo in force."""

    def __init__(self, platform):
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_sys4x = ClockDomain()
        self.cd_sys4x_dqs = ClockDomain()
        self.cd_idelay = ClockDomain()
        self.cd_device = ClockDomain()  # reset by the shell
        self.pll = S7PLL(speedgrade=-3)
        self.comb += self.pll.reset.eq(self.rst)
        self.pll.register_clkin(platform.request("clk200"), 200e6)
        self.pll.create_clkout(self.cd_sys, SYS_CLOCK)
        self.pll.create_clkout(self.cd_sys4x, 4 * SYS_CLOCK)
        self.pll.create_clkout(self.cd_sys4x_dqs, 4 * SYS_CLOCK, phase=90)
        self.pll.create_clkout(self.cd_idelay, 200e6)
        self.pll.create_clkout(self.cd_device, DEVICE_CLOCK, with_reset=False)
        self.idelayctrl = S7IDELAYCTRL(self.cd_idelay)


class Card(Shell):
    """The shell on the card. A small processor trains DDR3 after power-up, by the BIOS of LiteX, and then rests; its
    console can be reached over PCIe (the crossover UART)."""

    def __init__(self, rom_dir):
        platform = sqrl_acorn.Platform(variant="cle-215+")
        for source in device_sources():
            platform.add_source(str(source), "systemverilog")
        platform.add_verilog_include_path(str(RTL))
        queues = RTL / "board" / "constraints.xdc"
        platform.toolchain.pre_synthesis_commands += [f"read_xdc -ref async_fifo {{{{{queues}}}}}"]

        self.crg = Clocks(platform)
        self.comb += platform.request("pcie_clkreq_n").eq(0)
        Shell.__init__(
            self,
            platform,
            SYS_CLOCK,
            pcie=S7PCIEPHY(platform, platform.request("pcie_x4"), data_width=128, bar0_size=BAR0_BYTES),
            dram=A7DDRPHY(
                platform.request("ddram"),
                memtype="DDR3",
                nphases=4,
                sys_clk_freq=SYS_CLOCK,
                iodelay_clk_freq=200e6,
            ),
            dram_module=MT41K512M16(SYS_CLOCK, "1:4"),
            rom_dir=rom_dir,
            parameters=DEVICE_PARAMETERS,
            cpu_type="vexriscv",
            cpu_variant="lite",
            integrated_rom_size=0x10000,
            uart_name="crossover",
            ident="fhe",
        )


class SimulatedCard(Shell):
    """The shell with the PHYs' stand-ins and without the processor: a model of DRAM needs no training."""

    def __init__(self, rom_dir):
        platform = simulated.Platform()
        self.crg = simulated.Clocks(platform)
        module, dram = simulated.dram(SYS_CLOCK)
        Shell.__init__(
            self,
            platform,
            SYS_CLOCK,
            pcie=simulated.Pcie(platform.request("pcie")),
            dram=dram,
            dram_module=module,
            rom_dir=rom_dir,
            parameters={**DEVICE_PARAMETERS, "SIMULATED": 1},
            cpu_type=None,
            integrated_sram_size=0,
            with_uart=False,
            with_timer=False,
        )


def card_header(card):
    """For C: the registers of the shell by their place in BAR0, that of the device's, and the bit of its interrupt."""
    registers = get_csr_header(card.csr_regions, card.constants, csr_base=0, with_access_functions=False)
    interrupt = card.constants["DEVICE_INTERRUPT"]
    return f"{registers}\n#define DEVICE_REGISTERS {DEVICE_REGISTERS:#x}\n#define DEVICE_INTERRUPT {interrupt}\n"


def endpoint_box(pcie):
    """The vendor's PCIe endpoint, empty: the ports that LitePCIe connects."""
    sides = {"i": "input", "o": "output"}
    ports = []
    for name, value in pcie.pcie_phy_params.items():
        width = len(value) if isinstance(value, Signal) else 1
        ports.append(f"    {sides[name[0]]} [{width - 1}:0] {name[2:]}")
    return "(* blackbox *)\nmodule pcie_s7 (\n" + ",\n".join(ports) + "\n);\nendmodule\n"


def write_file_list(folder, others):
    """What a simulator or a linter reads, in NAME.f."""
    sources = [f"+incdir+{RTL}", *map(str, device_sources()), *others]
    (folder / f"{NAME}.f").write_text("\n".join(map(str, sources)) + "\n")


def write_simulation(folder, rom_dir):
    card = SimulatedCard(rom_dir)
    card.finalize()
    card.platform.get_verilog(card, name=NAME).write(str(folder / f"{NAME}.v"))
    write_file_list(folder, [folder / f"{NAME}.v"])
    (folder / "card.h").write_text(card_header(card))


def write_card(folder, rom_dir, with_bios, run):
    card = Card(rom_dir)
    builder = Builder(card, output_dir=str(folder), compile_software=with_bios, compile_gateware=run)
    builder.build(build_name=NAME)
    gateware = folder / "gateware"
    (gateware / "pcie_s7.v").write_text(endpoint_box(card.pcie_phy))
    mine = set(map(str, device_sources()))
    others = [source for source, *_ in card.platform.sources if source not in mine]
    write_file_list(folder, [*others, gateware / "pcie_s7.v"])
    (folder / "card.h").write_text(card_header(card))
    generate_litepcie_software(card, str(folder / "driver"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="for what is made")
    parser.add_argument("--roms", required=True, help="folder of the twiddle factors, with a slash at its end")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--build", action="store_true", help="sources, constraints and a project for Vivado")
    kind.add_argument("--sim", action="store_true", help="sources with models in place of the PHYs")
    parser.add_argument("--run", action="store_true", help="with --build: run Vivado too")
    parser.add_argument("--no-bios", action="store_true", help="with --build: only to look at it; DDR3 stays untrained")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if options.sim:
        write_simulation(folder, options.roms)
    else:
        write_card(folder, options.roms, with_bios=not options.no_bios, run=options.run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
