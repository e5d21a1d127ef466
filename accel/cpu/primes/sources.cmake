# SPDX-License-Identifier: Apache-2.0
# The search for primes, for the target fhe.
fhe_add_ifma_kernel(FHE_FERMAT_KERNEL "${CMAKE_CURRENT_LIST_DIR}/fermat_kernel.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/fermat_test.cpp")
