// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/lower_degree.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "libfhe/circuit/builder.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

// An algebra that builds a circuit and knows the degree of what it has built.
class LowDegreeBits {
 public:
  explicit LowDegreeBits(NetlistBuilder& builder) : builder_(builder) {}

  void add_input(Wire wire) { note(wire, {.degree = 1}); }

  [[nodiscard]] Wire constant(bool bit) { return note(builder_.constant(bit), {}); }

  [[nodiscard]] Wire not_gate(Wire x) {
    Fact fact = facts_[x];
    if (fact.sum) fact.sum->first = inverted_term(fact.sum->first);
    return note(builder_.not_gate(x), fact);
  }

  // A term that is in both cancels.
  [[nodiscard]] Wire xor_gate(Wire x, Wire y) {
    if (const auto rest = without(x, y)) return *rest;
    if (const auto rest = without(y, x)) return *rest;
    return note(builder_.xor_gate(x, y),
                {.degree = std::max(degree(x), degree(y)), .sum = std::pair(x, y)});
  }

  [[nodiscard]] Wire and_gate(Wire x, Wire y) {
    if (const auto common = common_term(x, y)) {
      const auto [p, q, c] = *common;
      const Wire low = degree(x) <= degree(y) ? x : y;
      const Wire other = low == x ? p : q;  // low = other + c
      const std::size_t reached = std::max(degree(p), degree(q)) + degree(low);
      if (reached < degree(x) + degree(y)) {
        const Wire product = product_of(xor_gate(p, q), low);
        return xor_gate(xor_gate(product, other), c);
      }
    }
    return product_of(x, y);
  }

 private:
  // What is known of a wire that was built: its degree in the inputs, and its terms if it is a sum.
  struct Fact {
    std::size_t degree = 0;
    std::optional<std::pair<Wire, Wire>> sum = {};
  };
  struct CommonTerm {
    Wire p;
    Wire q;
    Wire c;
  };

  // A wire that was there before, because nothing had to be built, keeps what is known of it.
  Wire note(Wire wire, const Fact& fact) {
    if (facts_.size() <= wire) {
      facts_.resize(wire + 1);
      facts_[wire] = fact;
    }
    return wire;
  }

  // NOT of a term, whose own terms are left out.
  Wire inverted_term(Wire x) {
    const Wire wire = builder_.not_gate(x);
    return wire < facts_.size() ? wire : note(wire, {.degree = degree(x)});
  }

  [[nodiscard]] std::size_t degree(Wire wire) const { return facts_[wire].degree; }

  Wire product_of(Wire x, Wire y) {
    return note(builder_.and_gate(x, y), {.degree = degree(x) + degree(y)});
  }

  // The other term of a sum that `term` is one of.
  [[nodiscard]] std::optional<Wire> without(Wire sum, Wire term) const {
    const auto& terms = facts_[sum].sum;
    if (terms && terms->first == term) return terms->second;
    if (terms && terms->second == term) return terms->first;
    return std::nullopt;
  }

  // x = p + c and y = q + c.
  [[nodiscard]] std::optional<CommonTerm> common_term(Wire x, Wire y) const {
    if (!facts_[x].sum) return std::nullopt;
    const auto [first, second] = *facts_[x].sum;
    if (const auto q = without(y, first)) return CommonTerm{second, *q, first};
    if (const auto q = without(y, second)) return CommonTerm{first, *q, second};
    return std::nullopt;
  }

  NetlistBuilder& builder_;
  std::vector<Fact> facts_;  // by wire of the builder, for all that it has built
};

static_assert(BitAlgebra<LowDegreeBits>);

Netlist lowered(const Netlist& netlist) {
  NetlistBuilder builder;
  LowDegreeBits bits(builder);
  std::vector<Wire> inputs;
  for (const InputWord& word : netlist.inputs()) {
    for (const Wire wire : builder.input(word.name, word.width)) {
      bits.add_input(wire);
      inputs.push_back(wire);
    }
  }
  builder.outputs(netlist.outputs(), evaluate(simplified(netlist), bits, std::move(inputs)));
  return builder.build();
}

}  // namespace

Netlist with_lower_degree(const Netlist& netlist) {
  return reporting_memory([&] { return lowered(netlist); });
}

}  // namespace fhe
