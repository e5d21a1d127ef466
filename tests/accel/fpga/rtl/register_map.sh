#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that the headers of the register map are what regmap.toml gives.
#
#   tests/accel/fpga/rtl/register_map.sh WRITE_HEADERS
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../../../accel/fpga"

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
"$1" register_map/regmap.toml "$scratch"
if diff "$scratch/register_map.hpp" contract/register_map.hpp &&
  diff "$scratch/register_map.svh" rtl/register_map.svh; then
  echo "the register map is the same everywhere"
else
  echo "regmap.toml has changed: build the target fhe_fpga_register_map" >&2
  exit 1
fi
