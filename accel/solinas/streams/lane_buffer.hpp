// Memory for rows of eight lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace fhe::solinas {

// Zeroed words, aligned to a row (64 bytes). Wiped when freed: weights, and sums with secret
// weights, are kept in buffers.
class LaneBuffer {
 public:
  LaneBuffer() = default;
  explicit LaneBuffer(std::size_t words);

  [[nodiscard]] std::uint64_t* data() { return words_.get(); }
  [[nodiscard]] const std::uint64_t* data() const { return words_.get(); }
  [[nodiscard]] std::size_t size() const { return words_ ? words_.get_deleter().words : 0; }
  [[nodiscard]] bool empty() const { return size() == 0; }

 private:
  struct WipeAndFree {
    std::size_t words;
    void operator()(std::uint64_t* memory) const;
  };
  std::unique_ptr<std::uint64_t, WipeAndFree> words_;
};

}  // namespace fhe::solinas
