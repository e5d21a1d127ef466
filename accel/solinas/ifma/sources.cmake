# Sources of the IFMA transforms, for the target fhe. The vector code has its own flags, and is
# called only where the processor has the instructions.
set(ifma_dir "${PROJECT_SOURCE_DIR}/accel/solinas/ifma")
set(ifma_vector_sources "${ifma_dir}/digits.cpp" "${ifma_dir}/levels.cpp" "${ifma_dir}/top.cpp")
target_sources(fhe PRIVATE
  "${ifma_dir}/ifma_plan.cpp" "${ifma_dir}/make_tables.cpp" "${ifma_dir}/shape.cpp"
  ${ifma_vector_sources})
set(ifma_flags -O3 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mavx512vbmi2)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Tuned for the nearest processor that gcc 12 knows: 4 % on Zen 5. And gcc warns of the undefined
  # vectors in its own header, falsely (its bug 105593).
  list(APPEND ifma_flags -mtune=icelake-server -Wno-maybe-uninitialized)
endif()
set_source_files_properties(${ifma_vector_sources} TARGET_DIRECTORY fhe PROPERTIES
  COMPILE_OPTIONS "${ifma_flags}")
