// SPDX-License-Identifier: Apache-2.0
#include "apps/attack/published.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "libfhe/error.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::attack {

namespace {

constexpr std::size_t kAny = std::numeric_limits<std::uint32_t>::max();

std::size_t number(const ParameterSet& group, std::string_view field) {
  return group.number(field, 0, kAny);
}

// Opens a section for `read`, which reads all of it.
template <class Read>
auto section(ContainerReader& in, std::string_view name, const Read& read) {
  in.open_section(name, 0, in.file_bytes());
  auto contents = read();
  in.close_section();
  return contents;
}

std::vector<Integer> packed(ContainerReader& in, std::string_view name, std::size_t count,
                            std::size_t bits) {
  return section(in, name, [&] { return in.read_packed(count, bits); });
}

// Each in whole bytes.
std::vector<Integer> integers(ContainerReader& in, std::string_view name, std::size_t count,
                              std::size_t bits) {
  return section(in, name, [&] {
    std::vector<Integer> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(in.read_integer(bits));
    return list;
  });
}

// The file of a public key of the DGHV family.
class KeyFile {
 public:
  explicit KeyFile(const PublicKey& key)
      : group_(key.parameters()),
        bytes_(to_bytes(key)),
        in_(Source(bytes_), {.max_file_bytes = bytes_.size()}),
        slots_(key.slots()),
        x0_(key.modulus()) {
    if (std::ranges::any_of(in_.sections(), [](const auto& s) { return s.name == "rung"; })) {
      throw Error(ErrorCode::unsupported,
                  "a key that modulus switching leads to publishes x0 and nothing else");
    }
    seed_ = section(in_, "seed", [&] { return in_.read_seed(); });
  }

  [[nodiscard]] const ParameterSet& group() const { return group_; }
  [[nodiscard]] std::size_t field(std::string_view name) const { return number(group_, name); }

  // Elements first, first + 1, ... of a stream less the corrections of a section.
  std::vector<Integer> corrected(std::string_view name, StreamPurpose purpose, std::uint32_t first,
                                 std::size_t count) {
    const PublicStream stream(seed_, purpose, first, count, field("gamma"));
    std::vector<Integer> x = packed(in_, name, count, slots_ * field("eta") + field("lambda"));
    for (std::size_t i = 0; i < count; ++i) x[i] = stream.element(i) - x[i];
    return x;
  }

  std::vector<Integer> list(std::string_view name, std::size_t count, std::size_t bits) {
    return packed(in_, name, count, bits);
  }

  // u_0, u_1, ...
  std::vector<Integer> squashed() {
    const std::size_t bits = field("kappa") + 1;
    std::vector<Integer> u = packed(in_, "u0", slots_, bits);
    const std::size_t others = field("Theta") - slots_;
    const PublicStream stream(seed_, StreamPurpose::squash, static_cast<std::uint32_t>(slots_),
                              others, bits);
    for (std::size_t i = 0; i < others; ++i) u.push_back(stream.element(i));
    return u;
  }

  // Samples without a list.
  [[nodiscard]] Samples samples(std::size_t rho) const {
    return {.x = {},
            .modulus = x0_,
            .rho = rho,
            .eta = field("eta"),
            .gamma = field("gamma"),
            .slots = slots_};
  }

 private:
  ParameterSet group_;
  std::vector<std::byte> bytes_;
  ContainerReader in_;
  std::size_t slots_;
  Integer x0_;
  StreamSeed seed_{};
};

std::vector<Integer> elements_of(KeyFile& file) {
  const std::string& scheme = file.group().scheme();
  if (scheme == "cnt") {
    return file.corrected("delta", StreamPurpose::public_elements, 1, file.field("tau"));
  }
  if (scheme == "bdghv") {
    return file.corrected("delta.x'", StreamPurpose::slot_units, 0, file.field("slots"));
  }
  std::vector<Integer> x;
  for (const std::string_view name : {"x.0", "x.1"}) {
    std::ranges::move(file.list(name, file.field("beta"), file.field("gamma")),
                      std::back_inserter(x));
  }
  return x;
}

std::vector<Integer> half_of(const std::vector<Integer>& x, std::size_t half) {
  const auto length = static_cast<std::ptrdiff_t>(x.size() / 2);
  const auto first = x.begin() + static_cast<std::ptrdiff_t>(half) * length;
  return {first, first + length};
}

bool is_word(const ParameterSet& group, std::string_view field, std::string_view word) {
  return group.has(field) && group.word(field) == word;
}

// Encrypted key bits have noise 2 r + s, but for keys with one set of digits: 32 r + s.
bool has_short_key_bits(const ParameterSet& group) {
  return !is_word(group, "adder", "digits") || number(group, "digit_key_sets") == 2;
}

std::size_t root_of(std::size_t square) {
  std::size_t root = 0;
  while (root * root < square) ++root;
  return root;
}

PublishedNumbers published_over_integers(KeyFile file) {
  PublishedNumbers published;
  const ParameterSet& group = file.group();
  const std::size_t rho = file.field("rho");
  // The elements of bdghv have noise 2 r, and 1 in one slot.
  published.elements = file.samples(group.scheme() == "bdghv" ? rho + 1 : rho);
  published.elements->x = elements_of(file);
  if (group.scheme() == "cmnt") {
    const std::vector<Integer>& x = published.elements->x;
    published.quadratic = {half_of(x, 0), half_of(x, 1), published.elements->modulus,
                           file.field("alpha"), file.field("rho_prime")};
  }
  if (group.scheme() == "cnt") {
    constexpr std::size_t kSparseOnes = 15;
    published.weighted = {published.elements->x, published.elements->modulus, file.field("alpha"),
                          kSparseOnes, file.field("rho_prime")};
  }
  const bool is_product = is_word(group, "squash", "product");
  const std::size_t Theta = file.field("Theta");
  if (has_short_key_bits(group)) {
    published.samples = file.samples(rho + 1);
    published.samples->x = published.elements->x;
    const std::size_t key_bits = is_product ? 2 * root_of(Theta) : Theta;
    std::ranges::move(file.corrected("sigma", StreamPurpose::key_bits, 0, key_bits),
                      std::back_inserter(published.samples->x));
  } else {
    published.samples = published.elements;
  }
  constexpr std::size_t kRowBoxes = 3;
  constexpr std::size_t kColumnBoxes = 5;
  const std::size_t kappa = file.field("kappa");
  if (is_product) {
    published.product_form = {file.squashed(), kappa, kRowBoxes, kColumnBoxes};
  } else {
    published.squashed = {file.squashed(), kappa, file.field("theta")};
  }
  return published;
}

PublishedNumbers published_ideal(const PublicKey& key) {
  const std::vector<std::byte> bytes = to_bytes(key);
  ContainerReader in(Source(bytes), {.max_file_bytes = bytes.size()});
  const ParameterSet& group = key.parameters();
  const std::size_t bits = bit_length(key.modulus());
  PublishedNumbers published;
  published.ideal = {.n = number(group, "n"),
                     .d = key.modulus(),
                     .r = section(in, "r", [&] { return in.read_integer(8 * in.section_bytes()); }),
                     .nonzeros = number(group, "h"),
                     .inverse_bits = number(group, "inverse_bits"),
                     .x = integers(in, "x", number(group, "s"), bits),
                     .log_ratio = number(group, "log_R"),
                     .block_size = number(group, "S")};
  return published;
}

// A multiple of the primes with so many bits.
Integer planted_modulus(const std::vector<Integer>& primes, std::size_t gamma) {
  SystemRandom random;
  Integer product = 1;
  for (const Integer& p : primes) product *= p;
  const std::size_t bits = gamma - bit_length(product) + 1;
  Integer x0;
  do {
    x0 = (uniform_bits(random, bits) | 1) * product;
  } while (bit_length(x0) != gamma);
  return x0;
}

}  // namespace

PublishedNumbers published_by(const PublicKey& key) {
  if (key.parameters().scheme() == "gh") return published_ideal(key);
  return published_over_integers(KeyFile(key));
}

PublishedNumbers published_by(const she::SecretKey& key, std::size_t count, bool publish_modulus,
                              const Monitor& monitor) {
  const she::Parameters parameters(key.group());
  const Integer q(parameters.plaintext);
  Samples samples{.x = {},
                  .modulus = 0,
                  .rho = parameters.rho + bit_length(q - 1),
                  .eta = parameters.eta,
                  .gamma = parameters.gamma,
                  .slots = parameters.slots,
                  .noise_divisor = q};
  const std::vector<she::SlotNumbers> zeros(count, she::SlotNumbers{});
  for (const she::Slots& c : she::Encryptor(key).encrypt_all(zeros, monitor)) {
    samples.x.push_back(c.value());
  }
  if (publish_modulus) {
    samples.modulus = planted_modulus(primes_of(key), parameters.gamma);
    Integer inverse;
    if (mpz_invert(inverse.get_mpz_t(), q.get_mpz_t(), samples.modulus.get_mpz_t()) != 0) {
      samples.rho = parameters.rho;
      samples.noise_divisor = 1;
      for (Integer& x : samples.x) x = x * inverse % samples.modulus;
    }
  }
  PublishedNumbers published;
  published.elements = samples;
  published.samples = std::move(samples);
  return published;
}

namespace {

std::vector<Integer> primes_in(std::span<const std::byte> file, std::size_t slots,
                               std::size_t eta) {
  ContainerReader in(Source(file, "secret key"), {.max_file_bytes = file.size()});
  return integers(in, "p", slots, eta);
}

}  // namespace

std::vector<Integer> primes_of(const SecretKey& key) {
  if (key.parameters().scheme() == "gh") return {};
  return primes_in(to_bytes(key), key.slots(), number(key.parameters(), "eta"));
}

std::vector<Integer> primes_of(const she::SecretKey& key) {
  const she::Parameters parameters(key.group());
  return primes_in(she::to_bytes(key), parameters.slots, parameters.eta);
}

std::optional<Integer> inverse_of(const SecretKey& key) {
  if (key.parameters().scheme() != "gh") return std::nullopt;
  const auto file = to_bytes(key);
  ContainerReader in(Source(file, "secret key"), {.max_file_bytes = file.size()});
  const auto integer = [&] { return in.read_integer(8 * in.section_bytes()); };
  const Integer w = section(in, "w", integer);
  return centred(w, section(in, "d", integer));
}

}  // namespace fhe::attack
