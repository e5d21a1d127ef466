# SPDX-License-Identifier: Apache-2.0
# The kernels for AVX-IFMA where no processor has it and no emulator knows it: their twins, the same sources with the
# 52-bit products of AVX-512 (accel/cpu/simd/avxifma.hpp), for processors that have those. A program that links the twins
# takes itself for one without AVX-512. `same_code.sh` proves that the code is the same but for the encoding of these
# products.
set(engine "${PROJECT_SOURCE_DIR}/accel/cpu")
set(twins primes/fermat_avxifma.cpp schoolbook/fold_avxifma.cpp streams/kernel_avxifma.cpp streams/spectral_avxifma.cpp
  three_primes/kernel_avxifma.cpp)
list(TRANSFORM twins PREPEND "${engine}/")
add_library(fhe_avxifma_twins OBJECT "${engine}/kernel.cpp" ${twins})
foreach(source IN LISTS twins)
  get_source_file_property(flags "${source}" TARGET_DIRECTORY fhe COMPILE_OPTIONS)
  set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "${flags}")
endforeach()
set_target_properties(fhe_avxifma_twins PROPERTIES UNITY_BUILD OFF COMPILE_OPTIONS "" CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
target_compile_definitions(fhe_avxifma_twins PRIVATE FHE_EVEX_TWIN $<$<BOOL:${FHE_VERIFY_BOUNDS}>:FHE_VERIFY_BOUNDS>)
target_include_directories(fhe_avxifma_twins PRIVATE "${PROJECT_SOURCE_DIR}")

# add_twin(NAME PROGRAM): a program of this tree with the twins. The linker takes them before the sources of the same
# names in the library, of which it takes only what is still missing.
function(add_twin name program)
  add_executable(${name} $<TARGET_OBJECTS:${program}> $<TARGET_OBJECTS:fhe_avxifma_twins>)
  set_target_properties(${name} PROPERTIES FHE_INTERNALS ON LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE $<TARGET_PROPERTY:${program},LINK_LIBRARIES>)
endfunction()

add_twin(fhe_avxifma_tests fhe_tests)
set(spec "[streams]" "[three_primes]" "three primes: *")
list(TRANSFORM spec PREPEND "~[long]~[alone]~[.]")
list(JOIN spec "," spec)
catch_discover_tests(fhe_avxifma_tests TEST_SPEC "${spec}" TEST_PREFIX "avxifma: " PROPERTIES LABELS quick)
add_dependencies(fhe_avxifma_tests fhe_cli)

find_package(spdlog 1.10 REQUIRED)
add_twin(fhe_avxifma_cli fhe_cli)
add_test(NAME emulated.avxifma COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/avxifma.sh" $<TARGET_FILE:fhe_avxifma_cli>)
set_tests_properties(emulated.avxifma PROPERTIES LABELS quick COST ${FHE_LONGEST_FIRST} SKIP_RETURN_CODE 77)
if(TARGET fhe_bench)  # for measurements; nothing runs it
  find_package(benchmark REQUIRED)
  add_twin(fhe_avxifma_bench fhe_bench)
  set_target_properties(fhe_avxifma_bench PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

# Sanitizers put addresses of the program into the code.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  return()
endif()
file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/shipped.txt" CONTENT "$<JOIN:$<TARGET_OBJECTS:fhe>,\n>\n")
file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/twins.txt" CONTENT "$<JOIN:$<TARGET_OBJECTS:fhe_avxifma_twins>,\n>\n")
add_test(NAME emulated.same_code COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/same_code.sh"
  "${CMAKE_CURRENT_BINARY_DIR}/shipped.txt" "${CMAKE_CURRENT_BINARY_DIR}/twins.txt")
set_tests_properties(emulated.same_code PROPERTIES LABELS quick)
