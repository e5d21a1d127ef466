// SPDX-License-Identifier: Apache-2.0
// Gates on encrypted bits, with the noise watched and refreshed.
//
// A gate is ring arithmetic: XOR is c1 + c2, AND is c1 * c2, NOT is c + 1, modulo the key's
// modulus. Before a gate whose result would be too noisy, the RefreshPolicy decides: fail, recrypt
// the noisiest operand, or ask the caller. So every ciphertext that an Evaluator returns decrypts
// to the right bit, and (except under RefreshPolicy::never) can be refreshed.
//
// Threads: all members are const and may be called by any number of threads at once. Errors of
// every gate: Error(wrong_key) for a ciphertext of another key, Error(invalid_argument) for a value
// that is not below the modulus, Error(noise_exceeded) when the policy cannot help, Error(stopped),
// and what keys.hpp says of every operation.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/export.hpp"
#include "libfhe/gate/shared_ciphertext.hpp"
#include "libfhe/held.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe {

// What to do when an operand is too noisy for the next gate.
class FHE_EXPORT RefreshPolicy {
 public:
  // Given an operand, returns a ciphertext of the same bit and key with less noise, wherever it
  // comes from (a remote service, a batch, a cache). The ciphertext is checked; its noise bound is
  // believed. Called by the threads that call the Evaluator, and by several at once in a circuit
  // (run_circuit, compute).
  using Callback = std::function<Ciphertext(const Ciphertext&)>;

  // Throws Error(noise_exceeded) before a gate whose result might not decrypt correctly.
  static RefreshPolicy never() { return RefreshPolicy(Mode::never, {}); }
  // Recrypts the operands that need it, just in time and together. The default.
  static RefreshPolicy automatic() { return RefreshPolicy(Mode::automatic, {}); }
  // Asks the caller in the same situation, for one operand after the other.
  static RefreshPolicy callback(Callback refresh) {
    return RefreshPolicy(Mode::callback, std::move(refresh));
  }

 private:
  friend class Evaluator;
  enum class Mode { never, automatic, callback };
  RefreshPolicy(Mode mode, Callback refresh) : mode_(mode), refresh_(std::move(refresh)) {}
  Mode mode_;
  Callback refresh_;
};

// What an Evaluator has done so far.
struct FHE_EXPORT GateCounts {
  std::uint64_t gates = 0;        // calls of the gate functions below
  std::uint64_t products = 0;     // ring products of ciphertexts for gates, recryption excluded
  std::uint64_t recryptions = 0;  // refreshes, by recrypt() or by the policy
};

// Computes on ciphertexts of one public key.
class FHE_EXPORT Evaluator {
 public:
  // An evaluator of this key on this backend. `monitor` watches, and can stop, the recryptions that
  // gates cause. Throws Error(invalid_argument) for a policy that has lost its callback.
  explicit Evaluator(const PublicKey& key, const BackendPtr& backend = open_backend(),
                     RefreshPolicy policy = RefreshPolicy::automatic(),
                     const RecryptOptions& options = {}, Monitor monitor = {});

  // Gates of two inputs, and NOT; the operands may be the same object.
  [[nodiscard]] Ciphertext xor_gate(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext xnor_gate(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext and_gate(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext nand_gate(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext or_gate(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext nor_gate(const Ciphertext& a, const Ciphertext& b) const;
  [[nodiscard]] Ciphertext not_gate(const Ciphertext& a) const;

  // s ? a : b, with one product: s * (a + b) + b. Here, and in maj_gate, a factor that is a sum is
  // refreshed itself, and not its terms: that takes fewer recryptions.
  [[nodiscard]] Ciphertext mux_gate(const Ciphertext& s, const Ciphertext& a,
                                    const Ciphertext& b) const;
  // The majority of three bits, with one product: (a + b)(a + d) + a.
  [[nodiscard]] Ciphertext maj_gate(const Ciphertext& a, const Ciphertext& b,
                                    const Ciphertext& d) const;

  // The same on ciphertexts that remember what they were refreshed to: what one gate has refreshed,
  // no other refreshes again. Bit and Word (circuit/) compute with these.
  using Held = SharedCiphertext;
  [[nodiscard]] SharedCiphertext xor_gate(const SharedCiphertext& a,
                                          const SharedCiphertext& b) const;
  [[nodiscard]] SharedCiphertext and_gate(const SharedCiphertext& a,
                                          const SharedCiphertext& b) const;
  [[nodiscard]] SharedCiphertext not_gate(const SharedCiphertext& a) const;

  // Gates with a public bit: no product, and hardly any noise.
  [[nodiscard]] Ciphertext xor_constant(const Ciphertext& a, bool bit) const;
  [[nodiscard]] Ciphertext and_constant(const Ciphertext& a, bool bit) const;

  // The trivial ciphertext of a public bit: it hides nothing.
  [[nodiscard]] Ciphertext constant(bool bit) const;

  // The same of public bits in the slots. As an operand of and_gate it is a mask: slots with a 1
  // keep their bits and the others become 0, for a product with rho + lg l bits of noise. Throws
  // Error(invalid_argument) for another number of bits than the key has slots.
  [[nodiscard]] Ciphertext constant(const SlotBits& slots) const;

  // Ciphertexts with the bits of all slots permuted. A permutation that the key holds takes one
  // recryption. Another one of the first 2^k slots, 2^k the largest power of two that is not above
  // their number, takes at most 2 (2k - 1), and some more of those that the policy decides about,
  // if the key holds network_rotations(): in each of at most 2k - 1 layers, of distance d,
  //   c * mask(stay) + c rotated by d * mask(down) + c rotated by -d * mask(up).
  // Recrypts whatever the policy. Throws Error(invalid_argument) for a permutation of another
  // number of slots, Error(unsupported) where the key holds neither, Error(noise_exceeded) as
  // recrypt().
  [[nodiscard]] Ciphertext permute(const Ciphertext& c, const SlotPermutation& permutation,
                                   const Monitor& monitor = {}) const;
  [[nodiscard]] std::vector<Ciphertext> permute(const std::vector<Ciphertext>& cs,
                                                const SlotPermutation& permutation,
                                                const Monitor& monitor = {}) const;

  // A ciphertext of the same bit with the noise of a recrypted one, whatever the policy. Throws
  // Error(noise_exceeded) when c already has more noise than recryption can remove.
  [[nodiscard]] Ciphertext recrypt(const Ciphertext& c, const Monitor& monitor = {}) const;
  // The same for many, which is faster than for one after the other (KeyContext::recrypt_all).
  [[nodiscard]] std::vector<Ciphertext> recrypt(const std::vector<Ciphertext>& cs,
                                                const Monitor& monitor = {}) const;

  // The same as the policy has it: recrypted, or refreshed by the caller, one after the other. For
  // a circuit that was planned (run_circuit): throws Error(noise_exceeded) also under
  // RefreshPolicy::never, and where the caller leaves more noise than recryption would.
  [[nodiscard]] std::vector<Ciphertext> refresh(const std::vector<Ciphertext>& cs,
                                                const Monitor& monitor = {}) const;

  // The limits of the noise, and how it grows.
  [[nodiscard]] NoiseRule noise_rule() const { return key_->noise_rule(); }
  // The key on its backend.
  [[nodiscard]] const KeyContext& key() const { return *key_; }
  // The key that it was made with.
  [[nodiscard]] const PublicKey& public_key() const { return public_key_; }
  // What it has done so far, copies of this evaluator included.
  [[nodiscard]] GateCounts counts() const;

 private:
  struct Counters {
    std::atomic<std::uint64_t> gates{0};
    std::atomic<std::uint64_t> products{0};
    std::atomic<std::uint64_t> recryptions{0};
  };

  struct Steps;
  struct Move;
  struct SharedGates;

  // A gate of one formula.
  template <class Formula>
  [[nodiscard]] Ciphertext gate(std::initializer_list<const Ciphertext*> operands,
                                const Formula& formula) const;
  // The value of `formula` on the operands, after refreshing as many of them as it takes for the
  // noise of the result to stay within the limit.
  template <class Formula>
  [[nodiscard]] Ciphertext evaluate(std::vector<const Ciphertext*> operands,
                                    const Formula& formula) const;
  // The operands that have to be refreshed for that, the noisiest first; only that one where the
  // caller refreshes, who may leave less noise than recryption.
  template <class Formula>
  [[nodiscard]] std::vector<const Ciphertext*> too_noisy(
      const std::vector<const Ciphertext*>& operands, const Formula& formula) const;
  // All of them refreshed. `reached` is the noise that the gate would have without.
  [[nodiscard]] std::vector<Ciphertext> refresh_all(const std::vector<const Ciphertext*>& operands,
                                                    NoiseBound reached) const;
  // What the caller makes of it, checked.
  [[nodiscard]] Ciphertext refreshed_by_caller(const Ciphertext& c) const;
  // Recrypted with a permutation that the key holds; nothing where it does not.
  [[nodiscard]] std::optional<std::vector<Ciphertext>> permute_directly(
      const std::vector<Ciphertext>& cs, const SlotPermutation& permutation,
      const Monitor& monitor) const;
  // The moves that a network makes of each layer.
  [[nodiscard]] std::vector<std::vector<Move>> network_moves(
      const SlotPermutation& permutation) const;
  [[nodiscard]] std::vector<Ciphertext> move(const std::vector<Ciphertext>& cs,
                                             const std::vector<Move>& moves,
                                             const Monitor& monitor) const;
  void check(const Ciphertext& c) const;
  void check_refreshable(const Ciphertext& c) const;
  [[nodiscard]] NoiseBound limit() const;

  PublicKey public_key_;
  HeldPtr<const KeyContext> key_;
  RefreshPolicy policy_;
  Monitor monitor_;
  HeldPtr<Counters> counters_;
};

// A gate by name, for command lines and netlists: "xor", "and", "or", "not", "nand", "nor", "xnor",
// "mux" (select first), "maj".
struct FHE_EXPORT NamedGate {
  std::string_view name;  // in lower case
  unsigned inputs;        // number of operands
  // The gate on ciphertexts; as many as `inputs`.
  std::function<Ciphertext(const Evaluator&, const std::vector<Ciphertext>&)> apply;
  std::function<bool(const std::vector<bool>&)> plain;  // the same on plaintext bits
};

// All gates, in a fixed order.
FHE_EXPORT const std::vector<NamedGate>& named_gates();

// The gate of that name, in upper or lower case. Throws Error(unknown_name), listing what there is.
FHE_EXPORT const NamedGate& gate_named(std::string_view name);

}  // namespace fhe
