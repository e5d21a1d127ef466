// SPDX-License-Identifier: Apache-2.0
// The device whose only multiplier is the super-size one, on its model and on the simulated RTL:
// what differs from other devices, and whole encryptions of the library.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/sim/sim_transport.hpp"
#include "tests/accel/fpga/driver/device_suite.hpp"
#include "tests/accel/fpga/driver/operands_on_device.hpp"
#include "tests/accel/fpga/driver/raw_device.hpp"
#include "tests/accel/fpga/driver/transports.hpp"
#include "tests/accel/fpga/rtl/encryptions.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

using fhe::test::Encryption;
using fhe::test::LibraryEncryption;

const std::string kSuperSize = "=super_size";
const std::string kSuperSize128 = "=super_size_128";
constexpr std::uint32_t kUnit = 28;  // bits of a word of the multiplier

// With a context for a modulus of 1000 bits in context 0.
class SuperSizeStatuses {
 public:
  SuperSizeStatuses() {
    device.enable();
    context = place_modulus(device, barrett_shape(1000, 1200, kUnit), power_of_two(999) + 12345);
    CHECK(set(context) == Status::ok);
  }

  Status set(const Context& record) {
    device.put_record(device.at(1200, 0).address, record);
    return device.status_of({.opcode = Opcode::set_ctx, .parameter = device.at(1200, 0).address});
  }
  Status of(const Command& command) { return device.status_of(command); }

  // Two rows, whose operands are one number of 512 bits.
  [[nodiscard]] NestedSum two_rows() {
    const DeviceInteger x = device.at(0, 512);
    device.put(x.address, 77, 1);
    Integer entry = Integer(x.address) + (Integer(x.address) << 64);
    Integer list;
    for (unsigned i = 0; i < 6; ++i) list += entry << (128 * i);
    device.put(device.at(10, 0).address, list, 2);
    return {.destination = device.at(20, 1000),
            .list = device.at(10, 0).address,
            .rows = 2,
            .element_bits = 512,
            .weight_bits = 512};
  }
  // The list with this entry in place of one of its six.
  void put_entry(unsigned number, std::uint64_t a, std::uint64_t b) {
    const std::uint64_t word = device.at(10 + number / 4, 0).address;
    const Integer old = device.get(word, 1);
    const unsigned shift = number % 4 * 128;
    const Integer kept = old - (low_bits(old >> shift, 128) << shift);
    device.put(word, kept + ((Integer(a) + (Integer(b) << 64)) << shift), 1);
  }

  RawDevice device{any_local_device(kSuperSize)};
  Context context;
};

// Terms or rows of an encryption of the library on the device. A noise that is longer than T is one
// more term, r mod x0 by 1.
class PlacedEncryption {
 public:
  PlacedEncryption(Device& device, const Encryption& e) : device_(device), e_(e) {
    if (bit_length(e.noise) >= kWordBits - 1) {
      e_.elements.push_back(fhe::test::oracle::mod(e.noise, e.modulus));
      e_.weights.push_back(1);
      e_.noise = 0;
    }
    const auto phi = static_cast<std::uint32_t>(e.element_bits);
    const auto bits = static_cast<std::uint32_t>(e.weight_bits);
    for (const Integer& x : e_.elements) elements_.push_back(place(device, x, phi));
    for (const Integer& x : e_.factors) factors_.push_back(place(device, x, phi));
    for (const Integer& b : e_.weights) weights_.push_back(place(device, b, bits));
    context_ = place_context(device, e.modulus, static_cast<std::uint32_t>(e_.excess_bits()));
    device.set_context(0, context_.context);
    addend_ = place_signed(device, 2 * e_.noise + (e.message ? 1 : 0));
  }

  Integer run() {
    const Placed z = room(device_, static_cast<std::uint32_t>(e_.element_bits));
    device_.run(e_.nested() ? nested(z) : sum(z));
    return contents(device_, z.buffer);
  }

 private:
  Command sum(const Placed& z) {
    list_ = place_list(device_, elements_, weights_);
    return product_sum({.destination = z.where(),
                        .list = list_.address(),
                        .terms = static_cast<std::uint16_t>(elements_.size()),
                        .element_bits = elements_.front().bits,
                        .weight_bits = weights_.front().bits,
                        .affine = true,
                        .addend = addend_.buffer.address(),
                        .reduce = true});
  }
  Command nested(const Placed& z) {
    list_ = place_nested_list(device_, elements_, weights_, factors_);
    return nested_sum({.destination = z.where(),
                       .list = list_.address(),
                       .rows = static_cast<std::uint16_t>(factors_.size()),
                       .element_bits = elements_.front().bits,
                       .weight_bits = weights_.front().bits,
                       .affine = true,
                       .addend = addend_.buffer.address()});
  }

  Device& device_;
  Encryption e_;
  std::vector<Placed> elements_, factors_, weights_;
  PlacedContext context_;
  Placed addend_;
  DeviceBuffer list_;
};

void check_library_encryption(const LibraryEncryption& encryption,
                              const std::string& equipment = kSuperSize) {
  Device device(any_local_device(equipment));
  CHECK(PlacedEncryption(device, encryption.encryption).run() == encryption.ciphertext);
}

}  // namespace

TEST_CASE("super_size: every command against GMP") {
  Device device(any_local_device(kSuperSize));
  CHECK(device.info().equipment == kSuperSizeEquipment);
  check_commands(device,
                 {.lengths = {0, 1, 225, 512, 1025}, .long_lengths = {9'000}, .modulus_bits = 700});
}

TEST_CASE("super_size: every command against GMP with 128 points") {
  Device device(any_local_device(kSuperSize128));
  CHECK(device.info().equipment == kSuperSize128Equipment);
  check_commands(
      device, {.lengths = {0, 1, 225, 512, 1793}, .long_lengths = {20'000}, .modulus_bits = 700});
}

TEST_CASE_METHOD(SuperSizeStatuses, "super_size: engines and opcodes that are missing") {
  const DeviceInteger x = device.at(0, 100), y = device.at(1, 90), z = device.at(2, 1000);
  CHECK(of(multiply(z, x, y)) == Status::ok);
  CHECK(of(by(Engine::ssmul, multiply(z, x, y))) == Status::ok);
  for (const Engine engine : {Engine::mul768, Engine::fftmul, Engine::stream768})
    CHECK(of(by(engine, square(z, x))) == Status::bad_opcode);
  CHECK(of(sparse_multiply({z.address, 5000}, x, y.address, 1)) == Status::bad_opcode);
  CHECK(of(product_sum({.destination = z, .sparse = true})) == Status::bad_opcode);
  CHECK(of({.opcode = Opcode::karat}) == Status::bad_opcode);
}

TEST_CASE_METHOD(SuperSizeStatuses,
                 "super_size: shifts are multiples of 28 bits, and scratch memory is large") {
  for (const int off : {-1, 1, 14, 512}) {
    CAPTURE(off);
    Context moved = context;
    moved.shape.shift_low -= static_cast<std::uint32_t>(off);
    moved.shape.shift_high += 560;
    CHECK(set(moved) == Status::length);
    moved = context;
    moved.shape.shift_high += static_cast<std::uint32_t>(off);
    CHECK(set(moved) == Status::length);
  }
  Context moved = context;
  moved.shape.shift_low -= 28;
  CHECK(set(moved) == Status::length);  // alpha is too small
  moved.shape.shift_high += 28;
  CHECK(set(moved) == Status::ok);
  Context small = context;
  CHECK(small.scratch_words == 4 * 5 + small.shape.reciprocal_words() + 2 * 2);
  --small.scratch_words;
  CHECK(set(small) == Status::length);
  small = context;
  small.scratch = device.end() - (small.scratch_words - 1) * kWordBytes;
  CHECK(set(small) == Status::range);
  small.scratch -= kWordBytes;
  CHECK(set(small) == Status::ok);
}

TEST_CASE_METHOD(SuperSizeStatuses, "super_size: what nested_sum requires") {
  const NestedSum good = two_rows();
  CHECK(of(nested_sum(good)) == Status::ok);
  const auto changed = [&](auto&& change) {
    NestedSum sum = good;
    change(sum);
    return of(nested_sum(sum));
  };
  CHECK(changed([](NestedSum& s) { s.context = 1; }) == Status::no_ctx);
  CHECK(changed([](NestedSum& s) { s.context = 4; }) == Status::no_ctx);
  CHECK(changed([](NestedSum& s) { s.destination.bits = 999; }) == Status::length);
  CHECK(changed([](NestedSum& s) { s.weight_bits = 2200 - 512 - 16; }) != Status::length);
  CHECK(changed([](NestedSum& s) { s.weight_bits = 2200 - 512 - 15; }) == Status::length);
  CHECK(changed([](NestedSum& s) { s.rows = 8192; }) == Status::length);
  CHECK(changed([](NestedSum& s) { s.list += 8; }) == Status::bad_align);
  CHECK(changed([&](NestedSum& s) { s.list = device.end() - 64; }) == Status::range);
  CHECK(changed([](NestedSum& s) { s.list = s.destination.address + 64; }) == Status::overlap);
  CHECK(changed([&](NestedSum& s) { s.affine = true, s.addend = device.at(0, 0).address; }) ==
        Status::ok);
  CHECK(changed([](NestedSum& s) { s.affine = true, s.addend = 8; }) == Status::bad_align);
  CHECK(changed([](NestedSum& s) { s.rows = 0, s.list = 0; }) == Status::ok);
}

TEST_CASE_METHOD(SuperSizeStatuses, "super_size: the entries of nested_sum are checked") {
  const NestedSum sum = two_rows();
  const std::uint64_t x = device.at(0, 0).address;
  // The last of each row is a factor: its second address is nothing.
  for (const unsigned number : {0U, 1U, 2U, 3U, 4U, 5U}) {
    const bool factor = number % 3 == 2;
    CAPTURE(number);
    put_entry(number, x + 8, x);
    CHECK(of(nested_sum(sum)) == Status::bad_align);
    put_entry(number, device.end(), x);
    CHECK(of(nested_sum(sum)) == Status::range);
    put_entry(number, sum.destination.address, x);
    CHECK(of(nested_sum(sum)) == Status::overlap);
    put_entry(number, x, x + 8);
    CHECK(of(nested_sum(sum)) == (factor ? Status::ok : Status::bad_align));
    put_entry(number, x, x);
    CHECK(of(nested_sum(sum)) == Status::ok);
  }
  device.put(device.at(1, 0).address, power_of_two(511), 1);
  for (const unsigned number : {0U, 1U, 2U, 3U, 4U, 5U}) {
    CAPTURE(number);
    NestedSum shorter = sum;
    shorter.element_bits = 511;
    put_entry(number, device.at(1, 0).address, x);
    CHECK(of(nested_sum(shorter).with(flag::check_pad)) == Status::pad_not_zero);
    CHECK(of(nested_sum(sum).with(flag::check_pad)) == Status::ok);
    put_entry(number, x, x);
    CHECK(of(nested_sum(shorter).with(flag::check_pad)) == Status::ok);
  }
}

#ifdef FHE_HARDWARE
TEST_CASE("super_size: an error of the memory ends a sum, and the next one is right") {
  const auto word = [](std::uint64_t number) { return test_memory().base() + number * kWordBytes; };
  // A number, the list, the result, and none of these.
  for (const std::uint64_t bad : {word(1), word(10), word(21), word(30)}) {
    RawDevice device(make_super_size_sim_transport(test_memory(), {.failing_address = bad}));
    device.enable();
    const Integer x = power_of_two(1023) + 7;
    for (const std::uint64_t at : {0U, 4U}) device.put(word(at), x, 2);
    const auto run = [&](std::uint64_t number) {
      device.put(word(10), Integer(number) + (Integer(number) << 64));
      return device.status_of(product_sum({.destination = device.at(20, 2100),
                                           .list = word(10),
                                           .terms = 1,
                                           .element_bits = 1024,
                                           .weight_bits = 1024}));
    };
    CAPTURE((bad - word(0)) / kWordBytes);
    const bool fails = bad != word(30);
    CHECK(run(word(0)) == (fails ? Status::bus_error : Status::ok));
    if (fails)
      CHECK(join_halves(device.read(reg::err_addr_lo), device.read(reg::err_addr_hi)) == bad);
    if (bad == word(1)) CHECK(run(word(4)) == Status::ok);
    if (bad == word(1) || !fails) CHECK(device.get(word(20), 5) == x * x);
  }
}
#endif

TEST_CASE("super_size: CNT Mini is that of the library") {
  check_library_encryption(fhe::test::cnt_encryption("cnt-mini"));
}

TEST_CASE("super_size: CMNT Mini in its nested form") {
  check_library_encryption(fhe::test::cmnt_encryption("cmnt-mini"));
}

TEST_CASE("super_size: CMNT Toy by products of pairs is that of the library") {
  LibraryEncryption toy = fhe::test::cmnt_encryption("cmnt-toy");
  toy.encryption = of_pairs(toy.encryption);
  check_library_encryption(toy);
}

TEST_CASE("super_size: CNT and CMNT Toy are those of the library with 128 points", "[long]") {
  const bool nested = GENERATE(false, true);
  check_library_encryption(
      nested ? fhe::test::cmnt_encryption("cmnt-toy") : fhe::test::cnt_encryption("cnt-toy"),
      kSuperSize128);
}

TEST_CASE("super_size: CNT Toy is that of the library", "[long]") {
  check_library_encryption(fhe::test::cnt_encryption("cnt-toy"));
}

TEST_CASE("super_size: CMNT Toy in its nested form", "[long]") {
  check_library_encryption(fhe::test::cmnt_encryption("cmnt-toy"));
}

}  // namespace fhe::fpga::test
