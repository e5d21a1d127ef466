#include <cstdlib>
#include <new>

#include "accel/solinas/transform.hpp"

namespace fhe::solinas {

namespace {

constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register

}  // namespace

Spectrum::Spectrum(std::size_t words) : size_(words) {
  const std::size_t bytes =
      (words * sizeof(std::uint64_t) + kAlignment - 1) / kAlignment * kAlignment;
  words_.reset(static_cast<std::uint64_t*>(std::aligned_alloc(kAlignment, bytes)));
  if (words_ == nullptr && bytes > 0) throw std::bad_alloc();
}

void Spectrum::Free::operator()(std::uint64_t* words) const {
  std::free(words);
}

}  // namespace fhe::solinas
