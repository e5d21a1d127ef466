#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the links of all documents: a relative one leads to a file or folder of this tree, and what follows
# its `#` is a heading of that document. Prints every broken one; exit status 1 when there is one.
#
#   tests/house/links.sh [FOLDER]           of FOLDER, where documents are installed
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

# By folder, not by git: a checkout may come without it.
folders=(README.md .github libfhe accel apps params tests)
if (($#)); then folders=(*); fi
mapfile -t documents < <(find "${folders[@]}" -name '*.md' | sort)

# "heading FILE#ANCHOR" for every heading, with the anchor that GitHub gives it, and "link FILE LINE TARGET" for
# every link. Code is neither, in blocks or in a line.
parts_of() {
  awk '
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced; next }
    fenced { next }
    /^#+ / {
      anchor = tolower($0)
      sub(/^#+ +/, "", anchor)
      gsub(/\]\([^)]*\)/, "", anchor)
      gsub(/[^a-z0-9 _-]/, "", anchor)
      gsub(/ /, "-", anchor)
      times = seen[FILENAME, anchor]++
      print "heading", FILENAME "#" anchor (times ? "-" times : "")
    }
    {
      gsub(/`[^`]*`/, "")
      while (match($0, /\]\([^)]*\)/)) {
        print "link", FILENAME, FNR, substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
      }
    }' "$@"
}

violations=0
links=0
complain() {
  printf '%s\n' "$*"
  violations=$((violations + 1))
}

# check DOCUMENT LINE TARGET
check() {
  local path=${3%%#*} anchor=${3#"${3%%#*}"}
  if [[ -z $path ]]; then
    path=$1
  else
    path=$(realpath --canonicalize-missing --relative-to=. "$(dirname "$1")/$path")
  fi
  if [[ ! -e $path ]]; then
    complain "$1:$2: there is no $path"
  elif [[ -n $anchor && -z ${headings[$path$anchor]-} ]]; then
    complain "$1:$2: $path has no heading $anchor"
  fi
}

parts=$(parts_of "${documents[@]}")
declare -A headings=()
while read -r kind anchor; do
  [[ $kind != heading ]] || headings[$anchor]=yes
done <<< "$parts"
while read -r kind document line target; do
  [[ $kind == link && ! $target =~ ^(https?|mailto): ]] || continue
  links=$((links + 1))
  check "$document" "$line" "$target"
done <<< "$parts"

((links > 0)) || complain 'found no links'
((violations == 0)) || { printf '%d broken links\n' "$violations"; exit 1; }
printf '%d links of %d documents lead somewhere\n' "$links" "${#documents[@]}"
