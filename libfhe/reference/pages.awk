# SPDX-License-Identifier: Apache-2.0
# Makes a page of the reference from a README, for Doxygen, which reads Markdown through this filter.
# Lines keep their numbers. Set by -v: `root`, the folder that all paths start from, and `pages`, the
# paths of all pages, with a space before and after each.
#
#   ## The house            gets a name by which links find it
#   [text](other/page.md)   leads to that page, and [text](#the-house) to the heading
#   [text](other/file)      is only text: the file is not in the reference
#   `f'(x)`, `\\`            Doxygen would see the end of the code elsewhere
#
# Any awk of POSIX, after links.awk.

# "libfhe/storage/FORMAT.md" as a name for Doxygen: the page, or one of its headings.
function page_name(path, heading) {
  path = "page/" path (heading == "" ? "" : "/" heading)
  gsub(/[^A-Za-z0-9]+/, "_", path)
  return path
}

# As GitHub makes the anchor of a heading.
function anchor(heading) {
  heading = tolower(heading)
  gsub(/[^a-z0-9 _-]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}

# Where a link leads that starts with `text`, as it is written.
function link(text, target,    hash, heading, path) {
  if (target ~ /^[a-z]+:/) return "[" text "](" target ")"
  hash = index(target, "#")
  heading = hash ? substr(target, hash + 1) : ""
  path = hash ? substr(target, 1, hash - 1) : target
  path = path == "" ? page : resolved(path)
  if (path ~ /\.hpp$/) return "[" text "](" root "/" path ")"
  if (!index(pages, " " path " ")) return text
  return "[" text "](@ref " page_name(path, heading) ")"
}

# What stood in backticks.
function code(text) {
  if (text !~ /['"\\]/) return "`" text "`"
  gsub(/[\\"<>&@#%_*]/, "\\\\&", text)
  return "<code>" text "</code>"
}

FNR == 1 {
  page = substr(FILENAME, length(root) + 2)
  folder = page
  sub(/[^\/]*$/, "", folder)
}

/^ *```/ { fenced = !fenced }
fenced { print; next }

/^#+ / {
  title = $0
  sub(/^#+ /, "", title)
  print $0 " {#" (/^# / ? page_name(page) : page_name(page, anchor(title))) "}"
  next
}

{
  text = with_links($0)
  parts = split(text, part, "`")
  if (parts % 2 == 0) { print text; next }
  line = part[1]
  for (i = 2; i <= parts; i += 2) {
    line = line code(part[i]) part[i + 1]
  }
  print line
}
