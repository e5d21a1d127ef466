# SPDX-License-Identifier: Apache-2.0
# Sources of the transforms over three primes, for the target fhe. Each instruction set has one source with its own flags,
# which runs only where the processor has them.
set(three_primes_dir "${PROJECT_SOURCE_DIR}/accel/cpu/three_primes")
target_sources(fhe PRIVATE
  "${three_primes_dir}/three_primes_plan.cpp" "${three_primes_dir}/make_tables.cpp" "${three_primes_dir}/shape.cpp"
  "${three_primes_dir}/kernels.cpp")
# The sums of exact parts of reals are to be fused where the source says so, and nowhere else.
set(three_primes_avx2_flags -O3 -mavx2 -mfma -ffp-contract=off)
set(three_primes_avx512_flags -O3 -mavx512f -mavx512dq -mavx512bw -mavx512vl -ffp-contract=off)
set(three_primes_neon_flags -O3 -ffp-contract=off)
set(three_primes_ifma_flags -O3 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mavx512vbmi2)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Tuned for the nearest processors that gcc 12 knows: AVX-512 4 to 9 % on Zen 5, AVX2 1 %. And gcc warns of the undefined
  # vectors in its own header, falsely (its bug 105593).
  list(APPEND three_primes_avx2_flags -mtune=haswell)
  list(APPEND three_primes_avx512_flags -mtune=icelake-server -Wno-uninitialized -Wno-maybe-uninitialized)
  list(APPEND three_primes_ifma_flags -mtune=icelake-server -Wno-maybe-uninitialized)
endif()
set(three_primes_avxifma_flags -O3 -mavx2)
set(three_primes_kernels ${FHE_VECTOR_KERNELS})
if(FHE_AVXIFMA)
  list(APPEND three_primes_kernels avxifma)
  set_source_files_properties("${three_primes_dir}/kernels.cpp" TARGET_DIRECTORY fhe PROPERTIES
    COMPILE_DEFINITIONS FHE_AVXIFMA)
endif()
foreach(kernel IN LISTS three_primes_kernels)
  target_sources(fhe PRIVATE "${three_primes_dir}/kernel_${kernel}.cpp")
  set_source_files_properties("${three_primes_dir}/kernel_${kernel}.cpp" TARGET_DIRECTORY fhe PROPERTIES
    COMPILE_OPTIONS "${three_primes_${kernel}_flags}")
endforeach()
