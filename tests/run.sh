#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the quick tests, from a fresh clone on a bare Debian 12.
#
#   tests/run.sh                 the library, the tool, the applications, the driver of the device on
#                                its model, and the rules of the house
#   tests/run.sh --hardware      before that, all that is simulated with Verilator; the rules of all RTL too
#   tests/run.sh --cluster       and circuits on several processes, for which it installs StarPU-MPI
#   tests/run.sh --packages      then the source archive and what users type in the guides
#   tests/run.sh --index         with --long: also what needs Python's package index: the wheel as pip builds it, Ray,
#                                the oldest and the newest numpy
#   tests/run.sh --long          then the long tests too, some on emulated older processors; with
#                                --hardware also those of what is simulated, which take hours
#   tests/run.sh --sanitizers    before that, the quick ones under asan, ubsan and tsan, and with the
#                                engine's number ranges checked (the preset verify)
#   tests/run.sh --faults        then every fault of tests/faults, which takes an hour or more
#   tests/run.sh --mutants       then whether tests notice the faults of tests/mutants, which takes hours
#   tests/run.sh --fuzz MINUTES  last of all the fuzzers of tests/hostile, so many minutes in all
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly usage='tests/run.sh [--hardware] [--cluster] [--packages] [--index] [--long] [--sanitizers] [--faults] [--mutants] [--fuzz MINUTES]'
builds=(release)
more_tests=()
hardware=
long=
packages=(--tests)
minutes=0
while (($#)); do
  option=$1
  shift
  case $option in
    --hardware) hardware=yes packages+=(--hardware) ;;
    --cluster) packages+=(--cluster) ;;
    --long) long=yes packages+=(--emulator --packages) ;;
    --packages) more_tests+=(packages) packages+=(--packages) ;;
    --index) export FHE_PACKAGE_INDEX=yes ;;
    --faults) more_tests+=(faults) ;;
    --mutants) more_tests+=(mutants) ;;
    --sanitizers) builds=(asan ubsan tsan verify release) ;;
    --fuzz)
      [[ ${1-} =~ ^[1-9][0-9]*$ ]] || { echo '--fuzz needs a number of minutes' >&2; exit 2; }
      minutes=$1
      shift
      packages+=(--fuzzers)
      ;;
    *)
      printf 'unknown option %s\nusage: %s\n' "$option" "$usage" >&2
      exit 2
      ;;
  esac
done
[[ -z $hardware ]] || builds=(hardware "${builds[@]}")
[[ -z $long ]] || more_tests=(long ${hardware:+hardware-long} "${more_tests[@]}")

# check PRESET: its tests, of the build that has them.
check() {
  local build=$1
  case $1 in
    long | faults | mutants | packages) build=release ;;
    hardware-long) build=hardware ;;
  esac
  printf '== tests: %s\n' "$1"
  tests/check.sh "$1" "build/$build"
}

apps/install_dependencies.sh "${packages[@]}"
for preset in "${builds[@]}"; do
  printf '== build: %s\n' "$preset"
  cmake --preset "$preset"
  cmake --build --preset "$preset"
  check "$preset"
done
for preset in "${more_tests[@]}"; do check "$preset"; done
if ((minutes > 0)); then
  echo '== fuzz'
  cmake --preset fuzz
  cmake --build --preset fuzz
  tests/hostile/fuzz.sh build/fuzz "$minutes"
fi
