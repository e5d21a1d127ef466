#!/usr/bin/env bash
# Installs what the build and the tests need, on Debian 12 and its relatives: only what is missing,
# and nothing at all when everything is there. Uses apt-get as root, or through sudo. Without the
# optional packages everything else builds: the simulated hardware and its tests need verilator and
# yosys, apps/fake_xdma libfuse3-dev, apps/outsource libcpp-httplib-dev, the comparison with FLINT
# libflint-dev, the second implementation in tests/verifier python3 and python3-gmpy2, the test of
# constant time valgrind.
#
#   apps/install_dependencies.sh               for the build and the quick tests
#   apps/install_dependencies.sh --emulator    and QEMU, for the tests on older processors
#   apps/install_dependencies.sh --fuzzers     and clang 16, for the preset fuzz
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libntl-dev libgmp-dev libssl-dev libtbb-dev
  libfmt-dev libspdlog-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev
  libbenchmark-dev catch2
)
readonly optional=(verilator yosys libfuse3-dev libcpp-httplib-dev libflint-dev
  python3 python3-gmpy2 valgrind)
for option in "$@"; do
  case $option in
    --emulator) packages+=(qemu-user) ;;
    --fuzzers) packages+=(clang-16 libclang-rt-16-dev) ;;
    *)
      printf 'unknown option %s\nusage: apps/install_dependencies.sh [--emulator] [--fuzzers]\n' \
        "$option" >&2
      exit 2
      ;;
  esac
done
readonly packages

is_installed() {
  dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed
}

if ! command -v dpkg-query >/dev/null; then
  echo "install_dependencies.sh: this is no Debian system; install by hand what corresponds to:" \
    "${packages[*]}" >&2
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

install_packages() {
  echo "Installing: $*"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

select_missing "${packages[@]}" "${optional[@]}"
if ((${#missing[@]} == 0)); then
  echo "All packages are installed."
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if command -v sudo >/dev/null; then
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

select_missing "${packages[@]}"
((${#missing[@]} == 0)) || install_packages "${missing[@]}"
select_missing "${optional[@]}"
((${#missing[@]} == 0)) || install_packages "${missing[@]}" ||
  echo "Without ${missing[*]} what needs them is left out."
