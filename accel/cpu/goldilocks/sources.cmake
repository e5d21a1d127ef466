# SPDX-License-Identifier: Apache-2.0
# The transform over p = 2^64 - 2^32 + 1. Each instruction set has one source with its own flags,
# which runs only where the processor has them.
target_sources(fhe PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/field.cpp
  ${CMAKE_CURRENT_LIST_DIR}/goldilocks_plan.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernel_portable.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tables.cpp)
fhe_compile_alone(fhe ${CMAKE_CURRENT_LIST_DIR}/kernel_portable.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_sources(fhe PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/kernel_avx2.cpp
    ${CMAKE_CURRENT_LIST_DIR}/kernel_avx512.cpp
    ${CMAKE_CURRENT_LIST_DIR}/kernel_ifma.cpp)
  set(goldilocks_avx2_flags -O3 -mavx2)
  set(goldilocks_avx512_flags -O3 -mavx512f -mavx512dq -mavx512bw -mavx512vl)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc 12 warns of the undefined vectors in its own header, falsely (its bug 105593).
    list(APPEND goldilocks_avx512_flags -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=address")
    # Following the scope of every inlined lane makes gcc 12 take minutes for each of these sources.
    list(APPEND goldilocks_avx2_flags -fno-sanitize-address-use-after-scope)
    list(APPEND goldilocks_avx512_flags -fno-sanitize-address-use-after-scope)
  endif()
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/kernel_avx2.cpp
    TARGET_DIRECTORY fhe PROPERTIES COMPILE_OPTIONS "${goldilocks_avx2_flags}")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/kernel_avx512.cpp
    TARGET_DIRECTORY fhe PROPERTIES COMPILE_OPTIONS "${goldilocks_avx512_flags}")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/kernel_ifma.cpp
    TARGET_DIRECTORY fhe PROPERTIES COMPILE_OPTIONS "${goldilocks_avx512_flags};-mavx512ifma")
endif()
