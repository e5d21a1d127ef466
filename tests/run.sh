#!/usr/bin/env bash
# Builds everything and runs the quick tests, from a fresh clone on a bare Debian 12.
#
#   tests/run.sh                 the quick tests on the release build
#   tests/run.sh --long          then the long ones too, some on emulated older processors
#   tests/run.sh --sanitizers    before that, the quick ones under asan, ubsan and tsan, and with the
#                                engine's number ranges checked (the preset verify)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tests=(release)
packages=()
for option in "$@"; do
  case $option in
    --long) tests=("${tests[@]}" long) packages=(--emulator) ;;
    --sanitizers) tests=(asan ubsan tsan verify "${tests[@]}") ;;
    *)
      printf 'unknown option %s\nusage: tests/run.sh [--long] [--sanitizers]\n' "$option" >&2
      exit 2
      ;;
  esac
done

apps/install_dependencies.sh "${packages[@]}"
for preset in "${tests[@]}"; do
  printf '== %s\n' "$preset"
  if [[ $preset != long ]]; then
    cmake --preset "$preset"
    cmake --build --preset "$preset"
  fi
  ctest --preset "$preset"
done
