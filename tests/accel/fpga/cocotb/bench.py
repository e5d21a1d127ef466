# SPDX-License-Identifier: Apache-2.0
"""Simulates MODULE in FOLDER under the tests of MODULE_bench.py: what run.sh calls.

Exit status 77 where cocotb 1.9, cocotbext-axi or Icarus Verilog is missing.
"""

import pathlib
import shutil
import sys

try:
    import cocotbext.axi  # noqa: F401
    from cocotb.runner import get_results, get_runner
except ImportError as missing:
    print(f"nothing is simulated: {missing}; tests/accel/fpga/cocotb/run.sh --install gets it from the Python index")
    sys.exit(77)
if not shutil.which("iverilog"):
    print("nothing is simulated: iverilog is missing; apps/install_dependencies.sh --hardware installs it")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parents[3] / "accel/fpga/rtl"
SOURCES = {
    "axi_lite_slave": ["device/axi_lite_slave.sv"],
    "axi4_master": ["board/async_fifo.sv", "board/axi4_master.sv"],
}


def main(module, folder):
    sys.path.insert(0, str(HERE))
    runner = get_runner("icarus")
    runner.build(
        verilog_sources=[RTL / source for source in SOURCES[module]],
        hdl_toplevel=module,
        build_args=["-g2012"],
        timescale=("1ns", "1ps"),
        build_dir=folder,
        always=True,
    )
    results = runner.test(
        hdl_toplevel=module,
        test_module=f"{module}_bench",
        test_dir=folder,
        extra_env={"COCOTB_LOG_LEVEL": "ERROR"},
    )
    tests, failures = get_results(results)
    print(f"{module}: {tests} tests, {failures} failed")
    return 0 if tests > 0 and failures == 0 else 1


sys.exit(main(*sys.argv[1:]))
