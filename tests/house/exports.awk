# SPDX-License-Identifier: Apache-2.0
# The declarations of public headers that a shared library has to offer, one a line:
#
#   class fhe::Netlist                            marked by FHE_EXPORT
#   function fhe::dghv::make_rung                 the same
#   unmarked libfhe/circuit/netlist.hpp: ...      neither marked, nor a template, nor inline
#
# Friends that are functions count among them. Reads code in the layout of clang-format: what stands in a namespace
# begins at the margin, and a friend on a line of its own. Any POSIX awk.

# A whole declaration on one line, its body included.
function judge(text,    head) {
  head = text
  sub(/[{;].*/, "", head)
  if (head ~ /(^|[^A-Za-z_])(template|using|enum|inline|constexpr|static_assert)([^A-Za-z_]|$)/) return
  if (head !~ /FHE_EXPORT/) {
    if (head ~ /^(class|struct)/ && text !~ /{/) return  # is defined elsewhere
    print "unmarked " FILENAME ": " head
  } else if (head ~ /^(class|struct)/) {
    sub(/^[a-z]+ FHE_EXPORT /, "", head)
    sub(/[^A-Za-z0-9_].*/, "", head)
    print "class " scope head
  } else {
    sub(/\(.*/, "", head)
    sub(/.* /, "", head)
    print "function " scope head
  }
}

{ sub(/ *\/\/.*/, "") }
/^ *$|^#/ { next }

!depth && /^namespace / { outer[++spaces] = scope; scope = scope $2 "::"; next }
!depth && /^}/ { scope = outer[spaces--]; next }

depth && /^ +friend [^{=]*\(.*;$/ { friend = $0; sub(/^ +friend /, "", friend); judge(friend) }

{
  declaration = declaration (declaration ? " " : "") $0
  line = $0
  depth += gsub(/{/, "", line) - gsub(/}/, "", line)
  if (!depth && /[;}]$/) {
    judge(declaration)
    declaration = ""
  }
}
