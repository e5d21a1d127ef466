# SPDX-License-Identifier: Apache-2.0
# The search for primes, for the target fhe.
fhe_add_ifma_kernels("${CMAKE_CURRENT_LIST_DIR}/fermat" FHE_FERMAT_KERNEL "${CMAKE_CURRENT_LIST_DIR}/fermat_test.cpp")
