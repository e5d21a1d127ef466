// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/session.hpp"

#include <string_view>
#include <utility>

#include <spdlog/spdlog.h>

namespace fhe::cli {

Session::Session(const CommonOptions& options, std::stop_token stop)
    : backend_(options.backend), threads_(options.threads) {
  limits_.max_file_bytes = options.max_file_bytes.value_or(limits_.max_file_bytes);
  limits_.max_ciphertexts = options.max_ciphertexts.value_or(limits_.max_ciphertexts);
  circuit_limits_.max_file_bytes = options.max_file_bytes.value_or(circuit_limits_.max_file_bytes);
  monitor_.stop = std::move(stop);
  monitor_.progress = [this](std::string_view phase, double fraction) {
    progress_.update(phase, fraction);
  };
}

BackendPtr Session::backend() const {
  BackendPtr opened = open_backend(backend_);
  spdlog::debug("backend {}, {} threads", opened->info().description, thread_count());
  return opened;
}

double Session::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace fhe::cli
