#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks at the unit of systemd for apps/outsource: systemd understands it, the options of the server
# are such that it starts with them, and a service of that kind may do little to its machine.
#
#   tests/apps/outsource_unit.sh BUILD_DIR
#
# Exit status 77 where there is no systemd-analyze: the test is skipped.
set -euo pipefail

build=$(cd "${1:?usage: tests/apps/outsource_unit.sh BUILD_DIR}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly build here most_exposure=20 skipped=77  # tenths of 0 (none) to 10; most services have 96
if ! command -v systemd-analyze > /dev/null; then
  echo "outsource.unit: SKIP, the unit is not tested: systemd-analyze is missing; install the package systemd"
  exit $skipped
fi
test=outsource.unit
# shellcheck source=tests/apps/outsource_server.sh
source "$here/outsource_server.sh"

# As it is installed, but for where the program is.
program=$build/apps/outsource/fhe-outsource
sed -E "s#^ExecStart=[^ ]+#ExecStart=$program#" "$build/apps/outsource/fhe-outsource.service" > fhe-outsource.service
grep -q "^ExecStart=$program serve " fhe-outsource.service || fail 'the unit starts no server'
said=$(systemd-analyze verify --man=no ./fhe-outsource.service 2>&1) || fail "systemd refuses it: $said"
[[ -z $said ]] || fail "systemd warns: $said"
report=$(systemd-analyze security --offline=yes --no-pager --threshold=$most_exposure ./fhe-outsource.service) ||
  fail "it may do too much: $(tail -n 2 <<< "$report")"

# The command of the unit, with files of ours.
"$program" token user --out clients.tokens > log
command=$(sed -n '/^ExecStart=/,/[^\\]$/p' fhe-outsource.service | sed 's/\\$//; s/^ExecStart=//' | tr -d '\n')
command=${command//\/etc\/fhe\//$scratch/}
command=${command//\/var\/lib\/fhe\//$scratch/}
read -ra words <<< "$command --port 0"
for ((i = 0; i < ${#words[@]}; ++i)); do
  [[ ${words[i]} != */fhe/circuits ]] || words[i]=$build/apps/share/fhe/circuits
done
serve "${words[@]}"
kill -HUP "$server"  # ExecReload
until grep -q '"event":"tokens_read"' log; do
  kill -0 "$server" 2> /dev/null || fail 'the server ends when it is reloaded'
  sleep 0.1
done
kill -TERM "$server"
wait "$server" || fail 'the server does not stop'
server=
echo "outsource.unit: $(tail -n 1 <<< "$report" | sed 's/^[^O]*//')"
