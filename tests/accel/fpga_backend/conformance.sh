#!/usr/bin/env bash
# The conformance suite of backends on one way to the device alone. Exit status 77, skipped, where this
# machine has no such way.
#
#   conformance.sh TESTS here DEVICE [SPEC]           the device inside the test program
#   conformance.sh TESTS socket SIMD DEVICE [SPEC]    lent by fhe-simd
#   conformance.sh TESTS card FAKE_XDMA DEVICE [SPEC] behind the nodes of fhe-fake-xdma
#
# SPEC chooses test cases, as Catch2 takes them.
set -euo pipefail
tests=$1 way=$2
shift 2

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
  here)
    backend=fpga:$1
    shift
    ;;
  socket)
    serve "$scratch/device" "$1" --device "$2" "$scratch/device" ||
      { cat "$scratch/log"; exit 1; }
    backend=fpga:socket=$scratch/device
    shift 2
    ;;
  card)
    mkdir "$scratch/nodes"
    serve "$scratch/nodes/xdma0_user" "$1" --device "$2" "$scratch/nodes" ||
      { echo "SKIPPED: no file system can be mounted here:"; cat "$scratch/log"; exit 77; }
    backend=fpga:$scratch/nodes/xdma0
    shift 2
    ;;
  *)
    echo "unknown way: $way" >&2
    exit 2
    ;;
esac

spec=${1:-'[backend]~[long],[ring]~[long],[weighted_sums]~[long],[selected_sums]~[long],[product_windows]~[long],[residues]~[long]'}
FHE_TEST_ONLY_BACKENDS=$backend "$tests" "$spec"
