# SPDX-License-Identifier: Apache-2.0
# fhe_add_backend(NAME SOURCES...): a plug-in NAME.so, which offers one backend to any program with fhe. One source
# defines fhe_backend_plugin (accel/plugin/export_backend.hpp, or backend_abi.h alone); no other symbol is seen from
# outside. Link what else it needs with target_link_libraries(NAME PRIVATE ...).
set(FHE_PLUGIN_MAP "${CMAKE_CURRENT_LIST_DIR}/plugin.map")
function(fhe_add_backend name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" LINK_DEPENDS "${FHE_PLUGIN_MAP}"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # In the tree of fhe the property FHE_INTERNALS gives it what is no part of the interface.
  target_link_libraries(${name} PRIVATE $<IF:$<BOOL:$<TARGET_PROPERTY:FHE_INTERNALS>>,fhe_internals,fhe::fhe>)
  target_link_options(${name} PRIVATE "LINKER:--version-script=${FHE_PLUGIN_MAP}" "LINKER:--no-undefined"
    "LINKER:-z,nodelete")  # GMP may keep functions of its libfhe
endfunction()
