#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the manual pages and completions that programs make of their command lines: that man and mandoc read the pages without
# a warning, and what bash, zsh and fish offer for a word, each where it is installed.
#
#   tests/packaging/documents.sh FOLDER PROGRAM...
set -euo pipefail

(($# > 1)) || { echo 'usage: tests/packaging/documents.sh FOLDER PROGRAM...' >&2; exit 2; }
folder=$1
shift
programs=("$@")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  printf 'documents: %s\n' "$*" >&2
  exit 1
}
have() {
  command -v "$1" > /dev/null && return
  printf 'documents: %s is missing: what it reads was not checked\n' "$1"
  return 1
}

echo '== manual pages'
for program in "${programs[@]}"; do
  grep -q '^\.SH SYNOPSIS' "$folder/$program.1" || fail "$program.1 is no manual page"
done
# man knows more in a locale of UTF-8, which not every machine has.
if have man && have groff; then
  for program in "${programs[@]}"; do
    said=$(MANROFFOPT='' MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings=w --encoding=UTF-8 --local-file "$folder/$program.1" 2>&1 > "$scratch/page")
    [[ -z $said ]] || fail "$program.1: $said"
    grep -q -- --help "$scratch/page" || fail "$program.1 does not show --help"
  done
fi
if have mandoc; then
  for program in "${programs[@]}"; do
    # Pages have no date, so that they are the same whenever they are made.
    said=$(mandoc -T lint -W warning "$folder/$program.1" | grep -v 'missing date, using ""' || true)
    [[ -z $said ]] || fail "$said"
  done
fi

# Every command and option that the help of fhe shows is on its page.
for word in keygen encrypt eval run decrypt 'params search' 'circuit compile' 'backends test'; do
  grep -q "^\.SS fhe ${word//-/\\\\-}$" "$folder/fhe.1" || fail "fhe.1 has no section on $word"
done
! grep -q 'man\\-page' "$folder/fhe.1" || fail 'fhe.1 shows an option that is hidden'

# offers SHELL LINE: what it offers at the end of the line, a word on each line.
touch "$scratch/some.fhe"
offers() {
  case $1 in
    bash)
      (cd "$scratch" && bash --norc --noprofile -c '
        complete() { :; }
        source "$1"
        read -r -a COMP_WORDS <<< "$2"
        if [[ $2 == *" " ]]; then COMP_WORDS+=(""); fi
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        program=${COMP_WORDS[0]}
        "_${program//-/_}"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$folder/${2%% *}" "$2")
      ;;
    fish)
      (cd "$scratch" && HOME=$scratch XDG_DATA_DIRS=/nowhere fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
        "$folder/${2%% *}.fish" "$2" | cut -f 1)
      ;;
    zsh)
      # The functions of completion are played: what the script gives to them is what is offered.
      (cd "$scratch" && zsh -f -c '
        compdef() { :; }
        compadd() { shift; print -l -- $@; }
        _files() { print -l -- *; }
        _describe() { if [[ $1 == -o ]]; then shift; fi; print -l -- ${${(P)2}%%:*}; }
        CURRENT=$(( ${#${(z)2}} ))
        words=(${(z)2})
        if [[ $2 == *" " ]]; then words+=(""); CURRENT=$((CURRENT + 1)); fi
        PREFIX=${words[CURRENT]}
        source $1
        _${words[1]//-/_}' zsh "$folder/_${2%% *}" "$2")
      ;;
  esac
}

# check SHELL LINE WORD...: all of these are offered; a word after ! is not.
check() {
  local shell=$1 line=$2 offered word
  shift 2
  offered=$(offers "$shell" "$line")
  for word in "$@"; do
    if [[ $word == !* ]]; then
      ! grep -qxF -- "${word#!}" <<< "$offered" || fail "$shell offers ${word#!} after '$line'"
    else
      grep -qxF -- "$word" <<< "$offered" || fail "$shell does not offer $word after '$line', but: $offered"
    fi
  done
}

folder=$(cd "$folder" && pwd)
for shell in bash zsh fish; do
  have "$shell" || continue
  printf '== %s\n' "$shell"
  for program in "${programs[@]}"; do
    case $shell in bash) file=$program ;; zsh) file=_$program ;; fish) file=$program.fish ;; esac
    "$shell" -n "$folder/$file" || fail "$shell does not read $file"
  done
  check "$shell" 'fhe ' keygen params run '!list' '!suite'
  check "$shell" 'fhe params ' list show search '!keygen'
  check "$shell" 'fhe keygen --' --params --out --json '!--cycles'
  check "$shell" 'fhe keygen --params ' cnt-toy gh-512
  check "$shell" 'fhe run --key ' some.fhe
  check "$shell" 'fhe-bench scale --' --most-seconds --threads
done
echo 'documents: all is well'
