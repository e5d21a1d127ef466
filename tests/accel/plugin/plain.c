/* SPDX-License-Identifier: Apache-2.0
 * The least that a plug-in needs, in C99 and without libfhe: products as they are learnt at school. */
#include <stdlib.h>

#include "accel/plugin/backend_abi.h"

struct fhe_backend {
  int unused;
};

static void set_text(fhe_backend_error* error, const char* text) {
  size_t i = 0;
  while (text[i] != 0 && i + 1 < sizeof error->message) {
    error->message[i] = text[i];
    ++i;
  }
  error->message[i] = 0;
}

static int open_plain(const char* options, fhe_backend** backend, fhe_backend_error* error) {
  if (options[0] != 0) {
    set_text(error, "it takes no options");
    return FHE_BACKEND_INVALID_ARGUMENT;
  }
  *backend = malloc(sizeof **backend);
  if (*backend == NULL) {
    set_text(error, "no memory");
    return FHE_BACKEND_OUT_OF_MEMORY;
  }
  return FHE_BACKEND_OK;
}

static void close_plain(fhe_backend* backend) {
  free(backend);
}

static void facts_of_plain(const fhe_backend* backend, fhe_backend_facts* facts) {
  (void)backend;
  facts->description = "school products in C";
  facts->max_operand_bits = (size_t)1 << 22;
  facts->native = "multiply";
}

__extension__ typedef unsigned __int128 two_limbs;

/* out[0 .. count] += x * digit */
static void add_multiple(uint64_t* out, const uint64_t* x, size_t count, uint64_t digit) {
  uint64_t carry = 0;
  for (size_t i = 0; i < count; ++i) {
    const two_limbs sum = (two_limbs)x[i] * digit + out[i] + carry;
    out[i] = (uint64_t)sum;
    carry = (uint64_t)(sum >> 64);
  }
  out[count] = carry;
}

static int multiply_plain(const fhe_backend* backend, const fhe_number* x, const fhe_number* y,
                          fhe_result* product, fhe_backend_error* error) {
  (void)backend;
  (void)error;
  for (size_t i = 0; i < product->count; ++i) product->limbs[i] = 0;
  for (size_t j = 0; j < y->count; ++j) {
    add_multiple(product->limbs + j, x->limbs, x->count, y->limbs[j]);
  }
  return FHE_BACKEND_OK;
}

const fhe_backend_table* fhe_backend_plugin(uint32_t host_abi_version) {
  static const fhe_backend_table table = {.abi_version = FHE_BACKEND_ABI_VERSION,
                                          .size = sizeof(fhe_backend_table),
                                          .version = "0.1",
                                          .summary = "school products",
                                          .open = open_plain,
                                          .close = close_plain,
                                          .facts = facts_of_plain,
                                          .multiply = multiply_plain};
  (void)host_abi_version;
  return &table;
}
