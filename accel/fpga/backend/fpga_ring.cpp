// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/fpga_ring.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "accel/fpga/backend/device_operand.hpp"
#include "accel/fpga/backend/device_sums.hpp"
#include "accel/fpga/backend/device_wipe.hpp"
#include "accel/fpga/contract/words.hpp"
#include "libfhe/arith/stream_kernels.hpp"

namespace fhe::fpga {

namespace {

// Bits that a sum of products may be longer than a product.
constexpr std::uint32_t kDotMargin = 16;
constexpr std::size_t kMaxDotTerms = (std::size_t{1} << kDotMargin) - 1;

template <class Weights>
Integer sum_of_corrections(std::span<const Integer> corrections, const Weights& weights) {
  Integer sum;
  for (std::size_t i = 0; i < corrections.size(); ++i)
    sum += corrections[i] * weight_at(weights, i);
  return sum;
}

// x mod modulus, in [0, modulus), on the host.
Integer residue(const Integer& x, const Integer& modulus) {
  Integer result;
  mpz_fdiv_r(result.get_mpz_t(), x.get_mpz_t(), modulus.get_mpz_t());
  return result;
}

}  // namespace

FpgaRing::FpgaRing(BackendPtr backend, std::shared_ptr<DeviceSession> session,
                   const Integer& modulus)
    : Ring(std::move(backend), modulus),
      session_(std::move(session)),
      bits_(static_cast<std::uint32_t>(bit_length(modulus))) {}

const Reduction& FpgaRing::reduction_for(std::uint64_t argument_bits) const {
  // Few different ones: those of sums are as long as their weights, all others serve products.
  const std::uint64_t excess = argument_bits > bits_ ? argument_bits - bits_ : 1;
  const std::uint64_t rounded = words_for_bits(excess) * kWordBits;
  const std::uint32_t of_products = bits_ + kDotMargin;
  const std::uint32_t gamma =
      2 * rounded < bits_ ? static_cast<std::uint32_t>(rounded) : of_products;
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<const Reduction>& reduction = reductions_[gamma];
  if (!reduction) reduction = std::make_unique<const Reduction>(session_->device, modulus(), gamma);
  return *reduction;
}

Integer FpgaRing::reduce(const Integer& x) const {
  if (x < 0) return residue(-reduce(-x), modulus());
  if (x < modulus()) return x;
  const auto argument_bits = static_cast<std::uint32_t>(bit_length(x));
  const Reduction& reduction = reduction_for(argument_bits);
  if (argument_bits > reduction.argument_bits()) return Ring::reduce(x);
  Device& device = session_->device;
  const DeviceBuffer argument = device.store(x, argument_bits);
  const DeviceBuffer result = device.allocate(padded_bytes(bits_));
  // A sum that weights were in, perhaps.
  const DeviceWipe wipe_argument(device, argument);
  const DeviceWipe wipe_result(device, result);
  const DeviceWipe wipe_scratch = reduction.wipe(device);
  const Ticket ticket = session_->contexts.submit(device, reduction, [&](std::uint16_t context) {
    return fpga::reduce(context, {result.address(), bits_}, {argument.address(), argument_bits});
  });
  session_->wait(ticket, backend().counters());
  backend().counters().count_reduction();
  return device.load(result, bits_);
}

Operand FpgaRing::prepare(const Integer& x) const {
  return prepare_on(session_->device, x, bits_);
}

Integer FpgaRing::multiply(const Operand& a, const Operand& b) const {
  Device& device = session_->device;
  const DeviceOperand first(device, a, bits_);
  const DeviceOperand second(device, b, bits_);
  const DeviceBuffer product = device.allocate(padded_bytes(2 * bits_));
  const DeviceBuffer result = device.allocate(padded_bytes(bits_));
  const DeviceInteger whole{product.address(), 2 * bits_};
  const Ticket multiplied = device.submit(fpga::multiply(whole, first.place(), second.place()));
  const Ticket reduced = session_->contexts.submit(
      device, reduction_for(2 * std::uint64_t{bits_}), [&](std::uint16_t context) {
        return fpga::reduce(context, {result.address(), bits_}, whole);
      });
  session_->wait(multiplied, backend().counters());
  session_->wait(reduced, backend().counters());
  backend().counters().count_multiplication(limbs_for_bits(bits_), limbs_for_bits(bits_));
  backend().counters().count_reduction();
  return device.load(result, bits_);
}

Integer FpgaRing::dot(std::span<const OperandPair> terms) const {
  const Reduction& reduction = reduction_for(2 * std::uint64_t{bits_});
  Integer sum;
  for (std::size_t first = 0; first < terms.size(); first += kMaxDotTerms) {
    const std::size_t count = std::min(kMaxDotTerms, terms.size() - first);
    sum = add(sum,
              device_dot(*session_, terms.subspan(first, count), reduction, backend().counters()));
  }
  return sum;
}

template <class Weights>
std::vector<Integer> FpgaRing::corrected_sums(const CorrectedStream& x,
                                              std::span<const Weights> batch,
                                              const Monitor& monitor) const {
  const std::size_t count = x.elements.count();
  const bool acceptable =
      count != 0 && (x.corrections.empty() || x.corrections.size() == count) &&
      std::ranges::all_of(batch, [&](const Weights& w) { return are_weights(w, count); });
  if (!acceptable) return Ring::weighted_sums(x, batch, monitor);

  std::uint64_t longest = 1;
  for (const Weights& weights : batch)
    longest = std::max<std::uint64_t>(longest, weight_bits(weights));
  const std::uint64_t sum_bits =
      std::uint64_t{x.elements.bits()} + longest + static_cast<unsigned>(std::bit_width(count));
  const Reduction& reduction = reduction_for(sum_bits);
  const bool reduces = sum_bits <= reduction.argument_bits();
  std::vector<Integer> sums = device_sums(
      *session_, x.elements, batch, reduces ? &reduction : nullptr, backend().counters(), monitor);
  for (std::size_t b = 0; b < sums.size(); ++b)
    sums[b] = residue(sums[b] - sum_of_corrections(x.corrections, batch[b]), modulus());
  return sums;
}

std::vector<Integer> FpgaRing::weighted_sums(const CorrectedStream& x,
                                             std::span<const DenseWeights> batch,
                                             const Monitor& monitor) const {
  return corrected_sums(x, batch, monitor);
}

std::vector<Integer> FpgaRing::weighted_sums(const CorrectedStream& x,
                                             std::span<const SparseWeights> batch,
                                             const Monitor& monitor) const {
  return corrected_sums(x, batch, monitor);
}

}  // namespace fhe::fpga
