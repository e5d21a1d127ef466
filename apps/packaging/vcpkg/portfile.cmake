# SPDX-License-Identifier: Apache-2.0
# The library as an overlay port, from the tree that this file lies in:
#   vcpkg install fhe --overlay-ports=apps/packaging/vcpkg
# vcpkg has no NTL. NTL, and GMP, which must be the one that NTL was built with, are those of the system.
message(STATUS "fhe takes GMP and NTL from the system (Debian: apt-get install libgmp-dev libntl-dev)")
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH SOURCE_PATH)
cmake_path(GET SOURCE_PATH PARENT_PATH SOURCE_PATH)
cmake_path(GET SOURCE_PATH PARENT_PATH SOURCE_PATH)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DFHE_BUILD_APPS=OFF
    -DFHE_BUILD_TESTS=OFF
    -DFHE_CLUSTER=OFF
    -DFHE_FPGA=OFF
    -DFHE_GPU=OFF
    -DCMAKE_UNITY_BUILD=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME fhe CONFIG_PATH lib/cmake/fhe)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
