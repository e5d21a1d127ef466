// SPDX-License-Identifier: Apache-2.0
#include "libfhe/cluster/starpu_executor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <starpu_mpi.h>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/placement.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOperands = 3;  // of a multiplexer

// One run on this rank. StarPU's workers find it by its address.
class ClusterRun {
 public:
  ClusterRun(const Cluster& cluster, const KeyId& key, std::size_t limbs, Execution& execution,
             const Monitor& monitor)
      : cluster_(cluster),
        key_(key),
        limbs_(limbs),
        execution_(execution),
        graph_(execution.graph),
        monitor_(monitor),
        placement_(place_tasks(graph_, cluster.ranks(), cluster.workers())),
        handles_(graph_.values()),
        uses_left_(graph_.values()),
        progress_(monitor, "circuit", own_tasks()) {
    make_codelets();
    for (ValueIndex value = 0; value < graph_.values(); ++value) {
      uses_left_[value] = graph_.uses(value);
    }
  }

  ~ClusterRun() {
    for (const starpu_data_handle_t handle : handles_) {
      if (handle != nullptr) starpu_data_unregister_submit(handle);
    }
    starpu_task_wait_for_all();
  }
  ClusterRun(const ClusterRun&) = delete;
  ClusterRun& operator=(const ClusterRun&) = delete;

  ExecutionResult run() {
    register_present();
    std::size_t done = 0;
    while (done < placement_.order.size()) {
      const Clock::time_point start = Clock::now();
      const std::size_t end = cluster_.number_of_first(end_of_part(done));
      for (; done < end; ++done) submit(placement_.order[done]);
      wait();
      if (is_saving() && cluster_.is_first()) learn(Clock::now() - start);
      if (is_saving()) save();
    }
    return result();
  }

  // What a worker does with a task.
  void do_task(TaskIndex task, void* buffers[]) noexcept {
    try {
      monitor_.throw_if_stopped();
      const auto operands = graph_.operands(task);
      std::vector<Ciphertext> values;
      for (std::size_t k = 0; k < operands.size(); ++k) {
        values.push_back(ciphertext(operands[k], buffers[k]));
      }
      std::vector<const Ciphertext*> pointers;
      for (const Ciphertext& value : values) pointers.push_back(&value);
      const std::vector<Ciphertext> results = execution_.do_tasks(std::span(&task, 1), pointers);
      put(results.front().value(), buffers[operands.size()]);
      progress_.advance();
    } catch (...) {
      const std::lock_guard lock(failure_lock_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

 private:
  static void start_task(void* buffers[], void* arguments) {
    ClusterRun* run = nullptr;
    TaskIndex task = 0;
    starpu_codelet_unpack_args(arguments, &run, &task);
    run->do_task(task, buffers);
  }

  [[nodiscard]] std::size_t own_tasks() const {
    return static_cast<std::size_t>(std::ranges::count(placement_.rank, cluster_.rank()));
  }

  void make_codelets() {
    for (std::size_t operands = 0; operands <= kMostOperands; ++operands) {
      starpu_codelet& codelet = codelets_.at(operands);
      starpu_codelet_init(&codelet);
      codelet.cpu_funcs[0] = start_task;
      codelet.nbuffers = static_cast<int>(operands + 1);
      for (std::size_t k = 0; k < operands; ++k) codelet.modes[k] = STARPU_R;
      codelet.modes[operands] = STARPU_W;
    }
  }

  [[nodiscard]] std::span<Limb> limbs_in(void* buffer) const {
    return {reinterpret_cast<Limb*>(STARPU_VECTOR_GET_PTR(buffer)), limbs_};
  }

  [[nodiscard]] Ciphertext ciphertext(ValueIndex value, void* buffer) const {
    return {from_limbs(limbs_in(buffer)), graph_.noise(value), key_};
  }

  static void put_limbs(const Integer& value, std::span<Limb> out) {
    const std::span<const Limb> limbs = limbs_of(value);
    std::ranges::fill(std::ranges::copy(limbs, out.begin()).out, out.end(), Limb{0});
  }
  void put(const Integer& value, void* buffer) const { put_limbs(value, limbs_in(buffer)); }

  // Makes a value known to StarPU, which is at home on this rank.
  void register_value(ValueIndex value, std::size_t rank, std::span<Limb> memory) {
    const int node = memory.empty() ? -1 : STARPU_MAIN_RAM;
    starpu_vector_data_register(&handles_[value], node,
                                reinterpret_cast<std::uintptr_t>(memory.data()),
                                static_cast<std::uint32_t>(limbs_), sizeof(Limb));
    starpu_mpi_data_register(handles_[value], static_cast<starpu_mpi_tag_t>(value),
                             static_cast<int>(rank));
  }

  void register_present() {
    const std::size_t count = graph_.present().size();
    if (cluster_.is_first()) present_limbs_.resize(count * limbs_);
    for (ValueIndex value = 0; value < count; ++value) {
      std::span<Limb> memory;
      if (cluster_.is_first()) {
        memory = std::span(present_limbs_).subspan(value * limbs_, limbs_);
        put_limbs(execution_.present[value].value(), memory);
      }
      register_value(value, 0, memory);
    }
    execution_.present.clear();
  }

  void submit(TaskIndex task) {
    const auto operands = graph_.operands(task);
    const ValueIndex made = graph_.made_by(task);
    register_value(made, placement_.rank[task], {});
    std::array<starpu_data_handle_t, kMostOperands> in{};
    for (std::size_t k = 0; k < operands.size(); ++k) in.at(k) = handles_[operands[k]];
    ClusterRun* self = this;
    const int rank = static_cast<int>(placement_.rank[task]);
    starpu_codelet* const codelet = &codelets_.at(operands.size());
    const auto insert = [&](auto... data) {
      starpu_mpi_task_insert(MPI_COMM_WORLD, codelet, STARPU_VALUE, &self, sizeof(self),
                             STARPU_VALUE, &task, sizeof(task), STARPU_EXECUTE_ON_NODE, rank,
                             STARPU_PRIORITY, priority(task), data..., STARPU_W, handles_[made], 0);
    };
    switch (operands.size()) {
      case 0:
        insert();
        break;
      case 1:
        insert(STARPU_R, in[0]);
        break;
      case 2:
        insert(STARPU_R, in[0], STARPU_R, in[1]);
        break;
      default:
        insert(STARPU_R, in[0], STARPU_R, in[1], STARPU_R, in[2]);
        break;
    }
    for (const ValueIndex operand : operands) {
      if (--uses_left_[operand] > 0) continue;
      starpu_data_unregister_submit(std::exchange(handles_[operand], nullptr));
    }
  }

  // By the chain behind it, as far as the scheduler tells priorities apart.
  [[nodiscard]] int priority(TaskIndex task) const {
    constexpr double kLevels = 1000;
    return static_cast<int>(
        std::lround(kLevels * graph_.tasks()[task].chain / std::max(1.0, graph_.longest_chain())));
  }

  void wait() {
    starpu_mpi_wait_for_all(MPI_COMM_WORLD);
    {
      const std::lock_guard lock(failure_lock_);
      if (failure_) std::rethrow_exception(failure_);
    }
    starpu_mpi_barrier(MPI_COMM_WORLD);
  }

  [[nodiscard]] bool is_saving() const { return static_cast<bool>(execution_.saving.save); }

  // The first rank says where a part of the order ends. It costs as much as all workers do in the
  // interval, by what the last part took; the first part is a recryption for each worker.
  [[nodiscard]] std::size_t end_of_part(std::size_t begin) {
    if (!is_saving()) return placement_.order.size();
    const auto workers = static_cast<double>(cluster_.ranks() * cluster_.workers());
    const double enough = cost_a_second_ > 0 ? cost_a_second_ * execution_.saving.interval.count()
                                             : TaskCosts{}.recryption * workers;
    part_cost_ = 0;
    std::size_t end = begin;
    while (end < placement_.order.size() && (end == begin || part_cost_ < enough)) {
      part_cost_ += graph_.tasks()[placement_.order[end++]].cost;
    }
    return end;
  }

  void learn(Clock::duration took) {
    cost_a_second_ = part_cost_ / std::max(1e-6, std::chrono::duration<double>(took).count());
  }

  // Brings what is needed to the first rank, as far as it is not there yet, and saves it.
  void save() {
    std::vector<ValueIndex> live;
    for (ValueIndex value = 0; value < handles_.size(); ++value) {
      if (handles_[value] == nullptr) continue;
      starpu_mpi_get_data_on_node(MPI_COMM_WORLD, handles_[value], 0);
      live.push_back(value);
    }
    if (!cluster_.is_first()) return;
    std::vector<Ciphertext> values;
    for (const ValueIndex value : live) values.push_back(fetched(value));
    std::vector<LiveValue> list;
    for (std::size_t i = 0; i < live.size(); ++i) list.push_back({live[i], &values[i]});
    execution_.saving.save(list);
  }

  // On the rank that the value is on.
  [[nodiscard]] Ciphertext fetched(ValueIndex value) const {
    starpu_data_acquire(handles_[value], STARPU_R);
    const auto* const limbs =
        reinterpret_cast<const Limb*>(starpu_vector_get_local_ptr(handles_[value]));
    Ciphertext c(from_limbs(std::span(limbs, limbs_)), graph_.noise(value), key_);
    starpu_data_release(handles_[value]);
    return c;
  }

  ExecutionResult result() {
    ExecutionResult result;
    for (const ValueIndex value : graph_.outputs()) {
      starpu_mpi_get_data_on_node(MPI_COMM_WORLD, handles_[value], 0);
      if (cluster_.is_first()) result.outputs.push_back(fetched(value));
    }
    result.peak_values = graph_.values();
    return result;
  }

  const Cluster& cluster_;
  const KeyId& key_;
  std::size_t limbs_;
  Execution& execution_;
  const TaskGraph& graph_;
  const Monitor& monitor_;
  Placement placement_;
  std::vector<starpu_data_handle_t> handles_;  // by value; null before and after its life
  std::vector<std::size_t> uses_left_;         // by value, of tasks that are not submitted
  std::vector<Limb> present_limbs_;            // what is present, on the first rank
  std::array<starpu_codelet, kMostOperands + 1> codelets_{};
  Progress progress_;
  double part_cost_ = 0;
  double cost_a_second_ = 0;  // of all workers; 0: not known yet
  std::mutex failure_lock_;
  std::exception_ptr failure_;
};

}  // namespace

ExecutionResult StarpuExecutor::run(Execution execution, const Monitor& monitor) const {
  return reporting_memory([&] {
    if (execution.max_values) {
      throw Error(
          ErrorCode::unsupported,
          "a cluster keeps no limit of memory: leave the limit out, or run the circuit on one "
          "machine");
    }
    // StarPU's workers are the threads.
    const ThreadLimit one(1);
    return ClusterRun(cluster_, key_, limbs_, execution, monitor).run();
  });
}

}  // namespace fhe
