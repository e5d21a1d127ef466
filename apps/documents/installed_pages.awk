# SPDX-License-Identifier: Apache-2.0
# The documents of this tree as they are installed: links lead to what is installed too, and others become text.
# Set by -v: `root`, the folder that all paths start from, and `to`, that of the documents that are made; `pages` and
# `headers`, the paths of all documents and public headers, with a space before and after each; `to_headers`, the path from
# the installed documents to the installed headers. What stands in .github is installed at the root.
#
#   [text](other.md#heading)   a document that is installed
#   [text](folder)             the README.md of that folder
#   [text](some.hpp)           a public header
#   [text](other/file)         is only text
#
# Any awk of POSIX, after links.awk of libfhe/reference.

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

FNR == 1 {
  if (out) close(out)
  page = substr(FILENAME, length(root) + 2)
  folder = page
  sub(/[^\/]*$/, "", folder)
  out = to "/" installed(page)
  fenced = 0
  printf "" > out
}

/^ *```/ { fenced = !fenced }
{ print fenced ? $0 : with_links($0) > out }
