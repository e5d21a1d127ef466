#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 to an encrypted computation: installs what is missing, builds, and then
# makes a key, encrypts two bits, computes AND and XOR of them, removes the noise and decrypts; then
# it adds two numbers. Fails when a decrypted bit or number is wrong.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly root
readonly fhe="$root/build/release/apps/cli/fhe"

say() { printf '\n== %s\n' "$*"; }

explain() { printf '   %s\n' "$@"; }

# Shows a command of the tool and runs it.
run() {
  printf '   $ fhe %s\n' "$*"
  "$fhe" "$@" 2>&1 | sed 's/^/   /'
}

# expect FILE RESULT MEANING [OPTION]: decrypts FILE and fails unless that gives RESULT.
expect() {
  local result
  local -a decrypt=(decrypt --key keys/secret.fhe "${@:4}" "$1")
  printf '   $ fhe %s\n' "${decrypt[*]}"
  result="$("$fhe" "${decrypt[@]}")"
  if [[ $result != "$2" ]]; then
    echo "quickstart: $3 decrypts to '$result', and not to $2" >&2
    exit 1
  fi
  printf '   %s    (%s: right)\n' "$result" "$3"
}

say "1. Packages"
"$root/apps/install_dependencies.sh" | sed --unbuffered 's/^/   /'

say "2. Build the library and the tool (some minutes the first time)"
cd "$root"
# A folder that has been configured may be for more than this, and keeps that.
[[ -f build/release/build.ninja ]] || cmake --preset tool | sed --unbuffered 's/^/   /'
cmake --build --preset tool

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

say "3. Make a key pair of the group cnt-toy"
run keygen --params cnt-toy --out keys
explain "The warning is meant: the sizes are those of published experiments, not secure ones."

say "4. Encrypt the bits a = 1 and b = 0 with the public key"
run encrypt --key keys/public.fhe --bits 1 --out a.fhe
run encrypt --key keys/public.fhe --bits 0 --out b.fhe
explain "Each bit becomes one integer of 147456 bits. Noise hides the bit in it: every gate lets the" \
  "noise grow, and past 2^986 in this group the bit would be lost."

say "5. Compute on them, without the secret key"
run eval --key keys/public.fhe and a.fhe b.fhe --out and.fhe
run eval --key keys/public.fhe xor a.fhe b.fhe --out xor.fhe
explain "XOR adds two ciphertexts and costs about one bit of noise. AND multiplies them, and the" \
  "noise bits add up: two new encryptions have too many for that, so fhe recrypted both first."

say "6. Recrypt: the same bits with little noise, still without the secret key"
run recrypt --key keys/public.fhe and.fhe --out and-fresh.fhe
run recrypt --key keys/public.fhe xor.fhe --out xor-fresh.fhe
explain "Recryption is what allows any number of gates."

say "7. Decrypt with the secret key"
expect and-fresh.fhe 0 "1 AND 0"
expect xor-fresh.fhe 1 "1 XOR 0"

say "8. The same with numbers"
run encrypt --key keys/public.fhe --number 13 --width 8 --out x.fhe
run encrypt --key keys/public.fhe --number 11 --width 8 --out y.fhe
run eval --key keys/public.fhe add x.fhe y.fhe --out sum.fhe
explain "An addition is a circuit of such gates. fhe plans it as a whole: which bits to recrypt, and when."
expect sum.fhe 24 "13 + 11" --number

say "Done: everything is right."
explain "The tool is $fhe" "Next: $fhe --help"
