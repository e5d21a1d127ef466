# SPDX-License-Identifier: Apache-2.0
# A folder for a test of apps/outsource, and a server in it; both end with the script. Sourced by scripts that set `test`,
# what they are called.
scratch=$(mktemp -d)
server=
finish() {
  [[ -z $server ]] || kill "$server" || true
  wait
  rm -rf "$scratch"
}
trap finish EXIT
cd "$scratch"

fail() {
  printf '%s: %s\n' "$test" "$*" >&2
  exit 1
}

# serve COMMAND...: starts a server, whose number is then `server`, and waits until the file `listening` says where it
# listens. What it logs is in `log`.
serve() {
  "$@" > listening 2>> log &
  server=$!
  until [[ -s listening ]]; do
    kill -0 "$server" 2> /dev/null || fail "the server does not start: $(cat log)"
    sleep 0.1
  done
}
