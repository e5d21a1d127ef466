// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "libfhe/circuit/refresh_bound.hpp"

namespace fhe {

namespace {

using Node = std::uint32_t;
using Edge = std::uint32_t;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max() / 2;

// A network with capacities and the flow in it. Edge e ^ 1 leads back from the end of edge e to its
// start; its capacity is the flow in e, which it can take back.
class Network {
 public:
  explicit Network(std::size_t nodes) : first_(nodes, kNone) {}

  void connect(Node start, Node end, std::uint32_t capacity) {
    add(start, end, capacity);
    add(end, start, 0);
  }

  void maximize_flow(Node source, Node sink) {
    while (find_levels(source, sink)) {
      next_ = first_;
      while (augment(source, sink)) {
      }
    }
  }

  // By node: whether more could flow from it to the sink.
  [[nodiscard]] std::vector<bool> nodes_before(Node sink) const {
    std::vector<bool> found(first_.size());
    std::vector<Node> waiting{sink};
    found[sink] = true;
    while (!waiting.empty()) {
      const Node node = waiting.back();
      waiting.pop_back();
      for (Edge edge = first_[node]; edge != kNone; edge = following_[edge]) {
        if (capacity_[edge ^ 1] == 0 || found[end_[edge]]) continue;
        found[end_[edge]] = true;
        waiting.push_back(end_[edge]);
      }
    }
    return found;
  }

 private:
  void add(Node start, Node end, std::uint32_t capacity) {
    following_.push_back(first_[start]);
    first_[start] = static_cast<Edge>(end_.size());
    end_.push_back(end);
    capacity_.push_back(capacity);
  }

  // The distance of every node from the source, as far as anything can still flow; whether the sink
  // is among them.
  bool find_levels(Node source, Node sink) {
    level_.assign(first_.size(), kNone);
    level_[source] = 0;
    std::vector<Node> queue{source};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (Edge edge = first_[queue[i]]; edge != kNone; edge = following_[edge]) {
        if (capacity_[edge] == 0 || level_[end_[edge]] != kNone) continue;
        level_[end_[edge]] = level_[queue[i]] + 1;
        queue.push_back(end_[edge]);
      }
    }
    return level_[sink] != kNone;
  }

  // Sends one unit along a shortest way, and returns whether there was one. Edges that led nowhere
  // are not tried again in the same phase.
  bool augment(Node source, Node sink) {
    std::vector<Edge> way;
    Node node = source;
    while (node != sink) {
      const Edge edge = next_[node];
      if (edge == kNone) {  // nothing more flows from here: back, and on with the next edge there
        if (way.empty()) return false;
        node = end_[way.back() ^ 1];
        way.pop_back();
        next_[node] = following_[next_[node]];
      } else if (capacity_[edge] > 0 && level_[end_[edge]] == level_[node] + 1) {
        way.push_back(edge);
        node = end_[edge];
      } else {
        next_[node] = following_[edge];
      }
    }
    for (const Edge edge : way) {
      --capacity_[edge];
      ++capacity_[edge ^ 1];
    }
    return true;
  }

  std::vector<Edge> first_;              // by node: the first of the edges that start there
  std::vector<Edge> following_;          // by edge: the next one with the same start
  std::vector<Node> end_;                // by edge
  std::vector<std::uint32_t> capacity_;  // by edge: how much more can flow
  std::vector<std::uint32_t> level_;     // by node
  std::vector<Edge> next_;               // by node: the first of its edges that is to be tried
};

// Every wire is two nodes with an edge of capacity 1 from the one where ways come in to the one
// where they go on.
Node way_in(Wire wire) {
  return 2 * wire;
}
Node way_on(Wire wire) {
  return 2 * wire + 1;
}

}  // namespace

std::vector<Wire> smallest_cut(const Netlist& netlist, const std::vector<bool>& from,
                               const std::vector<bool>& to) {
  const auto wires = static_cast<Wire>(netlist.wires());
  const Node source = way_in(wires);
  const Node sink = way_on(wires);
  Network network(std::size_t{2} * wires + 2);
  for (Wire wire = 0; wire < wires; ++wire) {
    network.connect(way_in(wire), way_on(wire), 1);
    if (from[wire]) network.connect(source, way_in(wire), kUnlimited);
    if (to[wire]) network.connect(way_on(wire), sink, kUnlimited);
    const Gate* const gate = netlist.driver(wire);
    if (gate == nullptr || is_product(gate->kind)) continue;
    for (std::size_t k = 0; k < gate_inputs(gate->kind); ++k) {
      network.connect(way_on(gate->inputs.at(k)), way_in(wire), kUnlimited);
    }
  }
  network.maximize_flow(source, sink);
  const std::vector<bool> before = network.nodes_before(sink);
  std::vector<Wire> cut;
  for (Wire wire = 0; wire < wires; ++wire) {
    if (before[way_on(wire)] && !before[way_in(wire)]) cut.push_back(wire);
  }
  return cut;
}

}  // namespace fhe
