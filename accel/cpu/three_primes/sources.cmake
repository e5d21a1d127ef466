# SPDX-License-Identifier: Apache-2.0
# Sources of the transforms over three primes, for the target fhe. The vector code has its own flags, and is
# called only where the processor has the instructions.
set(three_primes_dir "${PROJECT_SOURCE_DIR}/accel/cpu/three_primes")
set(three_primes_vector_sources "${three_primes_dir}/digits.cpp" "${three_primes_dir}/levels.cpp" "${three_primes_dir}/top.cpp")
target_sources(fhe PRIVATE
  "${three_primes_dir}/three_primes_plan.cpp" "${three_primes_dir}/make_tables.cpp" "${three_primes_dir}/shape.cpp"
  ${three_primes_vector_sources})
set(three_primes_flags -O3 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mavx512vbmi2)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Tuned for the nearest processor that gcc 12 knows: 4 % on Zen 5. And gcc warns of the undefined
  # vectors in its own header, falsely (its bug 105593).
  list(APPEND three_primes_flags -mtune=icelake-server -Wno-maybe-uninitialized)
endif()
set_source_files_properties(${three_primes_vector_sources} TARGET_DIRECTORY fhe PROPERTIES
  COMPILE_OPTIONS "${three_primes_flags}")
