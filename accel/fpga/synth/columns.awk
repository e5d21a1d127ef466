# SPDX-License-Identifier: Apache-2.0
# Of what Yosys's `stat` prints: LUTs of logic; those used as memory or shift registers; registers; DSP48E1;
# RAMB36, RAMB18 by halves.
$1 ~ /^LUT[1-6]$/                 { logic += $2 }
$1 ~ /^SRL/                       { memory += $2 }
$1 ~ /^RAM32M|^RAM64M/            { memory += 4 * $2 }
$1 ~ /^RAM(32|64)X1D/             { memory += 2 * $2 }
$1 ~ /^RAM128X1D/                 { memory += 4 * $2 }
$1 ~ /^RAM(32|64)X1S/             { memory += $2 }
$1 ~ /^RAM128X1S/                 { memory += 2 * $2 }
$1 ~ /^RAM256X1S/                 { memory += 4 * $2 }
$1 ~ /^FD[RSCP]E/                 { registers += $2 }
$1 == "DSP48E1"                   { dsp += $2 }
$1 ~ /^RAMB36/                    { ram += $2 }
$1 ~ /^RAMB18/                    { ram += $2 / 2 }
END { printf "%d %d %d %d %g\n", logic, memory, registers, dsp, ram }
