#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the recipes of apps/packaging for vcpkg, Conan and Nix: they are of this version, and set options that this tree has.
# Conan and Nix read their recipes where they are installed; of vcpkg, CMake plays the functions.
#
#   tests/packaging/recipes.sh BUILD_DIR
set -euo pipefail

build=$(cd "${1:?usage: tests/packaging/recipes.sh BUILD_DIR}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../../apps/packaging"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  printf 'recipes: %s\n' "$*" >&2
  exit 1
}
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:[A-Z]*=//p' "$build/CMakeCache.txt")

# Of these files, every FHE_.. is an option.
mapfile -t options < <(grep -ohE 'FHE_[A-Z_]+' vcpkg/portfile.cmake nix/package.nix | sort -u)
mapfile -t parts < <(sed -nE 's/^ *for part in \((.*)\):$/\1/p' conan/conanfile.py | grep -oE '[A-Z_]+')
((${#options[@]} > 5 && ${#parts[@]} > 2)) || fail 'found no options'
for option in "${options[@]}" "${parts[@]/#/FHE_}"; do
  grep -q "^$option:BOOL=" "$build/CMakeCache.txt" || fail "this tree has no option $option"
done
printf '%d options\n' $((${#options[@]} + ${#parts[@]}))

echo '== vcpkg'
cat > "$scratch/vcpkg.cmake" << 'END'
cmake_minimum_required(VERSION 3.25)
file(READ "${PORT}/vcpkg.json" manifest)
string(JSON name GET "${manifest}" name)
string(JSON version GET "${manifest}" version)
if(NOT name STREQUAL "fhe" OR NOT version STREQUAL VERSION)
  message(FATAL_ERROR "vcpkg.json is of ${name} ${version}, not of fhe ${VERSION}")
endif()
set(CURRENT_PACKAGES_DIR "${SCRATCH}/installed")
set(called "")
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 given "" SOURCE_PATH OPTIONS)
  if(NOT EXISTS "${given_SOURCE_PATH}/libfhe/fhe.hpp" OR NOT given_OPTIONS OR given_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "the port configures '${given_SOURCE_PATH}' with '${given_OPTIONS}'")
  endif()
  set(called ${called} configure PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_install)
  set(called ${called} install PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_config_fixup)
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "" FILE_LIST)
  if(NOT EXISTS "${given_FILE_LIST}")
    message(FATAL_ERROR "there is no licence ${given_FILE_LIST}")
  endif()
  set(called ${called} copyright PARENT_SCOPE)
endfunction()
include("${PORT}/portfile.cmake")
if(NOT called STREQUAL "configure;install;copyright")
  message(FATAL_ERROR "the port does ${called}")
endif()
END
cmake -DPORT="$PWD/vcpkg" -DVERSION="$version" -DSCRATCH="$scratch" -P "$scratch/vcpkg.cmake"

echo '== Conan'
if command -v conan > /dev/null; then
  CONAN_HOME=$scratch/conan conan inspect conan --format=json > "$scratch/conan.json"
  grep -qE "\"version\": \"$version\"" "$scratch/conan.json" || fail "Conan's recipe is not of version $version"
  CONAN_HOME=$scratch/conan conan export conan > "$scratch/conan.log" 2>&1 || { cat "$scratch/conan.log"; fail 'no export'; }
else
  python3 - conan/conanfile.py << 'END'
import ast, sys
names = {node.name for node in ast.walk(ast.parse(open(sys.argv[1]).read())) if isinstance(node, ast.FunctionDef)}
assert {"set_version", "requirements", "build", "package", "package_info"} <= names, names
END
  echo 'recipes: conan is missing (pip install conan): its recipe was parsed only'
fi

echo '== Nix'
if command -v nix-instantiate > /dev/null; then
  # With packages that are nothing but names.
  cat > "$scratch/names.nix" << 'END'
{ recipe }:
let
  named = f: more: (import f) (builtins.mapAttrs (name: _: more.${name} or known.${name} or name)
    (builtins.functionArgs (import f)));
  known = {
    lib = { cleanSource = path: path; licenses.asl20 = "Apache-2.0"; };
    stdenv.mkDerivation = all: "${all.pname} ${all.version} ${toString (builtins.pathExists (all.src + "/libfhe/fhe.hpp"))}";
  };
in
import recipe { pkgs = { callPackage = named; onetbb = "onetbb"; }; }
END
  export NIX_STATE_DIR=$scratch/nix NIX_STORE_DIR=$scratch/store NIX_LOG_DIR=$scratch/log NIX_CONF_DIR=$scratch
  said=$(nix-instantiate --eval --readonly-mode --store "dummy://" "$scratch/names.nix" --arg recipe "$PWD/nix" 2> "$scratch/nix.log") ||
    { cat "$scratch/nix.log"; fail 'Nix does not read its recipe'; }
  [[ $said == "\"fhe $version 1\"" ]] || fail "Nix reads $said"
else
  echo 'recipes: nix is missing (Debian: apt-get install nix-bin): its recipe was not read'
fi
echo 'recipes: all is well'
