// SPDX-License-Identifier: Apache-2.0
// What a core image of a process would hold: its writable memory and the registers of its threads.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfhe/storage/temporary_file.hpp"

namespace fhe::test {

// A process of which all threads stand still as long as this lives.
class StoppedProcess {
 public:
  // Throws std::system_error where the system does not allow to look into a child.
  explicit StoppedProcess(pid_t process) : process_(process) {
    try {
      for (const auto& entry : std::filesystem::directory_iterator(folder() / "task")) {
        stop(std::stoi(entry.path().filename()));
      }
    } catch (...) {
      let_go();
      throw;
    }
  }
  ~StoppedProcess() { let_go(); }
  StoppedProcess(const StoppedProcess&) = delete;
  StoppedProcess& operator=(const StoppedProcess&) = delete;

  struct Thread {
    pid_t id;
    std::uint64_t stack_pointer;
    std::vector<std::byte> registers;  // all of them, as the kernel keeps them
  };

  [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }

  struct Mapping {
    std::uint64_t first;
    std::uint64_t last;  // one behind
    std::string name;    // as /proc says it
  };

  // What is writable.
  [[nodiscard]] std::vector<Mapping> mappings() const {
    std::vector<Mapping> found;
    std::ifstream in(folder() / "maps");
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      Mapping mapping{};
      char dash = 0;
      std::string access;
      std::string ignored;
      words >> std::hex >> mapping.first >> dash >> mapping.last >> access;
      for (int i = 0; i < 3; ++i) words >> ignored;
      std::getline(words >> std::ws, mapping.name);
      if (access.starts_with("rw")) found.push_back(mapping);
    }
    return found;
  }

  // Calls piece(address, bytes) for pieces of a mapping, which overlap by `overlap` bytes.
  template <class Piece>
  void read(const Mapping& mapping, std::size_t overlap, const Piece& piece) const {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    const Descriptor memory(open((folder() / "mem").c_str(), O_RDONLY | O_CLOEXEC));
    require(memory.is_open(), "open the memory of a process");
    std::vector<std::byte> bytes(kPieceBytes + overlap);
    for (std::uint64_t at = mapping.first; at < mapping.last; at += kPieceBytes) {
      const std::size_t count = std::min<std::uint64_t>(bytes.size(), mapping.last - at);
      const auto got = pread(memory.number(), bytes.data(), count, static_cast<off_t>(at));
      require(got == static_cast<ssize_t>(count), "read the memory of a process");
      piece(at, std::span<const std::byte>(bytes).first(count));
    }
  }

 private:
  [[nodiscard]] std::filesystem::path folder() const {
    return std::filesystem::path("/proc") / std::to_string(process_);
  }

  static void require(bool ok, const char* what) {
    if (!ok) throw std::system_error(errno, std::system_category(), what);
  }

  void stop(pid_t id) {
    require(ptrace(PTRACE_SEIZE, id, nullptr, nullptr) == 0, "trace a child");
    threads_.push_back({id, 0, {}});
    require(ptrace(PTRACE_INTERRUPT, id, nullptr, nullptr) == 0, "stop a thread");
    require(waitpid(id, nullptr, __WALL) == id, "wait for a thread");
    user_regs_struct general{};
    std::vector<std::byte> all(sizeof(general));
    iovec part{&general, sizeof(general)};
    require(ptrace(PTRACE_GETREGSET, id, NT_PRSTATUS, &part) == 0, "read registers");
    std::memcpy(all.data(), &general, sizeof(general));
    std::vector<std::byte> vectors(std::size_t{1} << 14);
    part = {vectors.data(), vectors.size()};
    require(ptrace(PTRACE_GETREGSET, id, NT_X86_XSTATE, &part) == 0, "read registers");
    all.insert(all.end(), vectors.begin(),
               vectors.begin() + static_cast<std::ptrdiff_t>(part.iov_len));
    threads_.back() = {id, general.rsp, std::move(all)};
  }

  void let_go() const {
    for (const Thread& thread : threads_) ptrace(PTRACE_DETACH, thread.id, nullptr, nullptr);
  }

  pid_t process_;
  std::vector<Thread> threads_;
};

}  // namespace fhe::test
