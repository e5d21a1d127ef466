# SPDX-License-Identifier: Apache-2.0
# A document of this tree as it is installed: its links lead to what is installed too, and others become text.
# Set by -v: `page`, the path of the document; `pages` and `headers`, the paths of all documents and public headers, with a
# space before and after each; `to_headers`, the path from the documents to the headers. All paths start from the root, and
# what stands in .github is installed there.
#
#   [text](other.md#heading)   a document that is installed
#   [text](folder)             the README.md of that folder
#   [text](some.hpp)           a public header
#   [text](other/file)         is only text
#
# Any awk of POSIX.

function resolved(path) {
  path = folder path
  sub(/\/$/, "", path)
  while (sub(/(^|\/)\.\//, "/", path)) sub(/^\//, "", path)
  while (sub(/[^\/]+\/\.\.(\/|$)/, "", path)) continue
  sub(/\/$/, "", path)
  return path
}

function installed(path) { sub(/^\.github\//, "", path); return path }

# The way from the folder of this document up to the root.
function up(    path, out) {
  path = installed(folder)
  while (sub(/[^\/]+\//, "", path)) out = out "../"
  return out
}

function link(text, target,    hash, heading, path) {
  if (target ~ /^([a-z]+:|#)/) return "[" text "](" target ")"
  hash = index(target, "#")
  heading = hash ? substr(target, hash) : ""
  path = resolved(hash ? substr(target, 1, hash - 1) : target)
  if (index(pages, " " path "/README.md ")) path = path "/README.md"
  if (index(pages, " " path " ")) return "[" text "](" up() installed(path) heading ")"
  if (index(headers, " " path " ")) return "[" text "](" up() to_headers "/" path ")"
  return text
}

BEGIN {
  folder = page
  sub(/[^\/]*$/, "", folder)
}

/^ *```/ { fenced = !fenced }
fenced { print; next }

{
  rest = $0
  out = ""
  while (match(rest, /\[[^]]*\]\([^) ]*\)/)) {
    found = substr(rest, RSTART, RLENGTH)
    split_at = index(found, "](")
    out = out substr(rest, 1, RSTART - 1) \
      link(substr(found, 2, split_at - 2), substr(found, split_at + 2, RLENGTH - split_at - 2))
    rest = substr(rest, RSTART + RLENGTH)
  }
  print out rest
}
