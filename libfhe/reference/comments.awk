# SPDX-License-Identifier: Apache-2.0
# Turns the plain // comments of a public header into comments for Doxygen, which reads headers
# through this filter. Lines keep their numbers.
#
#   // Text                   a block before a declaration documents it, and every declaration that
#   // of several lines.      follows without a blank line and without a comment of its own, except
#                             destructors, overrides and what is deleted
#   int x;  // text           documents x, and goes on in lines of comment right below it
#   // before #pragma once    documents the file (or before #ifndef NAME_H), and before #define the macro
#   //   indented             keeps its layout, in the font of code
#   // and a blank line       documents nothing
#
# All else in a comment is text: no character of it is a command to Doxygen, except that what stands
# in backticks is set in the font of code. Comments inside functions are left alone. A period right
# before < ends the first sentence for Doxygen: `name.SUFFIX` instead of `name.<suffix>`. Any POSIX awk.

function plain(text,    out, parts, n, i) {
  gsub(/[\\@&$#<>%"]/, "\\\\&", text)
  n = split(text, parts, "`")
  out = parts[1]
  for (i = 2; i <= n; i++) {
    in_code = !in_code
    out = out (in_code ? "<tt>" : "</tt>") parts[i]
  }
  return out
}

# The lines of the block, as documentation or as the comment that they were.
function print_block(documents,    i, laid_out, next_laid_out, line_end) {
  in_code = 0
  for (i = 1; i <= blocks && pending; i++) {
    laid_out = block[i] ~ /^   /
    next_laid_out = i < blocks && block[i + 1] ~ /^   /
    if (!documents) { print margin "//" block[i]; continue }
    line_end = laid_out && !next_laid_out ? " @endverbatim" : !laid_out && next_laid_out ? " @verbatim" : ""
    print margin (i == 1 ? "/**" (laid_out ? " @verbatim" : "") : "") (laid_out ? block[i] : plain(block[i])) line_end \
      (i == blocks ? " */" : "")
  }
  pending = 0
}

# The same block on one line, for a declaration that shares it.
function block_on_one_line(    out, i) {
  in_code = 0
  for (i = 1; i <= blocks; i++) {
    out = out (block[i] ~ /^ *$/ ? " <p>" : block[i] ~ /^   / ? "<br>" : "") plain(block[i])
  }
  return "/**" out " */ "
}

# Follows the braces of a line of code. `scopes` has a letter for each that is open: d where
# declarations stand in it, b otherwise (bodies of functions, initial values). `inside` tells whether
# a declaration goes on after the line.
function follow(code,    i, c, letter) {
  letter = code ~ /^ *(typedef )?(namespace|class|struct|enum|union|extern "C") ?/ ? "d" : "b"
  for (i = 1; i <= length(code); i++) {
    c = substr(code, i, 1)
    if (c == "{") scopes = scopes letter
    if (c == "}") scopes = substr(scopes, 1, length(scopes) - 1)
  }
  inside = code !~ /[;{}] *$|^ *(public|protected|private): *$/ &&
           (inside || code !~ /^ *[A-Za-z_0-9]+( = [^,]+)?, *$/)  # or an enumerator
}

function code_of(line) { sub(/ *\/\/.*/, "", line); return line }

scopes ~ /b/ { print; follow(code_of($0)); next }

/^\/\/ SPDX-License-Identifier/ { print ""; next }
/^#pragma once/ { print_block(1); print "/// @file"; blocks = 0; next }
/^#ifndef [A-Z_]+_H$/ { print_block(1); print "/// @file"; blocks = 0 }
/^#define/ { print_block(1) }
/^#/ { print; next }

/^ *$/ { print_block(0); blocks = trailing = 0; print; next }

/^ *\/\// && !inside {
  at = index($0, "//")
  text = substr($0, at + 2)
  if (at == trailing) { print substr($0, 1, at - 1) "///<" plain(text); next }
  if (!pending) blocks = 0
  pending = 1
  trailing = 0
  margin = substr($0, 1, at - 1)
  gsub(/\*\//, "* /", text)
  block[++blocks] = text
  next
}

{
  line = $0
  code = code_of(line)
  comment = length(code) < length(line) && line !~ /^ *}|\/\/ NOLINT/
  if (!pending && blocks && !inside && !comment &&
      code !~ /^ *(public|protected|private):|^ *}|^ *(virtual )?~|static_assert|override|= delete;/) {
    match(line, /^ */)
    line = substr(line, 1, RLENGTH) block_on_one_line() substr(line, RLENGTH + 1)
  }
  print_block(1)
  trailing = 0
  in_code = 0
  if (comment) {
    trailing = index($0, "//")
    line = substr($0, 1, trailing - 1) "///<" plain(substr($0, trailing + 2))
  }
  sub(/explicit\(false\) /, "", line)  # which Doxygen takes for a function
  print line

  # What stands inside a class or behind it does not share the comment of the class.
  before = scopes
  follow(code)
  gsub(/b/, "", before)
  after = scopes
  gsub(/b/, "", after)
  if (after != before) blocks = 0
}

END { print_block(0) }
