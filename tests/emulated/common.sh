# SPDX-License-Identifier: Apache-2.0
# What a user does and sees on an emulated processor. Sourced by scripts that set `build`, the folder of the build, and
# define `on PROCESSOR COMMAND...`, which runs a command there.
readonly skipped=77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  printf 'emulated: %s\n' "$*" >&2
  exit 1
}

skip() {
  printf 'emulated: skipped, %s\n' "$*"
  exit $skipped
}

# tool PROCESSOR ARGUMENTS...
tool() { on "$1" "$build/apps/cli/fhe" "${@:2}"; }

# chooses PROCESSOR KERNEL: what a user sees of the default backend. `fhe backends` asks another process
# of the tool for it, which would not be emulated.
chooses() {
  tool "$1" backends describe auto --json > "$scratch/backends"
  grep "kernel $2," "$scratch/backends" ||
    { cat "$scratch/backends"; fail "a $1 should run the kernel $2"; }
}

# refuses PROCESSOR KERNEL: an instruction set that is asked for and not there is an error.
refuses() {
  if tool "$1" keygen --backend "auto:kernel=$2" --params cnt-mini --out "$scratch/refused" \
    > "$scratch/output" 2>&1; then
    fail "a $1 accepted the kernel $2"
  fi
  grep "cannot run the kernel '$2'" "$scratch/output" || { cat "$scratch/output"; fail "no reason given"; }
}

# computes PROCESSOR GROUP: 1 and 1, 1 and 0, refreshed and decrypted.
computes() {
  local processor=$1 group=$2 dir=$scratch/$1-$2 bits
  mkdir "$dir"
  tool "$processor" keygen --params "$group" --out "$dir" 2> /dev/null
  tool "$processor" encrypt --key "$dir/public.fhe" --bits 11 --out "$dir/a.fhe"
  tool "$processor" encrypt --key "$dir/public.fhe" --bits 10 --out "$dir/b.fhe"
  tool "$processor" eval --key "$dir/public.fhe" and "$dir/a.fhe" "$dir/b.fhe" --out "$dir/and.fhe"
  tool "$processor" recrypt --key "$dir/public.fhe" "$dir/and.fhe" --out "$dir/fresh.fhe"
  bits=$(tool "$processor" decrypt --key "$dir/secret.fhe" "$dir/fresh.fhe")
  [[ $bits == 10 ]] || fail "11 and 10 is '$bits' on a $processor, with $group"
}

# conforms PROCESSOR BACKEND: the quick cases of the conformance suite. `fhe backends test` runs them in another process of
# the tool, which would not be emulated; this is what that process does.
conforms() {
  local passed
  tool "$1" backends run-suite "$2" 0 --seed 1 > "$scratch/outcomes"
  passed=$(grep -c '"passed":true' "$scratch/outcomes")
  if grep '"passed":false' "$scratch/outcomes"; then fail "$2 does not conform on a $1"; fi
  ((passed > 40)) || fail "only $passed cases of the conformance suite have run"
  printf '%s: %d cases pass\n' "$2" "$passed"
}

# passes PROCESSOR KERNELS...: the engine and the conformance of its backends; emulated, they take minutes.
passes() {
  local processor=$1 kernel
  on "$processor" "$build/tests/fhe_tests" '[goldilocks]~[long]'
  conforms "$processor" ntl
  for kernel in "${@:2}"; do
    conforms "$processor" "auto:kernel=$kernel"
    conforms "$processor" "solinas:kernel=$kernel"
  done
}
