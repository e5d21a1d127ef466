#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that what is made of regmap.toml is what it gives.
#
#   tests/accel/fpga/rtl/register_map.sh WRITE_REGISTER_MAP
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../../../accel/fpga"

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
"$1" register_map/regmap.toml "$scratch"
mapfile -t written < <(cd "$scratch" && find . -type f | sort)
same=yes
for file in "${written[@]}"; do
  diff "$scratch/$file" "$file" || same=no
done
if ((${#written[@]})) && [[ $same == yes ]]; then
  echo "the register map is the same everywhere"
else
  echo "regmap.toml has changed: build the target fhe_fpga_register_map" >&2
  exit 1
fi
