#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs packages on Debian 12 and its relatives: only what is missing, and nothing at all when
# everything is there. Uses apt-get as root, or through sudo.
#
#   apps/install_dependencies.sh               what the library and the tool are built with
#   apps/install_dependencies.sh --tests       and what the other programs and the tests need
#   apps/install_dependencies.sh --hardware    and what simulates, synthesizes and proves the hardware
#   apps/install_dependencies.sh --cluster     and StarPU-MPI, for circuits on many machines
#   apps/install_dependencies.sh --emulator    and QEMU, for the tests on other processors
#   apps/install_dependencies.sh --fuzzers     and clang 16, for the preset fuzz
#   apps/install_dependencies.sh --packages    and what makes and tests packages, notebooks and documents
#
# Some packages leave out only what needs them, where they cannot be had.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libntl-dev libgmp-dev libssl-dev libtbb-dev
  libfmt-dev libspdlog-dev libcli11-dev nlohmann-json3-dev
)
optional=()
for option in "$@"; do
  case $option in
    --tests)
      packages+=(catch2 libbenchmark-dev binutils)
      optional+=(libboost-dev libflint-dev libfuse3-dev libtomlplusplus-dev
        python3 python3-gmpy2 python3-dev python3-numpy python3-pytest pybind11-dev python3-jinja2 python3-matplotlib
        valgrind clang-format-16 abigail-tools)
      ;;
    --hardware)
      packages+=(verilator yosys zlib1g-dev)
      optional+=(z3 iverilog)
      ;;
    --cluster) packages+=(libstarpu-dev libopenmpi-dev openmpi-bin) ;;
    --emulator)
      packages+=(qemu-user)
      optional+=(g++-aarch64-linux-gnu mmdebstrap)
      ;;
    --fuzzers) packages+=(clang-16 libclang-rt-16-dev libboost-dev) ;;
    --packages)
      packages+=(dpkg-dev)
      optional+=(mmdebstrap lintian mandoc man-db groff-base doxygen bash zsh fish nix-bin
        python3-nbclient python3-nbconvert python3-ipykernel python3-matplotlib)
      ;;
    *)
      printf 'unknown option %s\nusage: apps/install_dependencies.sh [--tests] [--hardware] [--cluster] [--emulator] [--fuzzers] [--packages]\n' \
        "$option" >&2
      exit 2
      ;;
  esac
done
readonly packages optional

is_installed() {
  dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed
}

if ! command -v dpkg-query >/dev/null; then
  echo "install_dependencies.sh: this is no Debian system; install by hand what corresponds to:" \
    "${packages[*]} ${optional[*]}" >&2
  exit 1
fi

# select_missing NAMES...: sets `missing` to those that are not installed.
select_missing() {
  local package
  missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
}

# with_progress COMMAND...: shows every ten seconds the last line that it has printed, and all of them
# when it fails.
with_progress() {
  local log seconds=0 status=0
  log=$(mktemp)
  "$@" > "$log" 2>&1 &
  local command=$!
  while [[ -n $(jobs -rp) ]]; do
    sleep 1
    seconds=$((seconds + 1))
    if ((seconds % 10 == 0)); then printf '%4d s  %s\n' "$seconds" "$(tail -n 1 "$log" | cut -c 1-80)"; fi
  done
  wait "$command" || status=$?
  if ((status != 0)); then cat "$log" >&2; fi
  rm -f "$log"
  return "$status"
}

lists_are_read=
install_packages() {
  if [[ -z $lists_are_read ]]; then
    echo "Reading the lists of packages"
    with_progress "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
    lists_are_read=yes
  fi
  echo "Installing: $*"
  with_progress "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "$@"
}

select_missing "${packages[@]}" "${optional[@]}"
if ((${#missing[@]} == 0)); then
  echo "All packages are installed."
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  # Asks for the password before anything runs in the background.
  if command -v sudo >/dev/null && sudo true; then
    as_root=(sudo)
  else
    select_missing "${packages[@]}"
    if ((${#missing[@]} == 0)); then
      echo "Only optional packages are missing, and what needs them is left out: ${optional[*]}"
      exit 0
    fi
    echo "install_dependencies.sh: packages are missing; as root, run: apt-get install" \
      "${missing[*]}" >&2
    exit 1
  fi
fi

# Those without which nothing is built, and then the others.
select_missing "${packages[@]}"
((${#missing[@]} == 0)) || install_packages "${missing[@]}"
select_missing "${optional[@]}"
((${#missing[@]} == 0)) || install_packages "${missing[@]}" ||
  echo "Without ${missing[*]} what needs them is left out."
