#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build, moves the installed tree, and uses it as others would: from CMake by
# find_package(fhe), from the compiler's command line by pkg-config. Then checks that nothing
# installed knows where it was built.
#
#   tests/install/run.sh BUILD_DIR
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:?usage: tests/install/run.sh BUILD_DIR}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}

# A variable of the build's CMake cache.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

compiler=$(cached CMAKE_CXX_COMPILER)
source=$(cached CMAKE_HOME_DIRECTORY)

cmake --install "$build" --prefix "$scratch/staged" > "$scratch/install.log" ||
  { cat "$scratch/install.log"; fail "cmake --install failed"; }
prefix=$scratch/moved
mv "$scratch/staged" "$prefix"
pkgconfig=$(dirname "$(find "$prefix" -name fhe.pc)")
libdir=$(dirname "$pkgconfig")

echo "== find_package(fhe)"
cmake -S "$here" -B "$scratch/by-cmake" -G "$(cached CMAKE_GENERATOR)" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" \
  -DFHE_VERSION="$(cached CMAKE_PROJECT_VERSION)"
cmake --build "$scratch/by-cmake"
"$scratch/by-cmake/consumer" || fail "the program built with find_package(fhe) gave a wrong result"

echo "== pkg-config"
command -v pkg-config > /dev/null || fail "pkg-config is missing; install the package pkg-config"
export PKG_CONFIG_PATH=$pkgconfig
read -r -a flags <<< "$(pkg-config --cflags --libs fhe)"
# Compiled as a user's own code, which may hide its symbols as well: the public headers must not warn.
"$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fvisibility=hidden "$here/consumer.cpp" \
  -o "$scratch/by-pkg-config" "${flags[@]}"
LD_LIBRARY_PATH=$libdir "$scratch/by-pkg-config" ||
  fail "the program built with pkg-config gave a wrong result"

echo "== the plug-ins that are installed"
for plugin in "$libdir"/fhe/backends/*.so; do
  [[ -e $plugin ]] || continue
  name=$(basename "$plugin" .so)
  "$prefix/bin/fhe" backends | grep -q "plug-in $plugin" || fail "the installed program does not find the plug-in $name"
  case $name in
    fpga) device=model ;;
    gpu) device=host ;;
    *) fail "this test knows no device of the plug-in $name" ;;
  esac
  "$prefix/bin/fhe" keygen --params cnt-mini --out "$scratch/keys" --force --backend "$name:$device" ||
    fail "the installed program cannot compute with $name:$device"
done

echo "== a backend as a plug-in"
# By the compiler of the library and by another one: only C goes between a program and its plug-ins.
tried=' '
for plugin_compiler in "$compiler" clang++-16 g++; do
  program=$(readlink -f "$(command -v "$plugin_compiler")") || continue
  [[ $tried != *" $program "* ]] || continue
  tried+="$program "
  cmake -S "$prefix/share/doc/fhe/apps/examples/backend" -B "$scratch/plugin" -G "$(cached CMAKE_GENERATOR)" \
    -DCMAKE_CXX_COMPILER="$plugin_compiler" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" > "$scratch/plugin.log" &&
    cmake --build "$scratch/plugin" >> "$scratch/plugin.log" ||
    { cat "$scratch/plugin.log"; fail "$plugin_compiler does not build the example of a plug-in"; }
  FHE_BACKEND_PATH=$scratch/plugin "$prefix/bin/fhe" keygen --params cnt-mini --out "$scratch/keys" --force \
    --backend my_backend || fail "fhe does not use the plug-in that $plugin_compiler has built"
  mv "$scratch/plugin/my_backend.so" "$scratch/"
  rm -r "$scratch/plugin"
done
mkdir -p "$libdir/fhe/backends"
cp "$scratch/my_backend.so" "$libdir/fhe/backends/"
"$prefix/bin/fhe" backends | grep -q "plug-in $libdir/fhe/backends/my_backend.so" ||
  fail "the installed program does not find the plug-ins that are installed beside it"
rm "$libdir/fhe/backends/my_backend.so"

echo "== flags"
# The kernels' own flags are theirs alone: no user's code is compiled for a newer processor.
flags_of_processors() { grep -nE -- '(^|[^[:alnum:]_-])-m[a-z]' "$@"; }
mapfile -t targets < <(find "$prefix" -name '*.cmake')
((${#targets[@]})) || fail "no CMake files are installed"
if flags_of_processors /dev/null "$pkgconfig/fhe.pc" "${targets[@]}"; then
  fail "what is installed passes flags for a processor on to its users"
fi
for flag in $(pkg-config --cflags --libs --static fhe); do
  [[ $flag != -m* ]] || fail "pkg-config passes $flag on"
done

echo "== files"
for file in include/libfhe/fhe.hpp bin/fhe share/fhe/params/cnt-mini.toml \
  share/doc/fhe/libfhe/storage/FORMAT.md share/doc/fhe/README.md share/doc/fhe/LICENSE \
  share/doc/fhe/libfhe/cluster/slurm/circuit.sh share/doc/fhe/libfhe/cluster/slurm/independent.sh; do
  [[ -s $prefix/$file ]] || fail "$file is not installed"
done
"$prefix/bin/fhe" --version || fail "the installed program does not start"
"$here/../house/links.sh" "$prefix/share/doc/fhe" || fail "installed documents have links that lead nowhere"

echo "== the examples, as a project of their own"
cmake -S "$prefix/share/doc/fhe/apps/examples" -B "$scratch/examples" -G "$(cached CMAKE_GENERATOR)" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" > "$scratch/examples.log" &&
  cmake --build "$scratch/examples" --target example_01_bits >> "$scratch/examples.log" ||
  { cat "$scratch/examples.log"; fail "the installed examples cannot be built"; }
"$scratch/examples/01_bits" || fail "an installed example is wrong"

echo "== what stands beside the programs"
for program in "$prefix"/bin/*; do
  name=$(basename "$program")
  for file in "man/man1/$name.1.gz" "bash-completion/completions/$name" "fish/vendor_completions.d/$name.fish"; do
    [[ -s $prefix/share/$file ]] || fail "$file is not installed"
  done
done
if [[ -x $prefix/bin/fhe-outsource ]]; then
  "$prefix/bin/fhe-outsource" demo --params cnt-mini --x 13 --y 11 || fail "the installed server finds no circuits"
fi

# No path of the source, the build or the staging directory, debug information excepted.
pattern() { printf '%s' "$1" | sed 's/[][\.*^$+?(){}|]/\\&/g'; }
own="(^|[^[:alnum:]._/-])($(pattern "$source")|$(pattern "$build")|$(pattern "$scratch"))/"
while IFS= read -r -d '' file; do
  case $(head -c 7 "$file" | tr -d '\0') in
    $'\x7f'ELF* | '!<arch>') strip --strip-debug -o "$scratch/stripped" "$file" ;;
    *) cp "$file" "$scratch/stripped" ;;
  esac
  if strings -n 4 "$scratch/stripped" | grep -E -m 5 "$own"; then
    fail "${file#"$prefix"/} holds a path of the machine that built it"
  fi
  while IFS= read -r path; do
    case $path in
      \$ORIGIN*) ;;
      *) fail "${file#"$prefix"/} looks for libraries in '$path'" ;;
    esac
  done < <(readelf -d "$file" 2> /dev/null | sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]/\2/p')
done < <(find "$prefix" -type f -print0)
echo "install: all is well"
