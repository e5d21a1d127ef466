#!/usr/bin/env bash
# Builds everything and runs the quick tests, from a fresh clone on a bare Debian 12.
#
#   tests/run.sh                 the quick tests on the release build
#   tests/run.sh --long          then the long ones too, some on emulated older processors
#   tests/run.sh --sanitizers    before that, the quick ones under asan, ubsan and tsan, and with the
#                                engine's number ranges checked (the preset verify)
#   tests/run.sh --faults        then every fault of tests/faults, which takes an hour or more
#   tests/run.sh --fuzz MINUTES  last of all the fuzzers of tests/hostile, so many minutes in all
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tests=(release)
packages=()
minutes=0
while (($#)); do
  option=$1
  shift
  case $option in
    --long) tests=("${tests[@]}" long) packages+=(--emulator) ;;
    --faults) tests=("${tests[@]}" faults) ;;
    --sanitizers) tests=(asan ubsan tsan verify "${tests[@]}") ;;
    --fuzz)
      [[ ${1-} =~ ^[1-9][0-9]*$ ]] || { echo '--fuzz needs a number of minutes' >&2; exit 2; }
      minutes=$1
      shift
      packages+=(--fuzzers)
      ;;
    *)
      printf 'unknown option %s\nusage: tests/run.sh [--long] [--sanitizers] [--faults] [--fuzz MINUTES]\n' \
        "$option" >&2
      exit 2
      ;;
  esac
done

apps/install_dependencies.sh "${packages[@]}"
for preset in "${tests[@]}"; do
  printf '== %s\n' "$preset"
  if [[ $preset != long && $preset != faults ]]; then
    cmake --preset "$preset"
    cmake --build --preset "$preset"
  fi
  ctest --preset "$preset"
done
if ((minutes > 0)); then
  echo '== fuzz'
  cmake --preset fuzz
  cmake --build --preset fuzz
  tests/hostile/fuzz.sh build/fuzz "$minutes"
fi
