// SPDX-License-Identifier: Apache-2.0
// One model made by Verilator, in a context of its own. And waves of it, for a viewer such as
// GTKWave or Surfer, in builds with FHE_WAVES; other builds have the same class, and it does
// nothing.
#pragma once

#include <optional>

#include <verilated.h>

#ifdef FHE_WAVES_DIR

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <verilated_fst_c.h>

#include "libfhe/error.hpp"

#endif

namespace fhe::fpga {

// Verilator 5.006 takes the scopes of a dying model out of the context of the *thread*, which is
// that of the newest model, and may be gone. So here a model dies in its own context, and no
// thread keeps it. `Model` is a class made by Verilator.
template <class Model>
class SimulatedModel {
 public:
  SimulatedModel() { model_.emplace(&context_); }

  // Registers start with random values from this seed, and not with zeros.
  explicit SimulatedModel(int seed) {
    context_.randSeed(seed);
    context_.randReset(2);
    model_.emplace(&context_);
  }

  SimulatedModel(const SimulatedModel&) = delete;
  SimulatedModel& operator=(const SimulatedModel&) = delete;

  ~SimulatedModel() {
    Verilated::threadContextp(&context_);
    model_.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  [[nodiscard]] VerilatedContext& context() { return context_; }
  [[nodiscard]] Model& operator*() { return *model_; }

 private:
  VerilatedContext context_;
  std::optional<Model> model_;
};

#ifdef FHE_WAVES_DIR

// Writes MODEL-1.fst for the first simulation of a model in a process, MODEL-2.fst for the second,
// and so on, over those of earlier processes. The folder is that of the environment variable
// FHE_WAVES_DIR, or else `waves` in the folder of the build. `Model` is a class made by Verilator.
template <class Model>
class Waves {
 public:
  // To be made before the model is first evaluated. Throws Error(io) when the file cannot be
  // written.
  Waves(VerilatedContext& context, Model& model) : context_(context), model_(model) {
    context_.traceEverOn(true);
    model_.trace(&file_, kAllLevels);
    const std::string path = next_path();
    file_.open(path.c_str());
    if (!file_.isOpen()) throw Error(ErrorCode::io, "cannot write waves to " + path);
  }
  Waves(const Waves&) = delete;
  Waves& operator=(const Waves&) = delete;
  ~Waves() { sample(); }

  // Records all signals as they follow from the inputs now. Half a clock passes between two
  // samples.
  void sample() {
    model_.eval();
    file_.dump(context_.time());
    context_.timeInc(1);
  }

 private:
  static constexpr int kAllLevels = 99;

  std::string next_path() const {
    static std::atomic<int> simulations = 0;
    const char* const chosen = std::getenv("FHE_WAVES_DIR");
    const std::filesystem::path folder = chosen != nullptr ? chosen : FHE_WAVES_DIR;
    std::error_code failure;  // open() finds it too
    std::filesystem::create_directories(folder, failure);
    const std::string name = std::string(model_.modelName()) + "-" + std::to_string(++simulations);
    return folder / (name + ".fst");
  }

  VerilatedContext& context_;
  Model& model_;
  VerilatedFstC file_;
};

#else

template <class Model>
class Waves {
 public:
  Waves(const VerilatedContext&, const Model&) {}
  void sample() {}
};

#endif

}  // namespace fhe::fpga
