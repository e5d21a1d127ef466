# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: the library with its public headers, the files by which CMake
# (find_package(fhe)) and pkg-config find it, the parameter groups, and the documents.
# The installed tree may be moved: nothing in it names its own place.
#
# Components, each a package for Debian (apps/packaging): runtime, the shared library; development, what programs are
# built with; tools, the programs; fpga and gpu, the plug-ins; python; documents.
include(CMakePackageConfigHelpers)

set(FHE_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/fhe")
set(FHE_INSTALL_PKGCONFIGDIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(TARGETS fhe EXPORT fheTargets
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development
  FILE_SET HEADERS COMPONENT development
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

install(EXPORT fheTargets NAMESPACE fhe:: DESTINATION "${FHE_INSTALL_CMAKEDIR}" COMPONENT development)
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/fheConfig.cmake.in" "${PROJECT_BINARY_DIR}/fheConfig.cmake"
  INSTALL_DESTINATION "${FHE_INSTALL_CMAKEDIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/fheConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/fheConfig.cmake" "${PROJECT_BINARY_DIR}/fheConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindGMP.cmake" "${CMAKE_CURRENT_LIST_DIR}/FindNTL.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/fhe_add_backend.cmake" "${CMAKE_CURRENT_LIST_DIR}/plugin.map"
  DESTINATION "${FHE_INSTALL_CMAKEDIR}" COMPONENT development)

# A static archive needs its own libraries on every user's link line. A shared object brings them; named as private ones,
# pkg-config would ask for their development files all the same.
set(FHE_PC_REQUIRES "gmpxx")
set(FHE_PC_LIBS "-L\${libdir} -lfhe")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND FHE_PC_REQUIRES ", libcrypto >= 3.0, fmt >= 9, tbb >= 2021")
  string(APPEND FHE_PC_LIBS " -lntl -pthread")
endif()
set(pcdir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH FHE_PC_PREFIX "${pcdir}" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" FHE_PC_PREFIX "${FHE_PC_PREFIX}")
file(RELATIVE_PATH FHE_PC_INCLUDEDIR "${pcdir}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/fhe.pc.in" "${PROJECT_BINARY_DIR}/fhe.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/fhe.pc" DESTINATION "${FHE_INSTALL_PKGCONFIGDIR}" COMPONENT development)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/params/" DESTINATION "${CMAKE_INSTALL_DATADIR}/fhe/params" COMPONENT tools
  FILES_MATCHING PATTERN "*.toml")
