#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks at the web page of apps/outsource with a browser: it asks for the token, shows jobs and their
# progress as the server tells them, takes names from the server for text, whatever they hold, and does what
# a client does (outsource_page.py).
#
#   tests/apps/outsource_page.sh BUILD_DIR [PICTURES]
#
# With PICTURES, a folder, the page is drawn there. Exit status 77 where there is no Chromium or no Python: the
# test is skipped.
set -euo pipefail

build=$(cd "${1:?usage: tests/apps/outsource_page.sh BUILD_DIR [PICTURES]}" && pwd)
pictures=${2:+$(cd "$2" && pwd)}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly build pictures here circuits=$here/../../apps/outsource/circuits skipped=77
for program in chromium python3; do
  command -v "$program" > /dev/null && continue
  echo "outsource.page: SKIP, the page is not tested: $program is missing; install the package $program"
  exit $skipped
done
test=outsource.page
# shellcheck source=tests/apps/outsource_server.sh
source "$here/outsource_server.sh"
fhe() { "$build/apps/cli/fhe" "$@" > /dev/null 2>> log; }
outsource() { "$build/apps/outsource/fhe-outsource" "$@"; }

readonly evil='<img src=x onerror=document.title=1>.txt'
mkdir circuits
cp "$circuits/add64.txt" circuits/
cp "$circuits/add64.txt" "circuits/$evil"
outsource token user --out token > log
serve "$build/apps/outsource/fhe-outsource" serve --port 0 --token-file token --data data --circuits circuits
read -r _ _ url < listening
fhe keygen --params cnt-mini --out keys
fhe encrypt --key keys/public.fhe --bits "$(printf '10%.0s' {1..32})" --out x.fhe
client() { outsource "$1" --url "$url" --token-file token "${@:2}"; }
submit() { client submit --key keys/public.fhe --input x.fhe --input x.fhe --circuit "$@"; }
submit add64.txt --out y.fhe >> log
submit "$evil" --out y.fhe >> log
read -r _ token < token

# page FRAGMENT: the page's elements after a moment, its script left out. Without a sandbox of its
# own, which root has not, the browser sees nothing but our server.
page() {
  chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$scratch/browser" \
    --virtual-time-budget=5000 --dump-dom "$url/$1" 2>> log | sed '/<script>/,/<\/script>/d'
}

# shows WHAT FRAGMENT TEXT...: the page comes to hold every text. The browser's clock runs ahead of
# the server's answers on a busy machine, so it may look again.
shows() {
  local what=$1 fragment=$2 text
  shift 2
  for _ in {1..10}; do
    dom=$(page "$fragment")
    for text in "$@"; do [[ $dom == *"$text"* ]] || continue 2; done
    return 0
  done
  fail "the page does not show $what ($text): $dom"
}

shows 'the question for a token' '' 'Your token' 'not connected'
shows 'that a token is wrong' "#token=$(printf '0%.0s' {1..64})" 'does not know this token'
shows 'finished jobs' "#token=$token" '>live<' '<span class="chip done">done</span>' '>Download<' \
  'value="1"' '63 products' '>cnt-mini<'
shows 'a strange name as text' "#token=$token" '&lt;img src=x onerror=document.title=1&gt;.txt'
[[ $dom == *'<title>fhe outsource</title>'* && $dom != *'<img'* ]] || fail 'a name became an element'

# A job that runs for a while: a chain of products.
readonly gates=4000
{
  printf '.model chain\n.inputs a b\n.outputs n%d\n.names a b n1\n11 1\n' $gates
  for ((i = 2; i <= gates; ++i)); do
    printf '.names n%d %s n%d\n11 1\n' $((i - 1)) $((i % 2)) "$i"
  done | sed 's/ 0 / a /; s/ 1 / b /'
  echo .end
} > chain.blif
fhe encrypt --key keys/public.fhe --bits 1 --out bit.fhe
job=$(client submit --detach --key keys/public.fhe --circuit-file chain.blif --input bit.fhe --input bit.fhe)
shows 'a running job and how far it is' "#token=$token" '<span class="chip running">running</span>' \
  '>Cancel<' 'value="0.' '.blif</span>' "aria-label=\"Progress of job $job, "
client cancel "$job" >> log
shows 'a cancelled job' "#token=$token" '<span class="chip cancelled">cancelled</span>' '>Remove<'

# A person at the page, who forgets all that is there.
cp "$circuits/add64.txt" .
python3 "$here/outsource_page.py" "$url" "$token" "$scratch" ${pictures:+"$pictures"}
[[ $("$build/apps/cli/fhe" decrypt --key keys/secret.fhe result.fhe) == "$(printf '01%.0s' {1..32})" ]] ||
  fail 'what the page downloads is no result'
[[ -z $(find data/clients/user/keys -name '*.fhe') ]] || fail 'the page did not remove the key'
echo 'outsource.page: the page shows what the server says, and does what its user wants'
