# SPDX-License-Identifier: Apache-2.0
# fhe_installed_backend(NAME): a plug-in of this tree, which programs find by its name. It is installed, and built, where
# they look for it (accel/plugin/plugin_factories.cpp): a shared libfhe beside itself, a program from its own folder,
# which is apps/NAME in the build and bin where it is installed.
function(fhe_installed_backend name)
  if(BUILD_SHARED_LIBS)
    set(folder "${PROJECT_BINARY_DIR}/fhe/backends")
  else()
    cmake_path(SET folder NORMALIZE "${PROJECT_BINARY_DIR}/apps/cli/${bindir_to_libdir}/fhe/backends")
  endif()
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${folder}")
  if(FHE_INSTALL)
    install(TARGETS ${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/fhe/backends" COMPONENT ${name})
  endif()
endfunction()
