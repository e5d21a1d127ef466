// SPDX-License-Identifier: Apache-2.0
// fhe-bench: measures the operations of one parameter group, or the products, of one backend; or
// draws a report of many such runs.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <regex>

#include <fmt/format.h>

#include "apps/bench/aes/operations.hpp"
#include "apps/bench/counts/table.hpp"
#include "apps/bench/device/encryption_clocks.hpp"
#include "apps/bench/device/recryption_clocks.hpp"
#include "apps/bench/kernels/comparison.hpp"
#include "apps/bench/measure.hpp"
#include "apps/bench/operations.hpp"
#include "apps/bench/polynomials/comparison.hpp"
#include "apps/bench/report_command.hpp"
#include "apps/bench/results.hpp"
#include "apps/bench/run_table.hpp"
#include "apps/bench/scale.hpp"
#include "apps/bench/threads.hpp"
#include "apps/support/interrupt.hpp"
#include "apps/support/program.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/error.hpp"

namespace {

using fhe::bench::Operation;

struct Options {
  std::string group = "cnt-toy";
  std::string backend{fhe::default_backend_name()};
  std::size_t threads = 0;
  double min_seconds = 0.5;
  std::string filter = ".*";
  std::string json;
  std::string device;
  bool kernels = false;
};

std::vector<Operation> chosen(std::vector<Operation> operations, const std::string& filter) {
  const std::regex wanted(filter);
  std::erase_if(operations, [&](const Operation& o) { return !std::regex_search(o.name, wanted); });
  if (operations.empty()) {
    throw fhe::Error(fhe::ErrorCode::invalid_argument,
                     fmt::format("no operation matches --filter '{}'", filter));
  }
  return operations;
}

void measure_group(const Options& options, const std::string& group, const fhe::Backend& backend,
                   const std::vector<Operation>& operations) {
  const auto keep = [&](const fhe::bench::Run& so_far) {
    if (!options.json.empty()) fhe::bench::write_so_far(fhe::bench::to_json(so_far), options.json);
  };
  const fhe::bench::Run run =
      fhe::bench::measure({group, options.backend}, backend, operations, options.min_seconds, keep);
  if (options.json != "-") fhe::bench::print_table(run);
  if (!options.json.empty()) fhe::bench::write_text(fhe::bench::to_json(run), options.json);
}

void compute_device_clocks(const std::string& json) {
  fhe::bench::Study study;
  study.computed = fhe::bench::computed_encryptions();
  if (json != "-") {
    fhe::bench::print_encryption_clocks(study.computed);
    fhe::bench::print_recryption_clocks();
  }
  if (!json.empty()) fhe::bench::write_text(fhe::bench::to_json(study), json);
}

enum class Subject { group, engine, circuit, aes, threads };

void run(const Options& options, Subject subject) {
  const fhe::ThreadLimit limit(options.threads);
  const fhe::BackendPtr backend = fhe::open_backend(options.backend);
  if (subject == Subject::engine) {
    measure_group(options, std::string(fhe::bench::kEngine), *backend,
                  chosen(fhe::bench::engine_operations(backend), options.filter));
    return;
  }
  const auto group = fhe::ParameterSet::resolve(options.group);
  if (subject == Subject::threads) {
    fhe::bench::print_threads(chosen(fhe::bench::operations_of(group, backend), options.filter),
                              options.min_seconds);
    return;
  }
  const auto operations = subject == Subject::circuit
                              ? fhe::bench::circuit_operations(group, backend)
                          : subject == Subject::aes ? fhe::bench::aes_operations(group, backend)
                                                    : fhe::bench::operations_of(group, backend);
  measure_group(options, group.name(), *backend, chosen(operations, options.filter));
}

}  // namespace

int main(int argc, char** argv) {
  // A file that may not grow any further is an error of the write, which then leaves nothing
  // behind, and not the end of the process.
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
  Options options;
  fhe::apps::Arguments app("fhe-bench",
                           "Measures what the operations of a parameter group cost on a backend.");
  app.option("--params", options.group, "parameter group, by name or as a TOML file")
      .shows_default();
  app.option("--backend", options.backend, "arithmetic backend").shows_default();
  app.option("--threads", options.threads, "threads to use; 0: as many as there are")
      .shows_default();
  app.option("--min-time", options.min_seconds, "seconds to repeat short operations for")
      .in_range(0.0, 3600.0)
      .shows_default();
  app.option("--filter", options.filter, "regular expression: only matching operations")
      .shows_default();
  app.option("--json", options.json,
             "write the results as JSON to this file, after each operation; '-': to stdout");
  const fhe::apps::Command engine =
      app.command("engine", "Measure products, squares and modular products against GMP")
          .takes_options_of_parent();
  engine.flag("--kernels", options.kernels,
              "products alone, on every kernel of the software engine, on one thread");
  const fhe::apps::Command circuit =
      app.command("circuit", "Measure a wide circuit of the group on one and on all threads")
          .takes_options_of_parent();
  const fhe::apps::Command aes =
      app.command("aes", "Measure AES-128 on encrypted blocks, whole and by step")
          .takes_options_of_parent();
  const fhe::apps::Command threads =
      app.command("threads", "Tell how well operations of the group would use 1 to 64 threads")
          .takes_options_of_parent();
  const fhe::apps::Command counts = app.command(
      "counts", "Count the word operations of a modular product of 786,432 bits by three methods");
  const fhe::apps::Command polynomials =
      app.command("polynomials", "Measure products of polynomials against FLINT's Karatsuba")
          .takes_options_of_parent();
  polynomials.option("--device", options.device,
                     "a device that multiplies polynomials too, such as sim=karatsuba");
  const fhe::apps::Command device =
      app.command("device", "Compute what encryptions and recryptions take on the device")
          .takes_options_of_parent();
  fhe::bench::ScaleOptions scale_options;
  const fhe::apps::Command scale =
      app.command("scale", "Tell how well circuits use 1 to 1024 workers")
          .takes_options_of_parent();
  scale.option("CIRCUIT", scale_options.circuits, "circuits; without them a product and a search")
      .value_name("");
  scale
      .option("--recryption-seconds", scale_options.recryption_seconds,
              "what a recryption takes; 0: as it is measured")
      .in_range(0.0, 3600.0)
      .shows_default();
  scale.flag("--cluster", scale_options.on_cluster,
             "on the ranks of an MPI job: mpirun fhe-bench scale --cluster ...");
  scale.option("--most-seconds", scale_options.most_seconds, "longest run with tasks that sleep")
      .in_range(0.0, 3600.0)
      .shows_default();
  fhe::bench::ReportOptions report_options;
  const fhe::apps::Command report = fhe::bench::add_report_command(app, report_options);
  app.end_help_with(
      "Examples:\n  fhe-bench --params cnt-small --filter 'encrypt|recrypt' --json small.json\n"
      "  fhe-bench report --from small.json       # beside published figures");
  return fhe::apps::run_program(app, argc, argv, [&] {
    const fhe::apps::InterruptWatch interrupts(fhe::apps::FirstSignal::ends);
    if (report.is_chosen()) return fhe::bench::make_report(report_options);
    if (device.is_chosen()) {
      compute_device_clocks(options.json);
    } else if (scale.is_chosen()) {
      const auto group = fhe::ParameterSet::resolve(options.group);
      const fhe::BackendPtr backend = fhe::open_backend(options.backend);
      const fhe::ThreadLimit limit(options.threads);
      if (scale_options.on_cluster) {
        fhe::bench::measure_cluster(group, backend, scale_options);
      } else {
        fhe::bench::measure_scale(group, backend, scale_options, options.json);
      }
    } else if (counts.is_chosen()) {
      fhe::bench::print_operation_counts();
    } else if (polynomials.is_chosen()) {
      const fhe::ThreadLimit limit(options.threads);
      fhe::bench::print_polynomial_products(fhe::open_backend(options.backend), options.device,
                                            options.min_seconds);
    } else if (engine.is_chosen() && options.kernels) {
      fhe::bench::print_kernels(options.filter, options.min_seconds);
    } else {
      run(options, engine.is_chosen()    ? Subject::engine
                   : circuit.is_chosen() ? Subject::circuit
                   : aes.is_chosen()     ? Subject::aes
                   : threads.is_chosen() ? Subject::threads
                                         : Subject::group);
    }
    return 0;
  });
}
