# SPDX-License-Identifier: Apache-2.0
# Reduction by short complements and products with short factors, for the target fhe.
target_sources(fhe PRIVATE "${CMAKE_CURRENT_LIST_DIR}/product.cpp")
fhe_add_ifma_kernel(FHE_FOLD_KERNEL "${CMAKE_CURRENT_LIST_DIR}/fold_ifma.cpp" "${CMAKE_CURRENT_LIST_DIR}/fold.cpp")
if(FHE_AVXIFMA)
  target_sources(fhe PRIVATE "${CMAKE_CURRENT_LIST_DIR}/fold_avxifma.cpp")
  set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/fold_avxifma.cpp" TARGET_DIRECTORY fhe PROPERTIES
    COMPILE_OPTIONS "-O3;-mavx2")
  set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/fold.cpp" TARGET_DIRECTORY fhe PROPERTIES
    COMPILE_DEFINITIONS "FHE_FOLD_KERNEL;FHE_AVXIFMA")
endif()
