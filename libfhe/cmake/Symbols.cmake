# SPDX-License-Identifier: Apache-2.0
# Who can link with which symbols of the library: its users with those that FHE_EXPORT marks (libfhe/export.hpp), the
# tests and the simulated devices with all.
set_target_properties(fhe PROPERTIES
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  DEFINE_SYMBOL "")  # the same objects for both kinds of library

# Templates of the standard library, which makes them visible itself, are no part of the interface.
set(symbols_map "${CMAKE_CURRENT_LIST_DIR}/symbols.map")
# Never unloaded: GMP calls functions of it (libfhe/arith/gmp_memory.hpp), and exit() its handlers.
target_link_options(fhe PRIVATE "LINKER:--version-script=${symbols_map}" "LINKER:-z,nodelete")
set_target_properties(fhe PROPERTIES LINK_DEPENDS "${symbols_map}")

# The library is fhe_shared or fhe_internals; the other one has the same objects, and is built when something needs it.
function(fhe_link_again name kind)
  add_library(${name} ${kind} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:fhe>)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS "${symbols_map}")
  target_compile_features(${name} INTERFACE cxx_std_20)
  target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC GMP::gmpxx GMP::gmp
    PRIVATE $<GENEX_EVAL:$<TARGET_PROPERTY:fhe,LINK_LIBRARIES>>)
  target_link_options(${name} PRIVATE $<TARGET_PROPERTY:fhe,LINK_OPTIONS>)
endfunction()
if(BUILD_SHARED_LIBS)
  add_library(fhe_shared ALIAS fhe)
  fhe_link_again(fhe_internals STATIC)
else()
  fhe_link_again(fhe_shared SHARED)
  add_library(fhe_internals ALIAS fhe)
endif()

# fhe_of_program: what in this tree links the library where it stands on more than the public headers, or below
# programs that do. Programs with the property FHE_INTERNALS get fhe_internals, all others fhe: so none has two copies
# of the library, with two registries of backends.
define_property(TARGET PROPERTY FHE_INTERNALS INITIALIZE_FROM_VARIABLE FHE_INTERNALS)
add_library(fhe_of_program INTERFACE)
target_link_libraries(fhe_of_program INTERFACE
  $<IF:$<BOOL:$<TARGET_PROPERTY:FHE_INTERNALS>>,fhe_internals,fhe>)
