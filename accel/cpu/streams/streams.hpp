// SPDX-License-Identifier: Apache-2.0
// The passes over public key streams in vectors of eight lanes: the same results as the default
// kernels of libfhe/arith/stream_kernels.hpp, bit for bit, many times faster.
//
// Streams of the generator "aes128ctr-v1" (IntegerStream::source) are made with AES-NI or VAES,
// column block by column block, straight into registers and first-level cache, and are never
// stored: making them is faster than reading them from memory. Other streams, sizes that no kernel
// fits, processors without vector code (where `kernels` is null: see stream_kernels) and arguments
// that are to be refused go to the default kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/chunk_form.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::cpu {

struct StreamKernels;

// sum_i elements_i * w_i over the integers, for each set of weights.
std::vector<Integer> dense_sums(const StreamKernels* kernels, const IntegerStream& elements,
                                std::span<const DenseWeights> batch, const Backend& backend,
                                const Monitor& monitor);
std::vector<Integer> sparse_sums(const StreamKernels* kernels, const IntegerStream& elements,
                                 std::span<const SparseWeights> batch, const Backend& backend,
                                 const Monitor& monitor);

// The block sums of Ring::selected_sums over the integers, before corrections and reduction.
std::vector<Integer> selected_sums(const StreamKernels* kernels, const IntegerStream& elements,
                                   const BlockSelection& selection, const Backend& backend,
                                   const Monitor& monitor);

// Backend::product_windows_all and Backend::residues. The modulus of `residues` is secret: what is
// derived from it is wiped.
std::vector<std::vector<std::uint32_t>> product_windows_all(
    const StreamKernels* kernels, std::span<const Integer> batch, const IntegerStream& stream,
    const WindowSpec& spec, const Backend& backend, const Monitor& monitor);
std::vector<Integer> residues(const StreamKernels* kernels, const IntegerStream& stream,
                              const Integer& modulus, const Backend& backend,
                              const Monitor& monitor);

// Backend::chunk_form; null where there is none.
std::unique_ptr<ChunkForm> chunk_form(const StreamKernels* kernels, std::size_t bits,
                                      std::size_t weight_bits);

}  // namespace fhe::cpu
