// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/plugin_backend.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accel/plugin/host_calls.hpp"
#include "accel/plugin/list_parts.hpp"
#include "accel/plugin/one_line.hpp"
#include "accel/plugin/open_backend.hpp"
#include "accel/plugin/plugin_calls.hpp"
#include "accel/plugin/weights_for_plugin.hpp"
#include "libfhe/arith/operand_length.hpp"
#include "libfhe/arith/stream_kernels.hpp"
#include "libfhe/error.hpp"

namespace fhe::plugin {

namespace {

std::string text_of(const char* text) {
  return one_line(text == nullptr ? "" : text);
}

class PluginBackend final : public Backend {
 public:
  PluginBackend(const LoadedPlugin& plugin, std::string name, const std::string& options)
      : open_(std::make_shared<const OpenBackend>(plugin, options)) {
    const fhe_backend_facts facts = open_->facts();
    info_ = {.name = std::move(name),
             .description = fmt::format("{} (plug-in {}, version {})", text_of(facts.description),
                                        calls().path(), text_of(functions().version)),
             .max_operand_bits = facts.max_operand_bits,
             .native = parts_of(text_of(facts.native), ',')};
  }

  [[nodiscard]] BackendInfo info() const override { return info_; }

  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    require_operand_lengths(x, y, info_.max_operand_bits, info_.name);
    if (sgn(x) == 0 || sgn(y) == 0) return 0;
    const fhe_number a = number(x);
    const fhe_number b = number(y);
    Results results(1, a.count + b.count);
    calls().run([&](fhe_backend_error* error) {
      return functions().multiply(open_->get(), &a, &b, results.views(), error);
    });
    Integer product = std::move(results.of_bits(bit_length(x) + bit_length(y), calls()).front());
    if (!is_product(product, x, y)) throw calls().wrong("it gave a wrong product");
    count([&](OperationCounters& counters) { counters.count_multiplication(a.count, b.count); });
    if (sgn(x) * sgn(y) < 0) mpz_neg(product.get_mpz_t(), product.get_mpz_t());
    return product;
  }

  [[nodiscard]] std::shared_ptr<const Ring> ring(const Integer& modulus) const override {
    if (functions().ring_open == nullptr || modulus < 2) return Backend::ring(modulus);
    return std::make_shared<const PluginRing>(shared_from_this(), open_, modulus);
  }

  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const DenseWeights> batch,
                                                   const Monitor& monitor) const override {
    if (functions().weighted_sums == nullptr || !can_be_summed(stream.count(), batch)) {
      return Backend::weighted_sums(stream, batch, monitor);
    }
    const DenseForPlugin weights(batch);
    return sums_of(stream, batch.size(), weights.bits(), monitor,
                   [&](const fhe_stream* from, fhe_result* sums, const fhe_monitor* watch,
                       fhe_backend_error* error) {
                     return functions().weighted_sums(open_->get(), from, weights.view(),
                                                      batch.size(), sums, watch, error);
                   });
  }

  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const SparseWeights> batch,
                                                   const Monitor& monitor) const override {
    if (functions().sparse_sums != nullptr && can_be_summed_in_runs(stream.count(), batch)) {
      return sums_in_runs(batch, [&](std::span<const SparseWeights> run) {
        return weighted_sums(stream, run, monitor);
      });
    }
    if (functions().sparse_sums == nullptr || !can_be_summed(stream.count(), batch)) {
      return Backend::weighted_sums(stream, batch, monitor);
    }
    const SparseForPlugin weights(batch);
    return sums_of(stream, batch.size(), weights.bits(), monitor,
                   [&](const fhe_stream* from, fhe_result* sums, const fhe_monitor* watch,
                       fhe_backend_error* error) {
                     return functions().sparse_sums(open_->get(), from, weights.view(),
                                                    batch.size(), sums, watch, error);
                   });
  }

  [[nodiscard]] std::vector<Integer> selected_sums(const IntegerStream& stream,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const override {
    if (functions().selected_sums == nullptr || stream.count() == 0 ||
        !is_selection(selection, stream.count())) {
      return Backend::selected_sums(stream, selection, monitor);
    }
    const fhe_selection chosen{selection.block_size, selection.width, selection.masks.data()};
    return sums_of(stream, selection.blocks() * selection.width, 0, monitor,
                   [&](const fhe_stream* from, fhe_result* sums, const fhe_monitor* watch,
                       fhe_backend_error* error) {
                     return functions().selected_sums(open_->get(), from, &chosen, sums, watch,
                                                      error);
                   });
  }

  [[nodiscard]] std::vector<std::uint32_t> product_windows(const Integer& c,
                                                           const IntegerStream& stream,
                                                           const WindowSpec& spec,
                                                           const Monitor& monitor) const override {
    if (functions().product_windows == nullptr || stream.count() == 0 ||
        !is_window(spec, c, stream)) {
      return Backend::product_windows(c, stream, spec, monitor);
    }
    const fhe_number factor = number(c);
    const fhe_window window{spec.modulus_bits, spec.window_bits};
    std::vector<std::uint32_t> windows(stream.count(), ~0U);
    over_stream(stream, monitor,
                [&](const fhe_stream* from, const fhe_monitor* watch, fhe_backend_error* error) {
                  return functions().product_windows(open_->get(), &factor, from, &window,
                                                     windows.data(), watch, error);
                });
    const auto fits = [&](std::uint32_t w) { return std::uint64_t{w} >> spec.window_bits == 0; };
    if (!std::ranges::all_of(windows, fits)) {
      throw calls().wrong("it gave a result that is out of range");
    }
    return windows;
  }

  [[nodiscard]] std::vector<Integer> residues(const IntegerStream& stream, const Integer& modulus,
                                              const Monitor& monitor) const override {
    if (functions().residues == nullptr || sgn(modulus) <= 0 || stream.count() == 0) {
      return Backend::residues(stream, modulus, monitor);
    }
    const fhe_number n = number(modulus);
    Results results(stream.count(), n.count);
    over_stream(stream, monitor,
                [&](const fhe_stream* from, const fhe_monitor* watch, fhe_backend_error* error) {
                  return functions().residues(open_->get(), from, &n, results.views(), watch,
                                              error);
                });
    return results.below(modulus, calls());
  }

 private:
  [[nodiscard]] const PluginCalls& calls() const { return open_->calls(); }
  [[nodiscard]] const fhe_backend_table& functions() const { return open_->functions(); }

  template <class Count>
  void count(const Count& own) const {
    open_->count(counters(), own);
  }

  // Modulo 2^61 - 1: a wrong product of random error passes once in 2^61 times.
  static bool is_product(const Integer& product, const Integer& x, const Integer& y) {
    constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
    __extension__ using Wide = unsigned __int128;
    const auto rest = [](const Integer& z) { return mpz_tdiv_ui(z.get_mpz_t(), kPrime); };
    return static_cast<std::uint64_t>(Wide{rest(x)} * rest(y) % kPrime) == rest(product);
  }

  // One pass over a stream.
  template <class Call>
  void over_stream(const IntegerStream& stream, const Monitor& monitor, const Call& call) const {
    StreamForPlugin from(stream);
    stoppable(monitor, &from, [&] {
      const MonitorForPlugin watch(monitor);
      calls().run([&](fhe_backend_error* error) { return call(from.view(), watch.view(), error); },
                  monitor);
    });
    count([&](OperationCounters& counters) {
      counters.count_stream_bytes(stream.count() * stream.limbs() * sizeof(Limb));
    });
  }

  // `results` sums of elements times weights of at most weight_bits bits.
  template <class Call>
  std::vector<Integer> sums_of(const IntegerStream& stream, std::size_t results,
                               std::size_t weight_bits, const Monitor& monitor,
                               const Call& call) const {
    const std::size_t limbs = stream.limbs() + limbs_for_bits(weight_bits) + 1;
    Results sums(results, limbs);
    over_stream(stream, monitor,
                [&](const fhe_stream* from, const fhe_monitor* watch, fhe_backend_error* error) {
                  return call(from, sums.views(), watch, error);
                });
    const auto terms = static_cast<std::size_t>(std::bit_width(stream.count()));
    return sums.of_bits(stream.bits() + weight_bits + terms, calls());
  }

  OpenBackendPtr open_;
  BackendInfo info_;
};

}  // namespace

BackendPtr open_plugin(const LoadedPlugin& plugin, std::string name, std::string_view options) {
  return std::make_shared<const PluginBackend>(plugin, std::move(name), std::string(options));
}

}  // namespace fhe::plugin
