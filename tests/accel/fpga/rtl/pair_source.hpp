// SPDX-License-Identifier: Apache-2.0
// Pairs of addresses that an engine of the datapath takes one after the other, and its bench.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "tests/accel/fpga/rtl/engine_bench.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

// An offer stands until it is taken.
template <class Model>
class PairSource {
 public:
  explicit PairSource(Model& model) : model_(&model) { forget(); }

  [[nodiscard]] bool empty() const { return pairs_.empty(); }

  void put(std::uint64_t a, std::uint64_t b) { pairs_.emplace_back(a, b); }

  void forget() {
    pairs_.clear();
    offered_ = false;
    model_->pair_valid = 0;
  }

  void drive(Words* stalls) {
    offered_ = !pairs_.empty() && (offered_ || takes_part(stalls));
    model_->pair_valid = offered_;
    if (!offered_) return;
    model_->pair_a = pairs_.front().first;
    model_->pair_b = pairs_.front().second;
  }

  void look() {
    if (!offered_ || !model_->pair_ready) return;
    pairs_.pop_front();
    offered_ = false;
  }

 private:
  Model* model_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> pairs_;
  bool offered_ = false;
};

// The bench of an engine that takes pairs.
template <class Model>
class PairBench : public EngineBench<Model> {
  using Bench = EngineBench<Model>;

 protected:
  void reset() {
    pairs_.forget();
    Bench::reset();
    CHECK(Bench::model_->pair_ready == 0);
  }

  void drive(Words* stalls) override {
    pairs_.drive(stalls);
    Bench::drive(stalls);
  }

  void look(Words* stalls) override {
    pairs_.look();
    Bench::look(stalls);
  }

  PairSource<Model> pairs_{*Bench::model_};
};

}  // namespace fhe::test
