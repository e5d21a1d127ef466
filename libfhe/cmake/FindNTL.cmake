# SPDX-License-Identifier: Apache-2.0
# Finds NTL: target NTL::ntl, version in NTL_VERSION.
find_package(GMP QUIET)
find_package(Threads QUIET)
find_path(NTL_INCLUDE_DIR NTL/ZZ.h)
find_library(NTL_LIBRARY ntl)
if(NTL_INCLUDE_DIR AND EXISTS "${NTL_INCLUDE_DIR}/NTL/version.h")
  file(STRINGS "${NTL_INCLUDE_DIR}/NTL/version.h" _ntl_version REGEX "#define NTL_VERSION +\"")
  string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" NTL_VERSION "${_ntl_version}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NTL
  REQUIRED_VARS NTL_LIBRARY NTL_INCLUDE_DIR VERSION_VAR NTL_VERSION
  REASON_FAILURE_MESSAGE "install the package libntl-dev")
mark_as_advanced(NTL_INCLUDE_DIR NTL_LIBRARY)
if(NTL_FOUND AND NOT TARGET NTL::ntl)
  add_library(NTL::ntl UNKNOWN IMPORTED)
  set_target_properties(NTL::ntl PROPERTIES
    IMPORTED_LOCATION "${NTL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${NTL_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "GMP::gmp;Threads::Threads")
endif()
