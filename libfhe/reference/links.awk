# SPDX-License-Identifier: Apache-2.0
# Links of a Markdown page, for programs that make another page of it: -f links.awk before their own, which defines
# link(text, target), what stands in place of [text](target), and sets `folder`, that of the page, from the root.
#
# Any awk of POSIX.

# A path from the folder of this page, as a path from the root.
function resolved(path) {
  path = folder path
  sub(/\/$/, "", path)
  while (sub(/(^|\/)\.\//, "/", path)) sub(/^\//, "", path)
  while (sub(/[^\/]+\/\.\.(\/|$)/, "", path)) continue
  sub(/\/$/, "", path)
  return path
}

# A line with its links as link() makes them.
function with_links(rest,    out, found, split_at) {
  while (match(rest, /\[[^]]*\]\([^) ]*\)/)) {
    found = substr(rest, RSTART, RLENGTH)
    out = out substr(rest, 1, RSTART - 1)
    rest = substr(rest, RSTART + RLENGTH)
    split_at = index(found, "](")
    out = out link(substr(found, 2, split_at - 2), substr(found, split_at + 2, length(found) - split_at - 2))
  }
  return out rest
}
