// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/integer_stream.hpp"

#include <vector>

#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

TEST_CASE("a stored stream gives its elements back", "[integer_stream]") {
  Operands operands(21);
  for (const std::size_t bits :
       {std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{1000}}) {
    const std::vector<Integer> elements = operands.list(20, bits);
    const StoredStream stream(elements, bits);
    CHECK(stream.count() == elements.size());
    CHECK(stream.bits() == bits);
    CHECK(stream.limbs() == limbs_for_bits(bits));
    CHECK_FALSE(stream.source().has_value());
    for (std::size_t i = 0; i < elements.size(); ++i) CHECK(stream.element(i) == elements[i]);
  }
}

TEST_CASE("a reader gives any slice, with zeros past the end", "[integer_stream]") {
  Operands operands(22);
  // The last element is short: its own limbs end before the stream's width does.
  const std::vector<Integer> elements{operands.exactly(600), 0, operands.exactly(70)};
  const StoredStream stream(elements, 600);
  const auto reader = stream.reader();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (std::size_t first = 0; first < 14; ++first) {
      for (std::size_t length = 0; length < 14; ++length) {
        std::vector<Limb> slice(length, 0x5555);
        reader->read(i, first, slice);
        CHECK(from_limbs(slice) ==
              low_bits(elements[i] >> (first * kLimbBits), length * kLimbBits));
      }
    }
  }
}

TEST_CASE("a view gives the elements of others in its own order", "[integer_stream]") {
  Operands operands(23);
  const std::vector<Integer> kept{operands.exactly(600), 0, operands.exactly(70)};
  const std::vector<std::size_t> order{2, 0, 0, 1, 2};
  std::vector<const Integer*> elements;
  for (const std::size_t at : order) elements.push_back(&kept[at]);
  const ViewStream view(elements, 600);
  CHECK(view.count() == order.size());
  CHECK(view.bits() == 600);
  CHECK_FALSE(view.source().has_value());
  const auto reader = view.reader();
  for (std::size_t i = 0; i < order.size(); ++i) {
    CHECK(view.element(i) == kept[order[i]]);
    std::vector<Limb> slice(4, 0x5555);
    reader->read(i, 8, slice);
    CHECK(from_limbs(slice) == kept[order[i]] >> (8 * kLimbBits));
  }
}

TEST_CASE("readers of one stream do not disturb each other", "[integer_stream]") {
  const StoredStream stream({7, 9}, 4);
  const auto first = stream.reader();
  const auto second = stream.reader();
  Limb a = 0;
  Limb b = 0;
  first->read(0, 0, std::span(&a, 1));
  second->read(1, 0, std::span(&b, 1));
  CHECK(a == 7);
  CHECK(b == 9);
}

TEST_CASE("a stream may be empty or of zero bits", "[integer_stream]") {
  CHECK(StoredStream({}, 100).count() == 0);
  const StoredStream zeros({0, 0}, 0);
  CHECK(zeros.limbs() == 0);
  CHECK(zeros.element(1) == 0);
}

TEST_CASE("elements outside the stream's width are refused", "[integer_stream]") {
  CHECK_THROWS_MATCHES(StoredStream({1, -1}, 10), Error,
                       HasCode(ErrorCode::invalid_argument, "element 1"));
  CHECK_THROWS_MATCHES(StoredStream({1023, 5, 1024}, 10), Error,
                       HasCode(ErrorCode::invalid_argument, "element 2"));
  CHECK_THROWS_MATCHES(StoredStream({1}, 0), Error, HasCode(ErrorCode::invalid_argument));
}

}  // namespace fhe::test
