// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/plugin_backend.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accel/plugin/host_calls.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/error.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe::plugin {

namespace {

// The code of an error that a plug-in reports.
ErrorCode code_of(int status) {
  switch (status) {
    case FHE_BACKEND_INVALID_ARGUMENT:
      return ErrorCode::invalid_argument;
    case FHE_BACKEND_UNSUPPORTED:
      return ErrorCode::unsupported;
    case FHE_BACKEND_STOPPED:
      return ErrorCode::stopped;
    case FHE_BACKEND_OUT_OF_MEMORY:
      return ErrorCode::out_of_memory;
    case FHE_BACKEND_WRONG_RESULT:
      return ErrorCode::wrong_result;
    default:
      return ErrorCode::io;
  }
}

// What a plug-in has written, on one line.
std::string text_of(const fhe_backend_error& error) {
  std::string text(error.message, strnlen(error.message, sizeof error.message));
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text.empty() ? "it does not say what is wrong" : text;
}

std::string text_of(const char* text) {
  return text == nullptr ? std::string() : text;
}

fhe_number number(const Integer& x) {
  const std::span<const Limb> limbs = limbs_of(x);
  return {limbs.data(), limbs.size()};
}

// The calls to one plug-in: errors become exceptions, and exceptions of the plug-in errors.
class Calls {
 public:
  explicit Calls(const LoadedPlugin& plugin) : plugin_(plugin) {}

  [[nodiscard]] const fhe_backend_table& functions() const { return plugin_.functions; }
  [[nodiscard]] std::string path() const { return plugin_.path.string(); }

  // call(fhe_backend_error*) with one function of the table.
  template <class Call>
  void run(const Call& call) const {
    fhe_backend_error error{};
    if (const int status = guarded([&] { return call(&error); }); status != FHE_BACKEND_OK) {
      throw Error(code_of(status), fmt::format("the plug-in {}: {}", path(), text_of(error)));
    }
  }

  // The same for a function that cannot fail.
  template <class Call>
  auto guarded(const Call& call) const {
    try {
      return call();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (...) {
      throw wrong("it threw an exception across the interface, which is of C");
    }
  }

  [[nodiscard]] Error wrong(std::string_view what) const {
    return {ErrorCode::wrong_result, fmt::format("the plug-in {}: {}", path(), what)};
  }

 private:
  const LoadedPlugin& plugin_;
};

// Room for results of a plug-in. Until it is written a limb has all its bits, which puts a result
// out of range.
class Results {
 public:
  Results(std::size_t count, std::size_t limbs) : limbs_(limbs), values_(count), views_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t* const at = mpz_limbs_write(values_[i].get_mpz_t(), static_cast<long>(limbs));
      std::fill_n(at, limbs, ~std::uint64_t{0});
      mpz_limbs_finish(values_[i].get_mpz_t(), static_cast<long>(limbs));
      views_[i] = {at, limbs};
    }
  }

  [[nodiscard]] fhe_result* views() { return views_.data(); }

  // The results, which must be below `end`.
  [[nodiscard]] std::vector<Integer> below(const Integer& end, const Calls& calls) {
    return checked(calls, [&](const Integer& value) { return value < end; });
  }
  // The results, which must have at most `bits` bits.
  [[nodiscard]] std::vector<Integer> of_bits(std::size_t bits, const Calls& calls) {
    return checked(calls, [&](const Integer& value) { return bit_length(value) <= bits; });
  }

 private:
  template <class IsInRange>
  std::vector<Integer> checked(const Calls& calls, const IsInRange& is_in_range) {
    for (Integer& value : values_) {
      mpz_limbs_finish(value.get_mpz_t(), static_cast<long>(limbs_));
      if (!is_in_range(value)) throw calls.wrong("it gave a result that is out of range");
    }
    return std::move(values_);
  }

  std::size_t limbs_;
  std::vector<Integer> values_;
  std::vector<fhe_result> views_;
};

// An object of a plug-in, which was to be made.
template <class Object>
void require_made(const Object* object, const Calls& calls) {
  if (object == nullptr) throw calls.wrong("it made nothing and gave no error");
}

// What is closed has no use any more: neither have errors.
template <class Close>
void close_quietly(const Close& close) noexcept {
  try {
    close();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

// A plug-in's backend, closed with its last user.
class OpenBackend {
 public:
  OpenBackend(const LoadedPlugin& plugin, const std::string& options) : calls_(plugin) {
    calls_.run([&](fhe_backend_error* error) {
      return calls_.functions().open(options.c_str(), &backend_, error);
    });
    require_made(backend_, calls_);
  }
  ~OpenBackend() {
    close_quietly([&] { calls_.functions().close(backend_); });
  }
  OpenBackend(const OpenBackend&) = delete;
  OpenBackend& operator=(const OpenBackend&) = delete;

  [[nodiscard]] const Calls& calls() const { return calls_; }
  [[nodiscard]] const fhe_backend* get() const { return backend_; }

 private:
  Calls calls_;
  fhe_backend* backend_ = nullptr;
};
using OpenBackendPtr = std::shared_ptr<const OpenBackend>;

// A plug-in's ring, closed with its last user.
class OpenRing {
 public:
  OpenRing(OpenBackendPtr backend, const Integer& modulus) : backend_(std::move(backend)) {
    const fhe_number n = number(modulus);
    calls().run([&](fhe_backend_error* error) {
      return calls().functions().ring_open(backend_->get(), &n, &ring_, error);
    });
    require_made(ring_, calls());
  }
  ~OpenRing() {
    close_quietly([&] { calls().functions().ring_close(ring_); });
  }
  OpenRing(const OpenRing&) = delete;
  OpenRing& operator=(const OpenRing&) = delete;

  [[nodiscard]] const Calls& calls() const { return backend_->calls(); }
  [[nodiscard]] const fhe_ring* get() const { return ring_; }

 private:
  OpenBackendPtr backend_;
  fhe_ring* ring_ = nullptr;
};
using OpenRingPtr = std::shared_ptr<const OpenRing>;

// What a plug-in has prepared for an element of a ring.
class PreparedByPlugin final : public Operand::Prepared {
 public:
  PreparedByPlugin(OpenRingPtr ring, const Integer& x) : ring_(std::move(ring)) {
    const fhe_number value = number(x);
    ring_->calls().run([&](fhe_backend_error* error) {
      return ring_->calls().functions().ring_prepare(ring_->get(), &value, &operand_, error);
    });
    require_made(operand_, ring_->calls());
  }
  ~PreparedByPlugin() override {
    close_quietly([&] { ring_->calls().functions().operand_close(operand_); });
  }
  PreparedByPlugin(const PreparedByPlugin&) = delete;
  PreparedByPlugin& operator=(const PreparedByPlugin&) = delete;

  // The plug-in's object, or null for another ring than its own.
  [[nodiscard]] const fhe_operand* of(const OpenRing& ring) const {
    return &ring == ring_.get() ? operand_ : nullptr;
  }

 private:
  OpenRingPtr ring_;
  fhe_operand* operand_ = nullptr;
};

// Takes the counters of a plug-in over into those of the backend.
class Counts {
 public:
  void read(const OpenBackend& backend, OperationCounters& counters) {
    const auto function = backend.calls().functions().counts;
    if (function == nullptr) return;
    const std::lock_guard lock(guard_);
    fhe_backend_counts now{};
    now.size = sizeof now;
    backend.calls().guarded([&] { function(backend.get(), &now); });
    const OperationCounts all{now.multiplications, now.limb_products, now.reductions,
                              now.stream_bytes, now.device_clocks};
    counters.add(all - std::exchange(last_, all));
  }

 private:
  std::mutex guard_;
  OperationCounts last_;
};

class PluginBackend final : public Backend {
 public:
  PluginBackend(const LoadedPlugin& plugin, std::string name, const std::string& options)
      : name_(std::move(name)), open_(std::make_shared<const OpenBackend>(plugin, options)) {
    fhe_backend_facts facts{};
    facts.size = sizeof facts;
    calls().guarded([&] { functions().facts(open_->get(), &facts); });
    info_ = {.name = name_,
             .description = fmt::format("{} (plug-in {}, version {})", text_of(facts.description),
                                        calls().path(), text_of(functions().version)),
             .max_operand_bits = facts.max_operand_bits,
             .native = words_of(text_of(facts.native))};
  }

  [[nodiscard]] BackendInfo info() const override { return info_; }

  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    check_length(x);
    check_length(y);
    if (sgn(x) == 0 || sgn(y) == 0) return 0;
    const fhe_number a = number(x);
    const fhe_number b = number(y);
    Results results(1, a.count + b.count);
    calls().run([&](fhe_backend_error* error) {
      return functions().multiply(open_->get(), &a, &b, results.views(), error);
    });
    const Integer product =
        std::move(results.of_bits(bit_length(x) + bit_length(y), calls()).front());
    if (!is_product(product, x, y)) throw calls().wrong("it gave a wrong product");
    count([&](OperationCounters& counters) { counters.count_multiplication(a.count, b.count); });
    return sgn(x) * sgn(y) < 0 ? Integer(-product) : product;
  }

  [[nodiscard]] std::shared_ptr<const Ring> ring(const Integer& modulus) const override;

  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const DenseWeights> batch,
                                                   const Monitor& monitor) const override {
    const bool is_valid = std::ranges::all_of(batch, [&](const DenseWeights& weights) {
      return weights.size() == stream.count() &&
             std::ranges::all_of(weights, [](const Integer& w) { return sgn(w) >= 0; });
    });
    if (functions().weighted_sums == nullptr || !is_valid || is_nothing(stream, batch)) {
      return Backend::weighted_sums(stream, batch, monitor);
    }
    std::vector<fhe_number> weights;
    weights.reserve(batch.size() * stream.count());
    std::size_t weight_bits = 0;
    for (const DenseWeights& set : batch) {
      for (const Integer& w : set) {
        weights.push_back(number(w));
        weight_bits = std::max(weight_bits, bit_length(w));
      }
    }
    return sums_of(stream, batch.size(), weight_bits, monitor,
                   [&](const fhe_stream* from, fhe_result* sums, const fhe_monitor* watch,
                       fhe_backend_error* error) {
                     return functions().weighted_sums(open_->get(), from, weights.data(),
                                                      batch.size(), sums, watch, error);
                   });
  }

  [[nodiscard]] std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                   std::span<const SparseWeights> batch,
                                                   const Monitor& monitor) const override {
    // One number of ones for all, which is what encryption has.
    const bool is_valid = std::ranges::all_of(batch, [&](const SparseWeights& weights) {
      return weights.ones_per_weight == batch.front().ones_per_weight &&
             weights.positions.size() == weights.ones_per_weight * stream.count();
    });
    if (functions().sparse_sums == nullptr || !is_valid || is_nothing(stream, batch) ||
        batch.front().ones_per_weight == 0) {
      return Backend::weighted_sums(stream, batch, monitor);
    }
    SecretIndices positions;
    positions.reserve(batch.size() * batch.front().positions.size());
    for (const SparseWeights& set : batch) {
      positions.insert(positions.end(), set.positions.begin(), set.positions.end());
    }
    const fhe_sparse_weights weights{batch.front().ones_per_weight, positions.data()};
    const std::size_t weight_bits = std::size_t{*std::ranges::max_element(positions)} + 1;
    return sums_of(stream, batch.size(), weight_bits, monitor,
                   [&](const fhe_stream* from, fhe_result* sums, const fhe_monitor* watch,
                       fhe_backend_error* error) {
                     return functions().sparse_sums(open_->get(), from, &weights, batch.size(),
                                                    sums, watch, error);
                   });
  }

  [[nodiscard]] std::vector<Integer> selected_sums(const IntegerStream& stream,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const override {
    const unsigned width = selection.width;
    const bool is_valid = selection.block_size >= 1 && width >= 1 && width <= 32 &&
                          selection.masks.size() == stream.count() &&
                          std::ranges::all_of(selection.masks, [&](std::uint32_t mask) {
                            return width == 32 || mask >> width == 0;
                          });
    if (functions().selected_sums == nullptr || !is_valid || stream.count() == 0) {
      return Backend::selected_sums(stream, selection, monitor);
    }
    const fhe_selection chosen{selection.block_size, width, selection.masks.data()};
    const std::size_t blocks = (stream.count() - 1) / selection.block_size + 1;
    return sums_of(stream, blocks * width, 0, monitor,
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
    const unsigned bits = spec.window_bits;
    const bool is_valid = sgn(c) >= 0 && bits >= 1 && bits <= 32 && bits < spec.modulus_bits &&
                          stream.bits() <= spec.modulus_bits;
    if (functions().product_windows == nullptr || !is_valid || stream.count() == 0) {
      return Backend::product_windows(c, stream, spec, monitor);
    }
    const fhe_number factor = number(c);
    const fhe_window window{spec.modulus_bits, bits};
    std::vector<std::uint32_t> windows(stream.count(), ~0U);
    over_stream(stream, monitor,
                [&](const fhe_stream* from, const fhe_monitor* watch, fhe_backend_error* error) {
                  return functions().product_windows(open_->get(), &factor, from, &window,
                                                     windows.data(), watch, error);
                });
    const auto fits = [&](std::uint32_t w) { return bits == 32 || w >> bits == 0; };
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

  // For the ring too: by the plug-in's own counters where it has some, else by `own`.
  template <class Count>
  void count(const Count& own) const {
    if (functions().counts == nullptr) {
      own(counters());
    } else {
      counts_.read(*open_, counters());
    }
  }

 private:
  [[nodiscard]] const Calls& calls() const { return open_->calls(); }
  [[nodiscard]] const fhe_backend_table& functions() const { return calls().functions(); }

  static std::vector<std::string> words_of(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      if (comma > 0) words.emplace_back(list.substr(0, comma));
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return words;
  }

  template <class Weights>
  static bool is_nothing(const IntegerStream& stream, std::span<const Weights> batch) {
    return batch.empty() || stream.count() == 0;
  }

  // Modulo 2^61 - 1: a wrong product of random error passes once in 2^61 times.
  static bool is_product(const Integer& product, const Integer& x, const Integer& y) {
    constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
    __extension__ using Wide = unsigned __int128;
    const auto rest = [](const Integer& z) { return mpz_tdiv_ui(z.get_mpz_t(), kPrime); };
    return static_cast<std::uint64_t>(Wide{rest(x)} * rest(y) % kPrime) == rest(product);
  }

  void check_length(const Integer& x) const {
    if (bit_length(x) <= info_.max_operand_bits) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("an operand of {} bits is longer than the {} bits that the {} backend "
                            "accepts",
                            bit_length(x), info_.max_operand_bits, name_));
  }

  // One pass over a stream. What the stream itself throws comes before what the plug-in says of it.
  template <class Call>
  void over_stream(const IntegerStream& stream, const Monitor& monitor, const Call& call) const {
    monitor.throw_if_stopped();
    StreamForPlugin from(stream);
    const MonitorForPlugin watch(monitor);
    try {
      calls().run([&](fhe_backend_error* error) { return call(from.view(), watch.view(), error); });
    } catch (const Error& error) {
      from.rethrow_failure();
      if (error.code() == ErrorCode::stopped) {
        monitor.throw_if_stopped();
        throw calls().wrong("it stopped without being asked to");
      }
      throw;
    }
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

  std::string name_;
  OpenBackendPtr open_;
  BackendInfo info_;
  mutable Counts counts_;
};

class PluginRing final : public Ring {
 public:
  PluginRing(std::shared_ptr<const PluginBackend> backend, const OpenBackendPtr& open,
             const Integer& modulus)
      : Ring(backend, modulus),
        plugin_(std::move(backend)),
        ring_(std::make_shared<const OpenRing>(open, modulus)) {}

  [[nodiscard]] Integer reduce(const Integer& x) const override {
    const fhe_number value = number(x);
    Integer residue = element([&](fhe_result* result, fhe_backend_error* error) {
      return functions().ring_reduce(ring_->get(), &value, result, error);
    });
    plugin_->count([](OperationCounters& counters) { counters.count_reduction(); });
    return sgn(x) < 0 && sgn(residue) != 0 ? Integer(modulus() - residue) : residue;
  }

  [[nodiscard]] Operand prepare(const Integer& x) const override {
    if (functions().ring_prepare == nullptr) return {x};
    return {x, std::make_shared<const PreparedByPlugin>(ring_, x)};
  }

  [[nodiscard]] Integer multiply(const Operand& a, const Operand& b) const override {
    const fhe_factor first = factor(a);
    const fhe_factor second = factor(b);
    Integer product = element([&](fhe_result* result, fhe_backend_error* error) {
      return functions().ring_multiply(ring_->get(), &first, &second, result, error);
    });
    count_products(1);
    return product;
  }

  [[nodiscard]] Integer dot(std::span<const OperandPair> terms) const override {
    if (functions().ring_dot == nullptr || terms.empty()) return Ring::dot(terms);
    std::vector<fhe_factor> first;
    std::vector<fhe_factor> second;
    first.reserve(terms.size());
    second.reserve(terms.size());
    for (const auto& [a, b] : terms) {
      first.push_back(factor(a));
      second.push_back(factor(b));
    }
    Integer sum = element([&](fhe_result* result, fhe_backend_error* error) {
      return functions().ring_dot(ring_->get(), first.data(), second.data(), terms.size(), result,
                                  error);
    });
    count_products(terms.size());
    return sum;
  }

 private:
  [[nodiscard]] const fhe_backend_table& functions() const { return ring_->calls().functions(); }

  template <class Call>
  [[nodiscard]] Integer element(const Call& call) const {
    Results result(1, mpz_size(modulus().get_mpz_t()));
    ring_->calls().run([&](fhe_backend_error* error) { return call(result.views(), error); });
    return std::move(result.below(modulus(), ring_->calls()).front());
  }

  [[nodiscard]] fhe_factor factor(const Operand& x) const {
    const auto* const prepared = dynamic_cast<const PreparedByPlugin*>(x.prepared().get());
    return {number(x.value()), prepared == nullptr ? nullptr : prepared->of(*ring_)};
  }

  void count_products(std::size_t products) const {
    plugin_->count([&](OperationCounters& counters) {
      const std::size_t limbs = mpz_size(modulus().get_mpz_t());
      counters.count_multiplication(limbs, limbs, products);
      counters.count_reduction();
    });
  }

  std::shared_ptr<const PluginBackend> plugin_;
  OpenRingPtr ring_;
};

std::shared_ptr<const Ring> PluginBackend::ring(const Integer& modulus) const {
  if (functions().ring_open == nullptr || modulus < 2) return Backend::ring(modulus);
  return std::make_shared<const PluginRing>(
      std::static_pointer_cast<const PluginBackend>(shared_from_this()), open_, modulus);
}

}  // namespace

BackendPtr open_plugin(const LoadedPlugin& plugin, std::string name, std::string_view options) {
  return std::make_shared<const PluginBackend>(plugin, std::move(name), std::string(options));
}

}  // namespace fhe::plugin
