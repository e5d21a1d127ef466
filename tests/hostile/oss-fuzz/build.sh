#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# Builds the targets of tests/hostile as OSS-Fuzz wants them: programs, seeds and dictionaries in $OUT, and
# beside them the shared libraries that the machines which run them do not have.

# The system's libraries are made with libstdc++, and so must be what calls them.
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/}"
source=$SRC/fhe
build=$WORK/fhe
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO= -DFHE_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -DFHE_BUILD_TESTS=OFF -DFHE_INSTALL=OFF -DCMAKE_BUILD_RPATH="\$ORIGIN/lib"
cmake --build "$build" --target fhe_hostile

mkdir -p "$OUT/lib"
hostile=$source/tests/hostile
data=$source/tests/data
for program in "$build"/tests/hostile/fhe_hostile_*; do
  [[ -f $program && -x $program ]] || continue
  name=$(basename "$program")
  target=${name#fhe_hostile_}
  cp "$program" "$OUT/"
  ldd "$program" | awk '$3 ~ "^/" { print $3 }' |
    grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
    xargs --no-run-if-empty cp --dereference --no-clobber --target-directory "$OUT/lib"
  seeds=("$data/hostile/$target")
  case $target in
    bristol | blif | aiger | yosys_json) seeds+=("$data/hostile/circuit") ;;
    container) seeds+=("$data/frozen") ;;
  esac
  for folder in "${seeds[@]}"; do
    [[ ! -d $folder ]] || zip -q -j "$OUT/${name}_seed_corpus.zip" "$folder"/*
  done
  [[ ! -f $hostile/dictionaries/$target.dict ]] ||
    cp "$hostile/dictionaries/$target.dict" "$OUT/$name.dict"
done
