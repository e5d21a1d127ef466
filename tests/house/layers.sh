#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the arrows of the house (libfhe/README.md): who may include whom, who may name a scheme,
# what stands at the top level. Prints every violation; exit status 1 when there is one.
#
#   tests/house/layers.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

violations=0
complain() {
  printf '%s\n' "$*"
  violations=$((violations + 1))
}

# Our own C++ files under the given folders.
sources() { find "$@" -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.in' \) | sort; }

# "file:line header" for every include of a project header in the given files. A header in quotes
# is ours, and is written with its path from the top level.
includes() {
  grep -snE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("|<(libfhe|accel|apps|tests)/)' \
    /dev/null "$@" | sed -E 's/^([^:]*:[0-9]+):[^"<]*["<]([^">]*)[">].*/\1 \2/' || true
}

# may ROOM PATTERN FILES...: the project headers that FILES include all match PATTERN.
may() {
  local room=$1 pattern=$2 where header
  shift 2
  while read -r where header; do
    [[ $header =~ ^($pattern)$ ]] || complain "$where: $room must not include $header"
  done < <(includes "$@")
}

# Layers: each line a room and all that it may include.
root='libfhe/(error|export|held|memory_errors|monitor|openssl_errors)\.hpp'
secret="$root|libfhe/secret/.*"
arith="$secret|libfhe/arith/.*"
random="$arith|libfhe/random/.*"
storage="$random|libfhe/storage/.*"
algebra="$root|libfhe/algebra/.*"
security="$root|libfhe/security/.*"
scheme="$storage|libfhe/(algebra|security)/.*|libfhe/scheme/.*"
gate="$storage|libfhe/algebra/.*|libfhe/scheme/[^/]*|libfhe/gate/.*"
circuit="$gate|libfhe/circuit/.*"
for path in libfhe/*; do
  [[ $path =~ \.(hpp|cpp)$ || -d $path ]] || continue
  mapfile -t files < <(sources "$path")
  case $path in
    libfhe/cmake | libfhe/reference) continue ;;
    libfhe/fhe.hpp) may "$path" 'libfhe/.*' "${files[@]}" ;;
    libfhe/*.?pp) may "$path" "$root" "${files[@]}" ;;
    libfhe/secret) may "$path" "$secret" "${files[@]}" ;;
    libfhe/arith) may "$path" "$arith" "${files[@]}" ;;
    libfhe/random) may "$path" "$random" "${files[@]}" ;;
    libfhe/storage) may "$path" "$storage" "${files[@]}" ;;
    libfhe/algebra) may "$path" "$algebra" "${files[@]}" ;;
    libfhe/security) may "$path" "$security" "${files[@]}" ;;
    libfhe/scheme) may "$path" "$scheme" "${files[@]}" ;;
    libfhe/gate) may "$path" "$gate" "${files[@]}" ;;
    libfhe/circuit) may "$path" "$circuit" "${files[@]}" ;;
    libfhe/cluster) may "$path" "$circuit|libfhe/cluster/.*" "${files[@]}" ;;
    *) complain "$path: no rule says what this room may include; add one to tests/house/layers.sh" ;;
  esac
done
mapfile -t files < <(sources accel | grep -vE '^accel/(fpga/(backend|model|tools)|gpu)/')
may accel "$arith|accel/.*" "${files[@]}"

# The rooms of the software engine, from the lowest to the highest. What they share is the few files beside them
# that know no room; the others beside them know them all.
engine='accel/cpu/(bounds|kernel|limb_spans|pooled_words|transform)\.hpp'
for path in accel/cpu/*/; do
  path=${path%/}
  mapfile -t files < <(sources "$path")
  case $path in
    accel/cpu/simd) allowed='accel/cpu/simd/.*' ;;
    accel/cpu/goldilocks) allowed="$arith|$engine|accel/cpu/(simd|goldilocks)/.*" ;;
    accel/cpu/three_primes) allowed="$arith|$engine|accel/cpu/(simd|three_primes)/.*" ;;
    accel/cpu/primes) allowed="$arith|$engine|accel/cpu/(simd|primes)/.*" ;;
    accel/cpu/schoolbook) allowed="$arith|$engine|accel/cpu/(simd|schoolbook)/.*" ;;
    accel/cpu/streams) allowed="$arith|$engine|accel/cpu/(simd|three_primes|streams)/.*" ;;
    *)
      complain "$path: no rule says what this room may include; add one to tests/house/layers.sh"
      continue
      ;;
  esac
  may "$path" "$allowed" "${files[@]}"
done
for file in bounds kernel limb_spans pooled_words transform; do
  may "accel/cpu/$file" "$arith|$engine" accel/cpu/$file.?pp
done

# The rooms of the device, from the lowest to the highest. Those that the library has know nothing of what is
# simulated; only devices/simulated_devices.cpp knows it all.
fpga_rooms() { local IFS='|'; printf 'accel/fpga/(%s)/.*' "$*"; }
polynomials='accel/polynomials/.*'
public_stream='libfhe/random/public_stream\.hpp'
for path in accel/fpga/*/; do
  path=${path%/}
  room=${path##*/}
  mapfile -t files < <(sources "$path" | grep -v '/simulated_devices.cpp$')
  case $room in
    rtl | synth | board)
      ((${#files[@]} == 0)) || complain "${files[0]}: $path has no C++"
      continue
      ;;
    contract) allowed="$arith|$(fpga_rooms contract)" ;;
    register_map) allowed=$(fpga_rooms contract register_map) ;;
    roms) allowed="$(fpga_rooms roms)|accel/cpu/goldilocks/(field|prime)\.hpp" ;;
    transport) allowed="$arith|$(fpga_rooms contract transport)" ;;
    driver) allowed="$arith|$(fpga_rooms contract driver)" ;;
    model) allowed="$arith|$public_stream|$(fpga_rooms contract transport driver model)|$polynomials" ;;
    sim) allowed="$arith|$(fpga_rooms contract transport roms sim)" ;;
    devices) allowed="$arith|$(fpga_rooms contract transport devices)" ;;
    backend) allowed="$arith|$public_stream|$(fpga_rooms contract driver devices backend)|$polynomials" ;;
    tools) allowed="$arith|$(fpga_rooms contract transport devices tools)|apps/support/.*" ;;
    *)
      complain "$path: no rule says what this room may include; add one to tests/house/layers.sh"
      continue
      ;;
  esac
  may "$path" "$allowed" "${files[@]}"
done
may 'the list of simulated devices' "$(fpga_rooms contract transport model sim devices)" \
  accel/fpga/devices/simulated_devices.cpp
# The rooms of the GPU. It is a plug-in: a user of the library, as others outside of the tree.
gpu_rooms() { local IFS='|'; printf 'accel/gpu/(%s)/.*' "$*"; }
for path in accel/gpu/*/; do
  path=${path%/}
  mapfile -t files < <(sources "$path")
  case ${path##*/} in
    kernels) allowed=$(gpu_rooms kernels) ;;
    device) allowed="$arith|libfhe/storage/digest\.hpp|$(gpu_rooms kernels device)" ;;
    backend) allowed="$arith|$public_stream|$(gpu_rooms kernels device backend)" ;;
    *)
      complain "$path: no rule says what this room may include; add one to tests/house/layers.sh"
      continue
      ;;
  esac
  may "$path" "$allowed" "${files[@]}"
done
may 'the plug-in of GPUs' 'accel/(gpu/backend/gpu_backend|plugin/export_backend)\.hpp' accel/gpu/plugin.cpp
may 'the plug-in of the device' 'accel/(fpga/backend/fpga_backend|plugin/export_backend)\.hpp' accel/fpga/plugin.cpp
mapfile -t files < <(sources accel | grep -vE '^accel/(fpga|gpu)/')
may 'accel outside of the device' "$arith|accel/factories\.hpp|accel/(ntl|cpu|plugin|polynomials)/.*" "${files[@]}"

# The interface of plug-ins stands alone.
may 'the interface of plug-ins' '' accel/plugin/backend_abi.h

# Loops that a caller's cancelled group does not cut short: oneTBB is used in one file only.
while IFS= read -r line; do
  complain "$line: only libfhe/arith/parallel.cpp may use oneTBB; call parallel_for of libfhe/arith/parallel.hpp"
done < <(sources libfhe accel apps | grep -vx libfhe/arith/parallel.cpp | xargs -d '\n' grep -nE '#[[:space:]]*include[[:space:]]*[<"](oneapi/)?tbb/' /dev/null || true)

# Inside libfhe/scheme: the table of schemes knows them all, and nothing else knows another's.
for path in libfhe/scheme/*/; do
  path=${path%/}
  mapfile -t files < <(sources "$path")
  ((${#files[@]})) || continue
  case $path in
    libfhe/scheme/adder) also='' ;;
    libfhe/scheme/dghv) also='|libfhe/scheme/adder/.*' ;;
    libfhe/scheme/cnt | libfhe/scheme/cmnt | libfhe/scheme/bdghv | libfhe/scheme/she) also='|libfhe/scheme/(adder|dghv)/.*' ;;
    *) also='|libfhe/scheme/adder/.*' ;;
  esac
  may "$path" "$storage|libfhe/(algebra|security)/.*|libfhe/scheme/[^/]*|$path/.*$also" "${files[@]}"
done
mapfile -t files < <(find libfhe/scheme -maxdepth 1 -name '*.?pp' ! -name schemes.cpp | sort)
may 'libfhe/scheme (but for schemes.cpp)' "$storage|libfhe/security/.*|libfhe/scheme/[^/]*|libfhe/scheme/adder/.*" "${files[@]}"

# Circuits, gates, files, backends and their hardware name no scheme, comments excepted.
while IFS= read -r file; do
  while IFS= read -r line; do
    complain "$file:$line: names a scheme"
  done < <(sed -E 's|//.*||; s/(^| )# .*//' "$file" |
    grep -nioE '(^|[^[:alnum:]])(cnt|cmnt|gh|dghv)([^[:alnum:]]|$)' || true)
done < <(
  sources libfhe/algebra libfhe/circuit libfhe/gate libfhe/storage accel
  find accel -name '*.sv' -o -name '*.svh' -o -name '*.toml' | sort
)

# Public headers, those of the FILE_SET, stand on public headers alone, and so do the programs.
mapfile -t public < <(sed -n '/FILE_SET HEADERS/,/)/p' libfhe/CMakeLists.txt |
  grep -oE '[a-z_/]+\.hpp' | sed 's|^|libfhe/|')
public+=(libfhe/cluster/cluster.hpp libfhe/cluster/starpu_executor.hpp)
public+=(accel/polynomials/hardware_clocks.hpp accel/polynomials/polynomial_multiplier.hpp
  accel/plugin/backend_abi.h accel/plugin/export_backend.hpp)
((${#public[@]})) || complain 'libfhe/CMakeLists.txt: found no FILE_SET of public headers'
listed=$(IFS='|'; printf '%s' "${public[*]}")
listed=${listed//./\\.}
may 'a public header' "$listed" "${public[@]}"
mapfile -t files < <(sources apps | grep -vE '^apps/(bench/device|examples)/')
may apps "$listed|apps/.*" "${files[@]}"
mapfile -t files < <(sources apps/examples)  # where they are installed, they stand alone
may apps/examples "$listed|shared\.hpp" "${files[@]}"
mapfile -t files < <(sources apps/bench/device)
tasks='libfhe/scheme/(dghv/digit_program|gh/row_program)\.hpp'  # what the device is to do
may 'what knows the device' "$listed|$tasks|apps/.*|$(fpga_rooms contract driver model devices backend)" "${files[@]}"

# The conformance suite of backends is a library of its own.
mapfile -t files < <(sources apps/conformance)
may apps/conformance "$listed|apps/conformance/.*" "${files[@]}"

# The laboratory of attacks knows no terminal.
mapfile -t files < <(sources apps/attack)
may apps/attack "$listed|apps/attack/.*" "${files[@]}"

# The servers of the example applications hold no secret key.
mapfile -t files < <(sources apps | grep -E '/([a-z]+_)?server\.[ch]pp$|/server/')
((${#files[@]})) || complain 'apps: found no server'
shared='apps/support/(arguments|child_process|encrypted|failure|interrupt|new_directories|secrecy|sent_bits)\.hpp|apps/outsource/(client_limits|commands|connection|http|input_file|messages|private_file|tokens)\.hpp'
may 'a server' "$listed|apps/.*/([a-z]+_)?(server|messages|keyword|amount|plan)\.hpp|apps/.*/server/.*|$shared" "${files[@]}"
while IFS= read -r line; do
  complain "$line: a server must not know of secret keys"
done < <(grep -nE 'SecretKey|load_secret|KeyPair|KeyHolder|Decryptor' /dev/null "${files[@]}" || true)

# The process that serves clients reads nothing of theirs: what reads it runs in processes of its own.
mapfile -t files < <(sources apps/outsource/server | grep -vE '/(check|work)\.cpp$')
while IFS= read -r line; do
  complain "$line: a server must leave this to its check and work processes"
done < <(grep -nE 'load_(netlist|public_key|ciphertexts)|ContainerReader|summarize|parse_(blif|bristol)' /dev/null "${files[@]}" || true)

# The top level is fixed.
if entries=$(git ls-files 2> /dev/null); then
  while IFS= read -r entry; do
    case $entry in
      libfhe | accel | apps | tests | params) ;;
      CMakeLists.txt | README.md | LICENSE | CMakePresets.json | .*) ;;
      *) complain "$entry: has no place at the top level" ;;
    esac
  done < <(cut -d/ -f1 <<< "$entries" | sort -u)
else
  echo 'not a git checkout: the top level was not checked'
fi

((violations == 0)) || { printf '%d violations\n' "$violations"; exit 1; }
echo 'every arrow goes down'
