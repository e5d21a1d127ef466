#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests tests/check.sh, with a list of its own and a ctest that fails once.
#
#   tests/house/check.sh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/bin" "$scratch/build/Testing/Temporary"
cp "$here/../check.sh" "$scratch"
cat > "$scratch/upset_by_load.txt" <<'END'
# A comment.
storage: a listed test
    It waits for a second.
END
cat > "$scratch/bin/ctest" <<'END'
#!/usr/bin/env bash
[[ $* == *--rerun-failed* ]] && exit "$ALONE"
exit "$TOGETHER"
END
chmod +x "$scratch/bin/ctest"

# expect STATUS TOGETHER ALONE NAME..: the exit status where ctest has those two and the tests of these names failed.
expect() {
  local wanted=$1 together=$2 alone=$3 status=0
  shift 3
  printf '7:%s\n' "$@" > "$scratch/build/Testing/Temporary/LastTestsFailed.log"
  TOGETHER=$together ALONE=$alone PATH=$scratch/bin:$PATH "$scratch/check.sh" preset "$scratch/build" \
    > "$scratch/log" 2>&1 || status=$?
  if ((status == wanted)); then return; fi
  cat "$scratch/log"
  printf 'check: exit status %s, not %s, when these failed: %s\n' "$status" "$wanted" "$*" >&2
  exit 1
}

expect 0 0 0 'none'
expect 8 8 8 'storage: a listed test'
expect 0 8 0 'storage: a listed test'
grep -q 'It waits for a second' "$scratch/log"
expect 1 8 0 'storage: another test'
expect 1 8 0 'storage: a listed test' 'a listed test'
expect 1 8 0 '# A comment.'
expect 1 8 0 '    It waits for a second.'
echo 'check: all is well'
