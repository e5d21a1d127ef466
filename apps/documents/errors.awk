# SPDX-License-Identifier: Apache-2.0
# The catalogue of errors, apps/documents/errors.md, of what the sources say about each code:
#   awk -f apps/documents/errors.awk libfhe/error.hpp apps/support/failure.hpp apps/support/failure.cpp apps/python/fhe/errors.py
# The order of the files does not matter. A code that one of them does not have ends it with status 1. Any awk of POSIX.

# Codes, and what they mean, with the lines that go on.
FILENAME ~ /error\.hpp$/ && /^enum class ErrorCode/ { in_codes = 1; next }
in_codes && /^};/ { in_codes = 0 }
in_codes && /^ +[a-z_]+, +\/\/ / {
  code = $1
  sub(/,$/, "", code)
  codes[++count] = code
  text = $0
  sub(/^[^\/]*\/\/ /, "", text)
  meaning[code] = text
  next
}
in_codes && /^ +\/\/ / {
  text = $0
  sub(/^ *\/\/ /, "", text)
  meaning[code] = meaning[code] " " text
}

# Exit codes by name, and which code of an error leads to which.
FILENAME ~ /failure\.hpp$/ && /^enum class ExitCode/ { in_exits = 1; next }
in_exits && /^};/ { in_exits = 0 }
in_exits && /^ +[a-z_]+ = [0-9]+,/ { number[$1] = $3 + 0 }
FILENAME ~ /failure\.cpp$/ && /case ErrorCode::/ {
  code = $0
  sub(/^.*ErrorCode::/, "", code)
  sub(/:.*/, "", code)
  waiting[++cases] = code
}
FILENAME ~ /failure\.cpp$/ && /return ExitCode::/ {
  name = $0
  sub(/^.*ExitCode::/, "", name)
  sub(/;.*/, "", name)
  for (; cases > 0; cases--) exit_name[waiting[cases]] = name
}

# Classes of Python.
FILENAME ~ /errors\.py$/ && /^class / {
  class = $2
  sub(/[(:].*/, "", class)
}
FILENAME ~ /errors\.py$/ && /^    code = "[a-z_]+"/ {
  code = $3
  gsub(/"/, "", code)
  of_python[code] = class
}

END {
  print "# Errors"
  print ""
  print "Every operation of the library gives the right result or throws `fhe::Error`, with one of these codes and a message that says what"
  print "is wrong and what to do about it. Programs print the message on standard error as one line, and end with the exit code; with"
  print "`--json` they print the code too. In Python, each code has a class below `fhe.Error`."
  print ""
  print "Made from the sources by [errors.awk](errors.awk)."
  print ""
  print "| code | what it means | exit code | in Python |"
  print "|---|---|---:|---|"
  for (i = 1; i <= count; i++) {
    code = codes[i]
    if (!(code in exit_name) || !(exit_name[code] in number) || !(code in of_python)) {
      print "errors.awk: " code " has no exit code or no class of Python" > "/dev/stderr"
      failed = 1
    }
    printf "| `%s` | %s | %d | `fhe.%s` |\n", code, meaning[code], number[exit_name[code]], of_python[code]
  }
  print ""
  print "Programs know two more: `usage`, for a command line that cannot be understood, ends with 2, and `internal`, for what should not"
  print "happen, with 1."
  exit failed || !count
}
