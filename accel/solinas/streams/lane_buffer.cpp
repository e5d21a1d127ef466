#include "accel/solinas/streams/lane_buffer.hpp"

#include <cstdlib>
#include <new>

#include <string.h>

namespace fhe::solinas {

namespace {

constexpr std::size_t kRowBytes = 64;

}  // namespace

LaneBuffer::LaneBuffer(std::size_t words) {
  if (words == 0) return;
  const std::size_t bytes = (words * sizeof(std::uint64_t) + kRowBytes - 1) / kRowBytes * kRowBytes;
  void* memory = std::aligned_alloc(kRowBytes, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  memset(memory, 0, bytes);
  words_ = {static_cast<std::uint64_t*>(memory), WipeAndFree{words}};
}

void LaneBuffer::WipeAndFree::operator()(std::uint64_t* memory) const {
  explicit_bzero(memory, words * sizeof(std::uint64_t));
  std::free(memory);
}

}  // namespace fhe::solinas
