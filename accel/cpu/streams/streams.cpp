// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/streams.hpp"

#include <algorithm>
#include <optional>

#include "accel/cpu/streams/kernels.hpp"
#include "libfhe/arith/stream_kernels.hpp"

#ifdef FHE_STREAM_KERNELS
#include "accel/cpu/streams/lane_stream.hpp"
#include "accel/cpu/streams/passes.hpp"
#endif

namespace fhe::cpu {

#ifdef FHE_STREAM_KERNELS

namespace {

// Nothing for weights that are refused.
template <class Stream>
std::optional<SumSizes> sizes_of(const Stream& stream, std::span<const DenseWeights> batch) {
  SumSizes sizes{stream.bits(), stream.count(), 0, batch.size()};
  for (const DenseWeights& weights : batch) {
    if (!are_weights(weights, stream.count())) return std::nullopt;
    sizes.weight_bits = std::max(sizes.weight_bits, max_weight_bits(weights));
  }
  return sizes;
}

// The kernel for sums over integers in memory; null where products one by one are as fast, which
// they are if an element fills few of the lanes.
const KaratsubaKernel* view_kernel(const StreamKernels& kernels, const ViewStream& view,
                                   std::span<const DenseWeights> batch) {
  if (view.count() == 0 || batch.empty()) return nullptr;
  const auto sizes = sizes_of(view, batch);
  const KaratsubaKernel* kernel = sizes ? karatsuba_kernel(kernels, sizes->weight_bits) : nullptr;
  return kernel != nullptr && view.bits() >= kLanes / 2 * kernel->chunk_bits ? kernel : nullptr;
}

std::optional<LaneStream> open_lanes(const StreamKernels* kernels, const IntegerStream& stream) {
  return kernels != nullptr ? LaneStream::open(stream, *kernels) : std::nullopt;
}

}  // namespace

#endif

std::vector<Integer> dense_sums([[maybe_unused]] const StreamKernels* kernels,
                                const IntegerStream& elements, std::span<const DenseWeights> batch,
                                const Backend& backend, const Monitor& monitor) {
#ifdef FHE_STREAM_KERNELS
  if (const auto stream = open_lanes(kernels, elements);
      stream && stream->count() > 0 && !batch.empty()) {
    if (const auto sizes = sizes_of(*stream, batch)) {
      if (has_lane_digit_sums(*sizes, kernels->sparse)) {
        return lane_digit_sums(*stream, batch, backend, monitor);
      }
      const KaratsubaKernel* kernel = karatsuba_kernel(*kernels, sizes->weight_bits);
      const auto plan = spectral_plan(*sizes, kernels->kernel);
      if (plan && (kernel == nullptr ||
                   plan->nanoseconds < dense_nanoseconds(*kernel, *sizes, kernels->kernel))) {
        return spectral_lane_sums(*stream, batch, *plan, backend, monitor);
      }
      if (kernel != nullptr) return dense_lane_sums(*stream, batch, *kernel, backend, monitor);
    }
  }
  const auto* const view = dynamic_cast<const ViewStream*>(&elements);
  if (kernels != nullptr && view != nullptr) {
    if (const KaratsubaKernel* kernel = view_kernel(*kernels, *view, batch)) {
      return dense_view_sums(*view, batch, *kernel, backend, monitor);
    }
  }
#endif
  return stream_weighted_sums(elements, batch, backend, monitor);
}

std::vector<Integer> sparse_sums([[maybe_unused]] const StreamKernels* kernels,
                                 const IntegerStream& elements,
                                 std::span<const SparseWeights> batch, const Backend& backend,
                                 const Monitor& monitor) {
#ifdef FHE_STREAM_KERNELS
  if (const auto stream = open_lanes(kernels, elements);
      stream && stream->count() > 0 && !batch.empty() &&
      has_lane_sparse_sums(batch, stream->count())) {
    return lane_sparse_sums(*stream, batch, backend, monitor);
  }
#endif
  return stream_weighted_sums(elements, batch, backend, monitor);
}

std::vector<Integer> selected_sums([[maybe_unused]] const StreamKernels* kernels,
                                   const IntegerStream& elements, const BlockSelection& selection,
                                   const Backend& backend, const Monitor& monitor) {
#ifdef FHE_STREAM_KERNELS
  if (const auto stream = open_lanes(kernels, elements);
      stream && stream->count() > 0 && is_selection(selection, stream->count())) {
    return lane_selected_sums(*stream, selection, backend, monitor);
  }
  if (const auto* const view = dynamic_cast<const ViewStream*>(&elements);
      kernels != nullptr && view != nullptr && view->count() > 0 &&
      is_selection(selection, view->count())) {
    return view_selected_sums(*view, selection, kernels->views, backend, monitor);
  }
#endif
  return stream_selected_sums(elements, selection, backend, monitor);
}

std::vector<std::vector<std::uint32_t>> product_windows_all(
    [[maybe_unused]] const StreamKernels* kernels, std::span<const Integer> batch,
    const IntegerStream& stream, const WindowSpec& spec, const Backend& backend,
    const Monitor& monitor) {
#ifdef FHE_STREAM_KERNELS
  const auto has_window = [&](const Integer& c) { return is_window(spec, c, stream); };
  if (const auto lanes = open_lanes(kernels, stream);
      lanes && std::ranges::all_of(batch, has_window) && has_lane_windows(spec, kernels->windows)) {
    return lane_product_windows(batch, stream, *lanes, spec, backend, monitor);
  }
#endif
  std::vector<std::vector<std::uint32_t>> windows;
  windows.reserve(batch.size());
  for (const Integer& c : batch) {
    windows.push_back(stream_product_windows(c, stream, spec, backend, monitor));
  }
  return windows;
}

std::vector<Integer> residues([[maybe_unused]] const StreamKernels* kernels,
                              const IntegerStream& stream, const Integer& modulus,
                              const Backend& backend, const Monitor& monitor) {
#ifdef FHE_STREAM_KERNELS
  if (const auto lanes = open_lanes(kernels, stream); lanes && modulus >= 1) {
    if (const KaratsubaKernel* kernel = karatsuba_kernel(*kernels, bit_length(modulus))) {
      return lane_residues(*lanes, modulus, *kernel, backend, monitor);
    }
  }
#endif
  return stream_residues(stream, modulus, backend, monitor);
}

std::unique_ptr<ChunkForm> chunk_form([[maybe_unused]] const StreamKernels* kernels,
                                      [[maybe_unused]] std::size_t bits,
                                      [[maybe_unused]] std::size_t weight_bits) {
#ifdef FHE_STREAM_KERNELS
  const KaratsubaKernel* const kernel =
      kernels != nullptr ? karatsuba_kernel(*kernels, weight_bits) : nullptr;
  if (kernel != nullptr) return lane_chunk_form(bits, *kernel);
#endif
  return nullptr;
}

std::vector<const StreamKernels*> available_stream_kernels() {
  std::vector<const StreamKernels*> all;
#ifdef FHE_STREAM_KERNELS
  if (!has_aes()) return all;
#if defined(__x86_64__)
  if (is_available(Kernel::avx2)) all.push_back(&avx2_stream_kernels());
  if (is_available(Kernel::avx2) && has_vaes()) all.push_back(&avx2_vaes_stream_kernels());
  if (is_available(Kernel::avx512)) all.push_back(&avx512_stream_kernels());
#ifdef FHE_AVXIFMA
  if (is_available(Kernel::avxifma)) all.push_back(&avxifma_stream_kernels());
#endif
  if (is_available(Kernel::ifma)) all.push_back(&ifma_stream_kernels());
#elif defined(__aarch64__)
  all.push_back(&neon_stream_kernels());
#endif
#endif
  return all;
}

const StreamKernels* stream_kernels(Kernel kernel) {
  const StreamKernels* fastest = nullptr;
  for (const StreamKernels* kernels : available_stream_kernels()) {
    if (kernels->kernel == kernel) fastest = kernels;
  }
  return fastest;
}

const KaratsubaKernel* karatsuba_kernel(const StreamKernels& kernels, std::size_t bits) {
  const auto found = std::ranges::find_if(
      kernels.karatsuba, [bits](const KaratsubaKernel& k) { return k.chunk_bits >= bits; });
  return found != kernels.karatsuba.end() ? &*found : nullptr;
}

}  // namespace fhe::cpu
