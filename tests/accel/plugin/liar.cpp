// SPDX-License-Identifier: Apache-2.0
// A plug-in that does wrong, in the way that its options name. Its results are right otherwise.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include <gmp.h>
#include <unistd.h>

#include "accel/plugin/backend_abi.h"

struct fhe_backend {
  std::string way;
};
struct fhe_ring {
  const fhe_backend* backend;
};
struct fhe_operand {};

namespace {

static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t));

int fail(fhe_backend_error* error, int status, const char* message) {
  std::strncpy(error->message, message, sizeof error->message - 1);
  return status;
}

[[noreturn]] void sleep_for_ever() {
  while (true) ::pause();
}

int open(const char* options, fhe_backend** backend, fhe_backend_error* error) {
  const std::string way = options;
  if (way == "opens_nothing") return FHE_BACKEND_OK;
  if (way == "throws_in_open") throw std::runtime_error("thrown");
  if (way == "no_device") return fail(error, FHE_BACKEND_UNSUPPORTED, "there is no\ndevice here");
  if (way == "no_memory") return fail(error, FHE_BACKEND_OUT_OF_MEMORY, "its memory is full");
  if (way == "unknown_status") return 4711;
  if (way == "stops_in_open") return fail(error, FHE_BACKEND_STOPPED, "it is tired");
  if (way == "exits_in_open") std::exit(0);
  if (way == "crashes_in_open") std::abort();
  if (way == "ends_in_open") std::_Exit(3);
  if (way == "hangs_in_open") sleep_for_ever();
  *backend = new fhe_backend{way};
  return FHE_BACKEND_OK;
}

void close(fhe_backend* backend) {
  const bool throws = backend->way == "throws_in_close";
  delete backend;
  if (throws) throw std::runtime_error("thrown");
}

void facts(const fhe_backend* backend, fhe_backend_facts* facts) {
  facts->description = backend->way == "paints" ? "li\x1b[2Jes\n\x7f\xc2\x9b" : "lies";
  facts->max_operand_bits = std::size_t{1} << 30;
  facts->native = "multiply,,ring,";
}

int multiply(const fhe_backend* backend, const fhe_number* x, const fhe_number* y,
             fhe_result* product, fhe_backend_error* error) {
  if (backend->way == "throws") throw 1;
  if (backend->way == "writes_nothing") return FHE_BACKEND_OK;
  if (backend->way == "stops_products") return fail(error, FHE_BACKEND_STOPPED, "it is tired");
  const bool is_long = x->count + y->count > 100;
  if (backend->way == "crashes" && is_long) std::abort();
  if (backend->way == "hangs" && is_long) sleep_for_ever();
  if (backend->way == "lost") return fail(error, FHE_BACKEND_IO, "the device is gone");
  if (backend->way == "says_nothing") return FHE_BACKEND_FAILED;
  const bool x_is_longer = x->count >= y->count;
  const fhe_number* const a = x_is_longer ? x : y;
  const fhe_number* const b = x_is_longer ? y : x;
  mpn_mul(product->limbs, a->limbs, static_cast<mp_size_t>(a->count), b->limbs,
          static_cast<mp_size_t>(b->count));
  if (backend->way == "one_bit_wrong") product->limbs[product->count / 2] ^= 1U << 7;
  if (backend->way == "resizes") *product = {nullptr, 1000};
  return FHE_BACKEND_OK;
}

int weighted_sums(const fhe_backend* backend, const fhe_stream* stream,
                  const fhe_number* /*weights*/, std::size_t sets, fhe_result* sums,
                  const fhe_monitor* monitor, fhe_backend_error* error) {
  if (backend->way == "stops") return fail(error, FHE_BACKEND_STOPPED, "it is tired");
  if (backend->way == "waits") {
    while (monitor->is_stopped(monitor->context) == 0) {
    }
    return fail(error, FHE_BACKEND_STOPPED, "asked to stop");
  }
  if (backend->way == "reads") {
    std::uint64_t limb = 0;
    void* const reader = stream->open_reader(stream->context);
    const int status = stream->read(reader, 0, 0, &limb, 1);
    stream->close_reader(reader);
    if (status != 0) return fail(error, FHE_BACKEND_FAILED, "the host cannot read");
  }
  for (std::size_t s = 0; s < sets; ++s) {
    std::fill_n(sums[s].limbs, sums[s].count, backend->way == "sums_too_long" ? ~0ULL >> 1 : 0);
  }
  return FHE_BACKEND_OK;
}

int product_windows(const fhe_backend* backend, const fhe_number* /*c*/, const fhe_stream* stream,
                    const fhe_window* window, std::uint32_t* windows,
                    const fhe_monitor* /*monitor*/, fhe_backend_error* /*error*/) {
  const std::uint32_t end = std::uint32_t{1} << window->window_bits;
  std::fill_n(windows, stream->elements, backend->way == "windows_too_wide" ? end : 0);
  return FHE_BACKEND_OK;
}

int ring_open(const fhe_backend* backend, const fhe_number* /*modulus*/, fhe_ring** ring,
              fhe_backend_error* /*error*/) {
  *ring = new fhe_ring{backend};
  return FHE_BACKEND_OK;
}

void ring_close(fhe_ring* ring) {
  delete ring;
}

int answer(const fhe_ring* ring, fhe_result* result) {
  if (ring->backend->way == "exits") std::exit(0);
  const bool is_too_large = ring->backend->way == "not_reduced";
  std::fill_n(result->limbs, result->count, is_too_large ? ~0ULL >> 1 : 0);
  return FHE_BACKEND_OK;
}

int ring_reduce(const fhe_ring* ring, const fhe_number* /*x*/, fhe_result* residue,
                fhe_backend_error* /*error*/) {
  return answer(ring, residue);
}

int ring_multiply(const fhe_ring* ring, const fhe_factor* /*a*/, const fhe_factor* /*b*/,
                  fhe_result* product, fhe_backend_error* /*error*/) {
  return answer(ring, product);
}

// Operands that stand for 0, but the way that counts them: one fewer than were asked for.
int give(const fhe_ring* ring, std::size_t count, fhe_operand** operands) {
  const bool forgets = ring->backend->way == "keeps_too_little";
  for (std::size_t i = forgets ? 1 : 0; i < count; ++i) operands[i] = new fhe_operand;
  return FHE_BACKEND_OK;
}

void operand_close(fhe_operand* operand) {
  delete operand;
}

int operand_value(const fhe_ring* ring, const fhe_operand* /*operand*/, fhe_result* value,
                  fhe_backend_error* error) {
  if (ring->backend->way == "loses_results") return fail(error, FHE_BACKEND_IO, "it is lost");
  return answer(ring, value);
}

int ring_prepare_all(const fhe_ring* ring, const fhe_factor* /*elements*/, std::size_t count,
                     fhe_operand** operands, fhe_backend_error* /*error*/) {
  return give(ring, count, operands);
}

int ring_compute_all(const fhe_ring* ring, const fhe_ring_operation* /*operations*/,
                     std::size_t count, fhe_operand** results, const fhe_monitor* /*monitor*/,
                     fhe_backend_error* error) {
  if (ring->backend->way == "stops") return fail(error, FHE_BACKEND_STOPPED, "it is tired");
  return give(ring, count, results);
}

int ring_dot_all(const fhe_ring* ring, const fhe_factor* /*a*/, const fhe_factor* /*b*/,
                 const std::size_t* /*terms*/, std::size_t count, fhe_operand** results,
                 const fhe_monitor* /*monitor*/, fhe_backend_error* /*error*/) {
  return give(ring, count, results);
}

int ring_selected_sums(const fhe_ring* ring, const fhe_stream* stream,
                       const fhe_number* /*corrections*/, const fhe_selection* selection,
                       fhe_operand** results, const fhe_monitor* /*monitor*/,
                       fhe_backend_error* /*error*/) {
  const std::size_t blocks = (stream->elements - 1) / selection->block_size + 1;
  return give(ring, blocks * selection->width, results);
}

int ring_weighted_sums(const fhe_ring* ring, const fhe_stream* /*stream*/,
                       const fhe_number* /*corrections*/, const fhe_number* /*weights*/,
                       std::size_t sets, fhe_result* sums, const fhe_monitor* /*monitor*/,
                       fhe_backend_error* /*error*/) {
  for (std::size_t s = 0; s < sets; ++s) answer(ring, &sums[s]);
  return FHE_BACKEND_OK;
}

}  // namespace

const fhe_backend_table* fhe_backend_plugin(std::uint32_t /*host_abi_version*/) {
  static const fhe_backend_table table = [] {
    fhe_backend_table t{};
    t.abi_version = FHE_BACKEND_ABI_VERSION;
    t.size = sizeof t;
    t.open = open;
    t.close = close;
    t.facts = facts;
    t.multiply = multiply;
    t.weighted_sums = weighted_sums;
    t.product_windows = product_windows;
    t.ring_open = ring_open;
    t.ring_close = ring_close;
    t.ring_reduce = ring_reduce;
    t.ring_multiply = ring_multiply;
    t.operand_close = operand_close;
    t.operand_value = operand_value;
    t.ring_prepare_all = ring_prepare_all;
    t.ring_compute_all = ring_compute_all;
    t.ring_dot_all = ring_dot_all;
    t.ring_selected_sums = ring_selected_sums;
    t.ring_weighted_sums = ring_weighted_sums;
    return t;
  }();
  return &table;
}
