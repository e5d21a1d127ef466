# SPDX-License-Identifier: Apache-2.0
# Reduction by short complements and products with short factors, for the target fhe.
target_sources(fhe PRIVATE "${CMAKE_CURRENT_LIST_DIR}/product.cpp")
fhe_add_ifma_kernels("${CMAKE_CURRENT_LIST_DIR}/fold" FHE_FOLD_KERNEL "${CMAKE_CURRENT_LIST_DIR}/fold.cpp")
