// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/backend.hpp"

#include "libfhe/arith/ring.hpp"
#include "libfhe/arith/stream_kernels.hpp"

namespace fhe {

std::shared_ptr<const Ring> Backend::ring(const Integer& modulus) const {
  return std::make_shared<const Ring>(shared_from_this(), modulus);
}

std::vector<Integer> Backend::weighted_sums(const IntegerStream& stream,
                                            std::span<const DenseWeights> batch,
                                            const Monitor& monitor) const {
  return stream_weighted_sums(stream, batch, *this, monitor);
}

std::vector<Integer> Backend::weighted_sums(const IntegerStream& stream,
                                            std::span<const SparseWeights> batch,
                                            const Monitor& monitor) const {
  return stream_weighted_sums(stream, batch, *this, monitor);
}

std::vector<Integer> Backend::selected_sums(const IntegerStream& stream,
                                            const BlockSelection& selection,
                                            const Monitor& monitor) const {
  return stream_selected_sums(stream, selection, *this, monitor);
}

std::vector<std::uint32_t> Backend::product_windows(const Integer& c, const IntegerStream& stream,
                                                    const WindowSpec& spec,
                                                    const Monitor& monitor) const {
  return stream_product_windows(c, stream, spec, *this, monitor);
}

std::vector<std::vector<std::uint32_t>> Backend::product_windows_all(std::span<const Integer> batch,
                                                                     const IntegerStream& stream,
                                                                     const WindowSpec& spec,
                                                                     const Monitor& monitor) const {
  std::vector<std::vector<std::uint32_t>> windows;
  windows.reserve(batch.size());
  for (const Integer& c : batch) windows.push_back(product_windows(c, stream, spec, monitor));
  return windows;
}

std::vector<Integer> Backend::residues(const IntegerStream& stream, const Integer& modulus,
                                       const Monitor& monitor) const {
  return stream_residues(stream, modulus, *this, monitor);
}

std::unique_ptr<ChunkForm> Backend::chunk_form(std::size_t /*bits*/,
                                               std::size_t /*weight_bits*/) const {
  return nullptr;
}

std::unique_ptr<FermatTest> Backend::fermat_test(std::size_t /*bits*/) const {
  return nullptr;
}

}  // namespace fhe
