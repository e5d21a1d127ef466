// SPDX-License-Identifier: Apache-2.0
// Functions on encrypted data that plan themselves: written with the ordinary operators, traced
// once, planned as a whole and run on all cores.
//
//   const auto distance = [](Uint<8> a, Uint<8> b) { return max(a, b) - min(a, b); };
//   const auto x = encrypt<Uint<8>>(encryptor, 13), y = encrypt<Uint<8>>(encryptor, 200);
//   const Encrypted<Uint<8>> result = compute(evaluator, distance, x, y);
//   decrypt(decryptor, result);                                             // 187
//   compute_in_the_clear<Uint<8>, Uint<8>>(distance, 13, 200);              // 187
//
// The numbers are those of circuit/number.hpp. What a function takes and gives is a Bool, a
// Uint<N>, an Int<N>, or a std::array or std::vector of them; it may also give a std::pair or
// std::tuple.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "libfhe/circuit/bit_layout.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/circuit/number.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/export.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/held.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe {

// Bytes, such as those of a text.
using Bytes = std::vector<Uint<8>>;

// Throws Error(invalid_argument) unless there are as many ciphertexts as a value has bits.
FHE_EXPORT void require_ciphertexts(std::size_t given, std::size_t bits);

// An encrypted value of type T: the ciphertexts of its bits. A value; copying copies them. Every
// use of one that was moved from throws Error(invalid_argument).
template <Traced T>
class Encrypted {
 public:
  // The value of these bits, in the order of ciphertexts(), such as from a file. Throws
  // Error(invalid_argument) for a number of them that T cannot have.
  explicit Encrypted(std::vector<Ciphertext> ciphertexts) : ciphertexts_(std::move(ciphertexts)) {
    if constexpr (TracedOfFixedSize<T>) {
      require_ciphertexts(ciphertexts_.size(), BitLayout<T>::kBits);
    } else {
      require_whole_elements(ciphertexts_.size(), BitLayout<typename T::value_type>::kBits);
    }
  }

  // The bits, bit 0 of a number first, elements one after the other; for save() and for Evaluator.
  [[nodiscard]] const std::vector<Ciphertext>& ciphertexts() const& {
    moved_.require_unset("the encrypted value");
    return ciphertexts_;
  }
  [[nodiscard]] std::vector<Ciphertext> ciphertexts() && {
    moved_.require_unset("the encrypted value");
    Encrypted taken = std::move(*this);
    return std::move(taken.ciphertexts_);
  }

 private:
  std::vector<Ciphertext> ciphertexts_;
  MoveMark moved_;  // since a std::vector may be empty
};

// Encrypts a number, a bool, or a container of them. Throws Error(invalid_argument) for a number
// that the type does not hold, and what Encryptor::encrypt throws.
template <Traced T>
[[nodiscard]] Encrypted<T> encrypt(const Encryptor& encryptor, const PlainOf<T>& plain) {
  std::vector<bool> bits;
  BitLayout<T>::append_bits(plain, bits);
  return Encrypted<T>(encryptor.encrypt(bits));
}

// What was encrypted. Throws what Decryptor::decrypt throws.
template <Traced T>
[[nodiscard]] PlainOf<T> decrypt(const Decryptor& decryptor, const Encrypted<T>& value) {
  return BitLayout<T>::plain_of(decryptor.decrypt(value.ciphertexts()), 0,
                                value.ciphertexts().size());
}

// The same for the bytes of a text. Its length is not secret.
[[nodiscard]] FHE_EXPORT Encrypted<Bytes> encrypt_text(const Encryptor& encryptor,
                                                       std::string_view text);
[[nodiscard]] FHE_EXPORT std::string decrypt_text(const Decryptor& decryptor,
                                                  const Encrypted<Bytes>& text);

// The circuit that `build` adds to the trace that it runs in.
[[nodiscard]] FHE_EXPORT Netlist traced_circuit(const std::function<void(Trace&)>& build);

// How compute() runs what it traced.
struct FHE_EXPORT ComputeOptions {
  CircuitRunOptions run = {};  // memory, checkpoint
  Monitor monitor = {};        // progress and stop
};

// Names of implementation.
namespace compute_details {

template <class T>
struct IsTuple : std::false_type {};
template <class... Ts>
struct IsTuple<std::tuple<Ts...>> : std::true_type {};
template <class First, class Second>
struct IsTuple<std::pair<First, Second>> : std::true_type {};

// What the function gives for arguments of these types.
template <class Function, class... Ts>
using ResultOf = std::remove_cvref_t<std::invoke_result_t<const Function&, const Ts&...>>;

// The next input word of the trace, as a value of so many bits.
template <Traced T>
T input(Trace& trace, std::size_t index, std::size_t bits) {
  if (bits == 0) return BitLayout<T>::value_of({}, 0, 0);
  return BitLayout<T>::value_of(trace.builder().input("in" + std::to_string(index), bits), 0, bits);
}

// Adds an output word; returns its number of bits.
template <Traced T>
std::size_t output(Trace& trace, const T& value, const std::string& name) {
  std::vector<Wire> wires;
  BitLayout<T>::append_wires(value, wires);
  const std::size_t bits = wires.size();
  if (bits > 0) trace.builder().output(name, std::move(wires));
  return bits;
}

// A traced function.
struct FHE_EXPORT Tracing {
  Netlist netlist;
  std::vector<std::size_t> output_bits;  // by output word
};

// The circuit of the function, for arguments with these numbers of bits.
template <class... Ts, class Function>
Tracing trace(const Function& function, const std::array<std::size_t, sizeof...(Ts)>& bits) {
  std::vector<std::size_t> output_bits;
  const auto build = [&]<std::size_t... I>(Trace& trace, std::index_sequence<I...>) {
    // In braces, which keep the order.
    const std::tuple<Ts...> arguments{input<Ts>(trace, I, bits[I])...};
    const auto result = std::apply(function, arguments);
    if constexpr (IsTuple<ResultOf<Function, Ts...>>::value) {
      std::apply(
          [&](const auto&... parts) {
            (output_bits.push_back(
                 output(trace, parts, "out" + std::to_string(output_bits.size()))),
             ...);
          },
          result);
    } else {
      output_bits.push_back(output(trace, result, "out"));
    }
  };
  Netlist netlist =
      traced_circuit([&build](Trace& trace) { build(trace, std::index_sequence_for<Ts...>{}); });
  return {std::move(netlist), std::move(output_bits)};
}

// The results of a function: make<T>(first, bits) for what it gives, or for each part of it.
template <class Result, class Make>
auto results(const std::vector<std::size_t>& output_bits, const Make& make) {
  if constexpr (IsTuple<Result>::value) {
    std::size_t first = 0;
    std::size_t index = 0;
    const auto next = [&]<class T>(std::type_identity<T>) {
      const std::size_t bits = output_bits[index++];
      first += bits;
      return make(std::type_identity<T>{}, first - bits, bits);
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple{next(std::type_identity<std::tuple_element_t<I, Result>>{})...};
    }(std::make_index_sequence<std::tuple_size_v<Result>>{});
  } else {
    return make(std::type_identity<Result>{}, std::size_t{0}, output_bits.front());
  }
}

}  // namespace compute_details

// The circuit of a function of arguments of types Ts, to be saved (circuit/bristol.hpp), counted
// (costs(), plan_refreshes()) or run with run_circuit(): its input words are in0, in1, ..., its
// output word is out, or out0, out1, ... where it gives a pair or a tuple.
template <TracedOfFixedSize... Ts, class Function>
[[nodiscard]] Netlist traced(const Function& function) {
  return compute_details::trace<Ts...>(function, {BitLayout<Ts>::kBits...}).netlist;
}

// What the function gives for encrypted arguments: an Encrypted<T> where it gives a T, a std::tuple
// of them where it gives a pair or a tuple. Its circuit is planned as a whole: a value is recrypted
// once, however many operations use it. Runs on as many threads as parallel_for may.
//
// Throws what the function throws, what run_circuit throws, and Error(invalid_argument) for a
// function whose circuit would have no output.
template <class Function, Traced... Ts>
[[nodiscard]] auto compute(const Evaluator& evaluator, const ComputeOptions& options,
                           const Function& function, const Encrypted<Ts>&... arguments) {
  const auto tracing = compute_details::trace<Ts...>(function, {arguments.ciphertexts().size()...});
  std::vector<Ciphertext> inputs;
  (inputs.insert(inputs.end(), arguments.ciphertexts().begin(), arguments.ciphertexts().end()),
   ...);
  CircuitResult run =
      run_circuit(tracing.netlist, evaluator, std::move(inputs), options.run, options.monitor);
  return compute_details::results<compute_details::ResultOf<Function, Ts...>>(
      tracing.output_bits,
      [&run]<class T>(std::type_identity<T>, std::size_t first, std::size_t bits) {
        const auto from =
            std::move_iterator(run.outputs.begin()) + static_cast<std::ptrdiff_t>(first);
        return Encrypted<T>({from, from + static_cast<std::ptrdiff_t>(bits)});
      });
}
template <class Function, Traced... Ts>
[[nodiscard]] auto compute(const Evaluator& evaluator, const Function& function,
                           const Encrypted<Ts>&... arguments) {
  return compute(evaluator, ComputeOptions{}, function, arguments...);
}

// What the function gives for plain arguments, by way of the same circuit: the reference for
// compute(), without a key.
template <Traced... Ts, class Function>
[[nodiscard]] auto compute_in_the_clear(const Function& function, const PlainOf<Ts>&... arguments) {
  std::array<std::size_t, sizeof...(Ts)> counts{};
  std::vector<bool> bits;
  std::size_t index = 0;
  const auto take = [&]<class T>(std::type_identity<T>, const PlainOf<T>& plain) {
    const std::size_t before = bits.size();
    BitLayout<T>::append_bits(plain, bits);
    counts[index++] = bits.size() - before;
  };
  (take(std::type_identity<Ts>{}, arguments), ...);
  const auto tracing = compute_details::trace<Ts...>(function, counts);
  const PlainBits algebra;
  const std::vector<bool> outputs = evaluate(tracing.netlist, algebra, std::move(bits));
  return compute_details::results<compute_details::ResultOf<Function, Ts...>>(
      tracing.output_bits,
      [&outputs]<class T>(std::type_identity<T>, std::size_t first, std::size_t count) {
        return BitLayout<T>::plain_of(outputs, first, count);
      });
}

}  // namespace fhe
