# SPDX-License-Identifier: Apache-2.0
# The search for primes, for the target fhe: vector code only in a file of its own, with flags of its own.
target_sources(fhe PRIVATE "${CMAKE_CURRENT_LIST_DIR}/fermat_test.cpp")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(fermat_kernel "${CMAKE_CURRENT_LIST_DIR}/fermat_kernel.cpp")
  target_sources(fhe PRIVATE "${fermat_kernel}")
  set(fermat_kernel_flags -O3 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mavx512vbmi2)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc 12 takes the undefined registers of its own intrinsics for ours (gcc bug 105593).
    list(APPEND fermat_kernel_flags -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  set_source_files_properties("${fermat_kernel}" TARGET_DIRECTORY fhe PROPERTIES
    COMPILE_OPTIONS "${fermat_kernel_flags}")
  set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/fermat_test.cpp" TARGET_DIRECTORY fhe
    PROPERTIES COMPILE_DEFINITIONS FHE_FERMAT_KERNEL)
endif()
