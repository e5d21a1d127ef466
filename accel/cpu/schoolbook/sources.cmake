# SPDX-License-Identifier: Apache-2.0
# Reduction by short complements, for the target fhe.
fhe_add_ifma_kernel("${CMAKE_CURRENT_LIST_DIR}/fold_kernel.cpp" "${CMAKE_CURRENT_LIST_DIR}/fold.cpp" FHE_FOLD_KERNEL)
