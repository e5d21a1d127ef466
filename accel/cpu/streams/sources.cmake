# SPDX-License-Identifier: Apache-2.0
# The passes over streams. Each instruction set has one source of vector code with its own flags, which runs only where the
# processor has them.
target_sources(fhe PRIVATE "${CMAKE_CURRENT_LIST_DIR}/streams.cpp")
if(FHE_VECTOR_KERNELS)
  target_sources(fhe PRIVATE
    "${CMAKE_CURRENT_LIST_DIR}/dense_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/grouped_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/karatsuba_pass.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/lane_stream.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/product_windows.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/residues.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/selected_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/sparse_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/spectral_plan.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/spectral_sums.cpp")
  set(stream_kernels ${FHE_VECTOR_KERNELS})
  if("avx2" IN_LIST stream_kernels)
    list(APPEND stream_kernels avx2_vaes)
  endif()
  set(stream_definitions FHE_STREAM_KERNELS)
  if(FHE_AVXIFMA)
    list(APPEND stream_kernels avxifma)
    list(APPEND stream_definitions FHE_AVXIFMA)
    set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/spectral_plan.cpp" TARGET_DIRECTORY fhe PROPERTIES
      COMPILE_DEFINITIONS FHE_AVXIFMA)
  endif()
  set(stream_avx2_flags -mavx2 -maes)
  set(stream_avx2_vaes_flags ${stream_avx2_flags} -mvaes)
  set(stream_avxifma_flags ${stream_avx2_vaes_flags})
  set(stream_avx512_flags -mavx512f -mavx512dq -mavx512bw -mavx512vl -maes)
  set(stream_neon_flags -march=armv8-a+crypto)
  set(stream_ifma_flags ${stream_avx512_flags} -mavx512ifma -mavx512vbmi2 -mvaes)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc 12 takes the undefined registers of its own intrinsics for ours (gcc bug 105593).
    list(APPEND stream_avx512_flags -Wno-uninitialized -Wno-maybe-uninitialized)
    list(APPEND stream_ifma_flags -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  foreach(kernel IN LISTS stream_kernels)
    target_sources(fhe PRIVATE "${CMAKE_CURRENT_LIST_DIR}/kernel_${kernel}.cpp")
    set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/kernel_${kernel}.cpp" TARGET_DIRECTORY fhe PROPERTIES
      COMPILE_OPTIONS "${stream_${kernel}_flags}")
  endforeach()
  # Sums of exact parts of reals are to be fused where the source says so, and nowhere else.
  set(stream_avx2_flags -mavx2 -mfma)
  set(stream_avxifma_flags -mavx2)
  set(stream_neon_flags)
  list(REMOVE_ITEM stream_kernels avx2_vaes)
  foreach(kernel IN LISTS stream_kernels)
    target_sources(fhe PRIVATE "${CMAKE_CURRENT_LIST_DIR}/spectral_${kernel}.cpp")
    set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/spectral_${kernel}.cpp" TARGET_DIRECTORY fhe PROPERTIES
      COMPILE_OPTIONS "${stream_${kernel}_flags};-ffp-contract=off")
  endforeach()
  set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/streams.cpp" TARGET_DIRECTORY fhe PROPERTIES
    COMPILE_DEFINITIONS "${stream_definitions}")
endif()
