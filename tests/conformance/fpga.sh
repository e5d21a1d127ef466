#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The conformance suite of backends on one way to the device alone. Exit status 77, skipped, where this
# machine has no such way.
#
#   fpga.sh FHE DEVICE here                inside the tool
#   fpga.sh FHE DEVICE socket SIMD         lent by fhe-simd
#   fpga.sh FHE DEVICE card FAKE_XDMA      behind the nodes of fhe-fake-xdma
#
# DEVICE is model or sim, or one of these with a variant, as sim=super_size. The cases of many operations are left
# out: they take a simulated device an hour.
set -euo pipefail
fhe=$1 device=$2 way=$3 program=${4-}

scratch=$(mktemp -d)
server=
finish() {
  if [[ -n $server ]]; then
    kill "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
  fi
  rm -r "$scratch"
}
trap finish EXIT

# serve FILE COMMAND...: starts a server and waits until FILE is there.
serve() {
  local file=$1
  shift
  "$@" > "$scratch/log" 2>&1 &
  server=$!
  for ((turn = 0; turn < 1000; turn++)); do
    [[ -e $file ]] && return 0
    kill -0 "$server" 2> /dev/null || return 1
    sleep 0.02
  done
  return 1
}

case $way in
  here) backend=fpga:$device ;;
  socket)
    serve "$scratch/device" "$program" --device "$device" "$scratch/device" ||
      { cat "$scratch/log"; exit 1; }
    backend=fpga:socket=$scratch/device
    ;;
  card)
    mkdir "$scratch/nodes"
    serve "$scratch/nodes/xdma0_user" "$program" --device "$device" "$scratch/nodes" ||
      { echo "SKIPPED: no file system can be mounted here:"; cat "$scratch/log"; exit 77; }
    backend=fpga:$scratch/nodes/xdma0
    ;;
  *)
    echo "unknown way: $way" >&2
    exit 2
    ;;
esac

"$fhe" backends test "$backend" --without-many
