// SPDX-License-Identifier: Apache-2.0
// What an object of the interface holds, and the Error where nothing is left of it.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "libfhe/export.hpp"

namespace fhe {

// Throws Error(invalid_argument): this object, such as "the public key", was moved from.
[[noreturn]] FHE_EXPORT void throw_moved_from(std::string_view object);

// Throws Error(invalid_argument): a null pointer was given for this object, such as "the backend".
[[noreturn]] FHE_EXPORT void throw_missing(std::string_view object);

// Returns the pointer that a caller gave for this object. Throws Error(invalid_argument) for null.
template <class T>
[[nodiscard]] std::shared_ptr<T> required(std::shared_ptr<T> pointer, std::string_view object) {
  if (pointer == nullptr) throw_missing(object);
  return pointer;
}

// The contents that an object shares with its copies. Null only in an object that was moved from:
// then every use throws Error(invalid_argument).
template <class T>
class HeldPtr {
 public:
  // Contents, and the name of the object in that Error, which lives as long as the process.
  HeldPtr(const char* object, std::shared_ptr<T> contents)
      : object_(object), contents_(std::move(contents)) {}

  // The pointer, and what it points to.
  [[nodiscard]] const std::shared_ptr<T>& pointer() const {
    if (contents_ == nullptr) throw_moved_from(object_);
    return contents_;
  }
  [[nodiscard]] T& operator*() const { return *pointer(); }
  [[nodiscard]] T* operator->() const { return pointer().get(); }

 private:
  const char* object_;
  std::shared_ptr<T> contents_;
};

// Whether a value was moved from, for one whose other members do not show it.
class FHE_EXPORT MoveMark {
 public:
  // Not set; a copy is as the other one is.
  MoveMark() = default;
  MoveMark(const MoveMark&) = default;
  MoveMark& operator=(const MoveMark&) = default;
  // Marks the other one.
  MoveMark(MoveMark&& other) noexcept : is_set_(std::exchange(other.is_set_, true)) {}
  MoveMark& operator=(MoveMark&& other) noexcept {
    is_set_ = std::exchange(other.is_set_, true);
    return *this;
  }
  ~MoveMark() = default;

  // Throws Error(invalid_argument) with the name of the object if it is set.
  void require_unset(std::string_view object) const {
    if (is_set_) throw_moved_from(object);
  }

 private:
  bool is_set_ = false;
};

}  // namespace fhe
