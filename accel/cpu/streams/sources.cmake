# SPDX-License-Identifier: Apache-2.0
# The stream kernels: vector code only in files of its own, with flags of its own.
target_sources(fhe PRIVATE "${CMAKE_CURRENT_LIST_DIR}/streams.cpp")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(stream_vector_sources
    "${CMAKE_CURRENT_LIST_DIR}/aes_lanes.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/digit_rows.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/karatsuba.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/karatsuba_interpolation.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/selection_kernel.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/sparse_kernel.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/spectral_kernel.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/view_kernel.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/window_kernel.cpp")
  target_sources(fhe PRIVATE
    "${CMAKE_CURRENT_LIST_DIR}/chunk_form.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/dense_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/grouped_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/karatsuba_pass.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/lane_stream.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/overlapping_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/product_windows.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/residues.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/selected_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/sparse_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/spectral_plan.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/spectral_sums.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/spectral_weights.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/view_sums.cpp"
    ${stream_vector_sources})
  set(stream_vector_flags
    -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mavx512vbmi2 -mvaes -maes)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc 12 takes the undefined registers of its own intrinsics for ours (gcc bug 105593).
    list(APPEND stream_vector_flags -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  set_source_files_properties(${stream_vector_sources} TARGET_DIRECTORY fhe PROPERTIES
    COMPILE_OPTIONS "${stream_vector_flags}")
  set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/streams.cpp" TARGET_DIRECTORY fhe
    PROPERTIES COMPILE_DEFINITIONS FHE_STREAM_KERNELS)
endif()
