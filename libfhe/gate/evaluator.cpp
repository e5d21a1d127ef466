// SPDX-License-Identifier: Apache-2.0
#include "libfhe/gate/evaluator.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/algebra/algebra.hpp"
#include "libfhe/error.hpp"
#include "libfhe/gate/evaluate.hpp"
#include "libfhe/gate/slot_network.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

constexpr auto kXnor = [](const auto& bits, const auto& x) { return xnor_of(bits, x[0], x[1]); };
constexpr auto kNand = [](const auto& bits, const auto& x) { return nand_of(bits, x[0], x[1]); };
constexpr auto kNor = [](const auto& bits, const auto& x) { return nor_of(bits, x[0], x[1]); };
constexpr auto kOr = [](const auto& bits, const auto& x) { return or_of(bits, x[0], x[1]); };

}  // namespace

Evaluator::Evaluator(const PublicKey& key, const BackendPtr& backend, RefreshPolicy policy,
                     const RecryptOptions& options, Monitor monitor)
    : public_key_(key),
      key_("the evaluator", key.context(backend, options)),
      policy_(std::move(policy)),
      monitor_(std::move(monitor)),
      counters_("the evaluator", reporting_memory([] { return std::make_shared<Counters>(); })) {
  if (policy_.mode_ == RefreshPolicy::Mode::callback && !policy_.refresh_) {
    throw_missing("the function of the refresh policy");
  }
}

NoiseBound Evaluator::limit() const {
  const NoiseRule rule = key_->noise_rule();
  return policy_.mode_ == RefreshPolicy::Mode::never ? rule.decrypt_limit : rule.refresh_limit;
}

void Evaluator::check(const Ciphertext& c) const {
  require_ciphertext_of(key_->id(), key_->ring().modulus(), c);
}

template <class Formula>
Ciphertext Evaluator::gate(std::initializer_list<const Ciphertext*> operands,
                           const Formula& formula) const {
  ++counters_->gates;
  return reporting_memory([&] { return evaluate(operands, formula); });
}

std::vector<Ciphertext> Evaluator::refresh_all(const std::vector<const Ciphertext*>& operands,
                                               NoiseBound reached) const {
  if (policy_.mode_ == RefreshPolicy::Mode::never) {
    throw Error(
        ErrorCode::noise_exceeded,
        fmt::format("the gate could reach {:.1f} bits of noise, past the {:.1f} that decrypt, and "
                    "the refresh policy is 'never': recrypt the operands first or use the "
                    "policy 'automatic'",
                    reached.bits(), limit().bits()));
  }
  std::vector<Ciphertext> refreshed;
  if (policy_.mode_ == RefreshPolicy::Mode::automatic) {
    refreshed = recrypt(collect<Ciphertext>(operands, std::identity()), monitor_);
  } else {
    for (const Ciphertext* operand : operands) refreshed.push_back(refreshed_by_caller(*operand));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (refreshed[i].noise() < operands[i]->noise()) continue;
    throw Error(
        ErrorCode::noise_exceeded,
        fmt::format("the gate could reach {:.1f} bits of noise, past the limit of {:.1f}, and "
                    "refreshing leaves {:.1f}: with this adder gates on refreshed ciphertexts "
                    "are not certain to succeed; choose another adder",
                    reached.bits(), limit().bits(), refreshed[i].noise().bits()));
  }
  return refreshed;
}

Ciphertext Evaluator::refreshed_by_caller(const Ciphertext& c) const {
  Ciphertext refreshed = policy_.refresh_(c);
  check(refreshed);
  ++counters_->recryptions;
  return refreshed;
}

std::vector<Ciphertext> Evaluator::refresh(const std::vector<Ciphertext>& cs,
                                           const Monitor& monitor) const {
  if (policy_.mode_ == RefreshPolicy::Mode::automatic) return recrypt(cs, monitor);
  if (policy_.mode_ == RefreshPolicy::Mode::never) {
    throw Error(ErrorCode::noise_exceeded,
                "the circuit needs recryptions and the refresh policy is 'never': use the policy "
                "'automatic', or inputs with less noise");
  }
  return reporting_memory([&] {
    std::vector<Ciphertext> refreshed;
    for (const Ciphertext& c : cs) {
      monitor.throw_if_stopped();
      refreshed.push_back(refreshed_by_caller(c));
      if (refreshed.back().noise() <= key_->refreshed_noise()) continue;
      throw Error(ErrorCode::noise_exceeded,
                  fmt::format("the caller's refreshing leaves {:.1f} bits of noise and recryption "
                              "{:.1f}, for which the circuit was planned",
                              refreshed.back().noise().bits(), key_->refreshed_noise().bits()));
    }
    return refreshed;
  });
}

void Evaluator::check_refreshable(const Ciphertext& c) const {
  check(c);
  const NoiseRule rule = key_->noise_rule();
  if (c.noise() <= rule.refresh_limit) return;
  throw Error(
      ErrorCode::noise_exceeded,
      fmt::format("the noise may have reached {:.1f} bits and recryption removes up to {:.1f}: "
                  "recrypt earlier",
                  c.noise().bits(), rule.refresh_limit.bits()));
}

Ciphertext Evaluator::recrypt(const Ciphertext& c, const Monitor& monitor) const {
  return reporting_memory([&] { return std::move(recrypt(std::vector{c}, monitor).front()); });
}

std::vector<Ciphertext> Evaluator::recrypt(const std::vector<Ciphertext>& cs,
                                           const Monitor& monitor) const {
  return reporting_memory([&] {
    for (const Ciphertext& c : cs) check_refreshable(c);
    counters_->recryptions += cs.size();
    return key_->recrypt_all(cs, monitor);
  });
}

Ciphertext Evaluator::xor_gate(const Ciphertext& a, const Ciphertext& b) const {
  return gate({&a, &b}, kXor);
}
Ciphertext Evaluator::xnor_gate(const Ciphertext& a, const Ciphertext& b) const {
  return gate({&a, &b}, kXnor);
}
Ciphertext Evaluator::and_gate(const Ciphertext& a, const Ciphertext& b) const {
  return gate({&a, &b}, kAnd);
}
Ciphertext Evaluator::nand_gate(const Ciphertext& a, const Ciphertext& b) const {
  return gate({&a, &b}, kNand);
}
Ciphertext Evaluator::or_gate(const Ciphertext& a, const Ciphertext& b) const {
  return gate({&a, &b}, kOr);
}
Ciphertext Evaluator::nor_gate(const Ciphertext& a, const Ciphertext& b) const {
  return gate({&a, &b}, kNor);
}
Ciphertext Evaluator::not_gate(const Ciphertext& a) const {
  return gate({&a}, kNot);
}

// The steps of a gate of several formulas: between them an operand can be refreshed.
struct Evaluator::Steps {
  const Evaluator& evaluator;

  [[nodiscard]] Ciphertext xor_gate(const Ciphertext& x, const Ciphertext& y) const {
    return evaluator.evaluate({&x, &y}, kXor);
  }
  [[nodiscard]] Ciphertext and_gate(const Ciphertext& x, const Ciphertext& y) const {
    return evaluator.evaluate({&x, &y}, kAnd);
  }
};

Ciphertext Evaluator::mux_gate(const Ciphertext& s, const Ciphertext& a,
                               const Ciphertext& b) const {
  ++counters_->gates;
  const Steps steps{*this};
  return reporting_memory([&] { return mux_of(steps, s, a, b); });
}

Ciphertext Evaluator::maj_gate(const Ciphertext& a, const Ciphertext& b,
                               const Ciphertext& d) const {
  ++counters_->gates;
  const Steps steps{*this};
  return reporting_memory([&] { return majority_of(steps, a, b, d); });
}

Ciphertext Evaluator::xor_constant(const Ciphertext& a, bool bit) const {
  if (bit) return not_gate(a);
  check(a);
  return reporting_memory([&] { return a; });
}

Ciphertext Evaluator::and_constant(const Ciphertext& a, bool bit) const {
  check(a);
  return reporting_memory([&] { return bit ? a : constant(false); });
}

Ciphertext Evaluator::constant(bool bit) const {
  return reporting_memory(
      [&] { return Ciphertext(Integer(bit ? 1 : 0), NoiseBound(), key_->id()); });
}

Ciphertext Evaluator::constant(const SlotBits& slots) const {
  require_slot_bits(slots, key_->slots());
  return reporting_memory(
      [&] { return std::move(key_->constants(std::span(&slots, 1), monitor_).front()); });
}

// Some of the slots of a ciphertext, rotated or as they are, in a sum of such.
struct Evaluator::Move {
  SlotPermutation rotation;
  Ciphertext mask;  // of the slots of the result
};

std::optional<std::vector<Ciphertext>> Evaluator::permute_directly(
    const std::vector<Ciphertext>& cs, const SlotPermutation& permutation,
    const Monitor& monitor) const {
  if (permutation == SlotPermutation::identity(permutation.slots())) return cs;
  const auto held = key_->permutations();
  const auto own = std::ranges::find(held, permutation);
  if (own == held.end()) return std::nullopt;
  for (const Ciphertext& c : cs) check_refreshable(c);
  counters_->recryptions += cs.size();
  return key_->recrypt_permuted(cs, static_cast<std::size_t>(own - held.begin()), monitor);
}

std::vector<std::vector<Evaluator::Move>> Evaluator::network_moves(
    const SlotPermutation& permutation) const {
  const std::size_t slots = permutation.slots();
  std::vector<std::vector<Move>> all;
  for (const SlotLayer& layer : slot_network(permutation)) {
    const std::size_t d = layer.distance;
    // By rotation: those that stay, come from d slots above, and come from d slots below.
    std::map<std::size_t, SlotBits> masks{{0, SlotBits(slots, true)}};
    for (std::size_t j = 0; j + d < slots; ++j) {
      if (!layer.exchanged[j]) continue;
      masks[0][j] = masks[0][j + d] = false;
      masks.try_emplace(d, slots).first->second[j] = true;
      masks.try_emplace(slots - d, slots).first->second[j + d] = true;
    }
    std::vector<Move>& moves = all.emplace_back();
    for (const auto& [rotation, mask] : masks) {
      if (std::ranges::find(mask, true) == mask.end()) continue;
      moves.push_back({SlotPermutation::rotation(slots, rotation), constant(mask)});
    }
  }
  return all;
}

std::vector<Ciphertext> Evaluator::move(const std::vector<Ciphertext>& cs,
                                        const std::vector<Move>& moves,
                                        const Monitor& monitor) const {
  std::vector<Ciphertext> sums;
  for (const Move& part : moves) {
    const auto rotated = permute_directly(cs, part.rotation, monitor);
    if (!rotated) {
      throw Error(ErrorCode::unsupported,
                  "the key holds neither this permutation nor the rotations that a network makes "
                  "it of: make a key with one or the other");
    }
    for (std::size_t k = 0; k < cs.size(); ++k) {
      Ciphertext kept = evaluate({&(*rotated)[k], &part.mask}, kAnd);
      if (sums.size() < cs.size()) {
        sums.push_back(std::move(kept));
      } else {
        sums[k] = evaluate({&sums[k], &kept}, kXor);
      }
    }
  }
  return sums;
}

Ciphertext Evaluator::permute(const Ciphertext& c, const SlotPermutation& permutation,
                              const Monitor& monitor) const {
  return reporting_memory(
      [&] { return std::move(permute(std::vector{c}, permutation, monitor).front()); });
}

std::vector<Ciphertext> Evaluator::permute(const std::vector<Ciphertext>& cs,
                                           const SlotPermutation& permutation,
                                           const Monitor& monitor) const {
  return reporting_memory([&] {
    for (const Ciphertext& c : cs) check(c);
    if (permutation.slots() != key_->slots()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("a permutation of {} slots for ciphertexts of {}",
                              permutation.slots(), key_->slots()));
    }
    if (auto direct = permute_directly(cs, permutation, monitor)) return *std::move(direct);
    if (!has_slot_network(permutation)) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("a network permutes the first {} of {} slots and leaves the others "
                              "where they are: make a key that holds this permutation",
                              std::bit_floor(permutation.slots()), permutation.slots()));
    }
    std::vector<Ciphertext> moved = cs;
    for (const std::vector<Move>& moves : network_moves(permutation)) {
      moved = move(moved, moves, monitor);
    }
    return moved;
  });
}

GateCounts Evaluator::counts() const {
  return {counters_->gates, counters_->products, counters_->recryptions};
}

const std::vector<NamedGate>& named_gates() {
  using Inputs = std::vector<Ciphertext>;
  using Plain = std::vector<bool>;
  // Used until the end.
  static const auto* const gates = new std::vector<NamedGate>{
      {"xor", 2, [](const Evaluator& e, const Inputs& x) { return e.xor_gate(x[0], x[1]); },
       [](const Plain& x) { return x[0] != x[1]; }},
      {"and", 2, [](const Evaluator& e, const Inputs& x) { return e.and_gate(x[0], x[1]); },
       [](const Plain& x) { return x[0] && x[1]; }},
      {"or", 2, [](const Evaluator& e, const Inputs& x) { return e.or_gate(x[0], x[1]); },
       [](const Plain& x) { return x[0] || x[1]; }},
      {"not", 1, [](const Evaluator& e, const Inputs& x) { return e.not_gate(x[0]); },
       [](const Plain& x) { return !x[0]; }},
      {"nand", 2, [](const Evaluator& e, const Inputs& x) { return e.nand_gate(x[0], x[1]); },
       [](const Plain& x) { return !(x[0] && x[1]); }},
      {"nor", 2, [](const Evaluator& e, const Inputs& x) { return e.nor_gate(x[0], x[1]); },
       [](const Plain& x) { return !(x[0] || x[1]); }},
      {"xnor", 2, [](const Evaluator& e, const Inputs& x) { return e.xnor_gate(x[0], x[1]); },
       [](const Plain& x) { return x[0] == x[1]; }},
      {"mux", 3, [](const Evaluator& e, const Inputs& x) { return e.mux_gate(x[0], x[1], x[2]); },
       [](const Plain& x) { return x[0] ? x[1] : x[2]; }},
      {"maj", 3, [](const Evaluator& e, const Inputs& x) { return e.maj_gate(x[0], x[1], x[2]); },
       [](const Plain& x) { return static_cast<int>(x[0]) + x[1] + x[2] >= 2; }}};
  return *gates;
}

const NamedGate& gate_named(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<std::string_view> known;
  for (const NamedGate& gate : named_gates()) {
    if (gate.name == lower) return gate;
    known.push_back(gate.name);
  }
  throw Error(ErrorCode::unknown_name,
              fmt::format("no gate named '{}'; there are: {}", name, fmt::join(known, ", ")));
}

}  // namespace fhe
