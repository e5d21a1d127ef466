# SPDX-License-Identifier: Apache-2.0
# Reduction by short complements and products with short factors, for the target fhe.
fhe_add_ifma_kernel(FHE_FOLD_KERNEL "${CMAKE_CURRENT_LIST_DIR}/fold_kernel.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/fold.cpp" "${CMAKE_CURRENT_LIST_DIR}/product.cpp")
