// SPDX-License-Identifier: Apache-2.0
// Libraries of a card's maker, which are opened when they are needed: nothing is linked.
#pragma once

#include <initializer_list>
#include <string>

namespace fhe::gpu {

// Stays open until the process ends.
class SharedObject {
 public:
  // The first of these files that there is; throws Error(unsupported) with `what` when there is
  // none: "there is no <what>: ...".
  SharedObject(const std::string& what, std::initializer_list<std::string> files);

  // The file that was opened.
  [[nodiscard]] const std::string& file() const { return file_; }

  // One of its functions. Throws Error(unsupported) if it has none of that name.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  [[nodiscard]] void* symbol(const char* name) const;

  std::string file_;
  void* handle_ = nullptr;
};

}  // namespace fhe::gpu
