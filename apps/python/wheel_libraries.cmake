# SPDX-License-Identifier: Apache-2.0
# Installs the shared libraries that the module `fhe_module` needs into fhe/_libs of a wheel, each under the name by which
# it is looked for, with their licences where the system has them.
set(folder "${CMAKE_INSTALL_PREFIX}/fhe/_libs")
file(GET_RUNTIME_DEPENDENCIES MODULES "${fhe_module}" RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s)\\.so" "^ld-linux")
foreach(library IN LISTS libraries)
  cmake_path(GET library FILENAME name)
  file(REAL_PATH "${library}" file)
  file(INSTALL "${file}" DESTINATION "${folder}" RENAME "${name}")
endforeach()

# Debian's.
foreach(package libgmp libntl libgf2x libtbb libssl libfmt)
  file(GLOB notices /usr/share/doc/${package}[0-9]*/copyright)
  foreach(notice IN LISTS notices)
    file(INSTALL "${notice}" DESTINATION "${folder}/licences" RENAME "${package}.txt")
  endforeach()
endforeach()
foreach(text GPL-2 GPL-3 LGPL-2.1 LGPL-3 Apache-2.0)
  file(INSTALL "/usr/share/common-licenses/${text}" DESTINATION "${folder}/licences" OPTIONAL)
endforeach()
