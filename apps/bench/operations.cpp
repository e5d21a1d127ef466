// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/operations.hpp"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "libfhe/arith/ring.hpp"
#include "libfhe/fhe.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe::bench {

namespace {

constexpr std::size_t kBatch = 16;
constexpr std::size_t kSparseOnes = 15;

// Results go here, so that no compiler drops the work that led to them.
template <class Value>
void keep(Value&& value) {
  static volatile std::size_t sink = 0;
  if constexpr (requires { value.size(); }) {
    sink = sink + value.size();
  } else if constexpr (requires { value.value(); }) {
    sink = sink + mpz_size(value.value().get_mpz_t());
  } else {
    sink = sink + sizeof(value);
  }
}

// Whether encryption of a group is a sum over tau stored elements, which may have sparse weights:
// those of several slots may not.
bool is_linear(const ParameterSet& group) {
  return group.has("tau") && !group.has("slots");
}

// Numbers of a group's size without any key: for products and reductions.
struct RawNumbers {
  BackendPtr backend;
  std::size_t gamma;
  SystemRandom random;
  Integer modulus;
  Integer x;
  Integer y;
  std::shared_ptr<const Ring> ring;

  RawNumbers(const ParameterSet& group, BackendPtr used)
      : backend(std::move(used)),
        gamma(group.number("gamma", 1, SIZE_MAX >> 1)),
        modulus(power_of_two(gamma - 1) + uniform_bits(random, gamma - 1) / 2 * 2 + 1),
        x(uniform_below(random, modulus)),
        y(uniform_below(random, modulus)),
        ring(backend->ring(modulus)) {}
};

// The raw encryption step of a linear group, without any key.
struct RawEncryption {
  std::shared_ptr<const RawNumbers> numbers;
  std::size_t alpha;
  std::size_t tau;
  SystemRandom random;

  RawEncryption(const ParameterSet& group, std::shared_ptr<const RawNumbers> used)
      : numbers(std::move(used)),
        alpha(group.number("alpha", 1, SIZE_MAX >> 1)),
        tau(group.number("tau", 1, SIZE_MAX >> 1)) {}

  template <class Weights>
  void run(const Weights& weights) const {
    const PublicStream elements(StreamSeed{}, StreamPurpose::public_elements, 1, tau,
                                numbers->gamma);
    keep(numbers->ring->weighted_sums({elements, {}}, std::span(&weights, 1), Monitor{}));
  }

  [[nodiscard]] DenseWeights dense_weights() {
    DenseWeights weights(tau);
    for (Integer& weight : weights) weight = uniform_bits(random, alpha);
    return weights;
  }

  [[nodiscard]] SparseWeights sparse_weights() {
    SparseWeights weights{.ones_per_weight = kSparseOnes, .positions = {}};
    for (std::size_t i = 0; i < tau; ++i) {
      const auto ones = distinct_positions(random, kSparseOnes, static_cast<std::uint32_t>(alpha));
      weights.positions.insert(weights.positions.end(), ones.begin(), ones.end());
    }
    return weights;
  }
};

// A key pair and what is done with it, made on first use.
class Keyed {
 public:
  Keyed(ParameterSet group, BackendPtr backend)
      : group_(std::move(group)), backend_(std::move(backend)) {}

  void generate() {
    actors_.reset();
    keys_.emplace(KeyGenerator(group_, backend_).generate());
  }

  void make_keys() {
    if (!keys_) generate();
  }

  // What encryption needs once for a key, the precomputation of its ring included.
  void prepare_encryption() const { Encryptor(keys_->public_key, backend_).prepare(); }

  // Keys, a prepared encryptor, and a fresh and a refreshed ciphertext.
  void prepare() {
    make_keys();
    if (actors_) return;
    actors_ = std::make_unique<Actors>(*keys_, backend_);
  }

  [[nodiscard]] const PublicKey& public_key() const { return keys_->public_key; }
  [[nodiscard]] const Encryptor& encryptor() const { return actors_->encryptor; }
  [[nodiscard]] SecretEncryptor owner() const {
    return SecretEncryptor(keys_->secret_key, backend_);
  }
  [[nodiscard]] const Decryptor& decryptor() const { return actors_->decryptor; }
  [[nodiscard]] const Evaluator& evaluator() const { return actors_->evaluator; }
  [[nodiscard]] const Ciphertext& fresh() const { return actors_->fresh; }
  [[nodiscard]] const Ciphertext& refreshed() const { return actors_->refreshed; }

 private:
  struct Actors {
    Actors(const KeyPair& keys, const BackendPtr& backend)
        : encryptor(keys.public_key, backend),
          decryptor(keys.secret_key),
          evaluator(keys.public_key, backend),
          fresh(encryptor.encrypt(true)),
          refreshed(evaluator.recrypt(fresh)) {
      encryptor.prepare();
    }
    Encryptor encryptor;
    Decryptor decryptor;
    Evaluator evaluator;
    Ciphertext fresh;
    Ciphertext refreshed;
  };

  ParameterSet group_;
  BackendPtr backend_;
  std::optional<KeyPair> keys_;
  std::unique_ptr<Actors> actors_;
};

std::vector<Operation> arithmetic_operations(const std::shared_ptr<RawNumbers>& n) {
  return {{.name = "gmp_multiplication",
           .unit = "gamma x gamma bits, mpz_mul",
           .run = [n] { keep(Integer(n->x * n->y)); }},
          {.name = "multiplication",
           .unit = "gamma x gamma bits",
           .baseline = "gmp_multiplication",
           .run = [n] { keep(n->backend->multiply(n->x, n->y)); }},
          {.name = "gmp_modular_multiplication",
           .unit = "modulo gamma bits, mpz_mul and mpz_tdiv_r",
           .run = [n] { keep(Integer(n->x * n->y % n->modulus)); }},
          {.name = "modular_multiplication",
           .unit = "modulo gamma bits",
           .baseline = "gmp_modular_multiplication",
           .run = [n] { keep(n->ring->multiply(n->x, n->y)); }}};
}

std::vector<Operation> raw_encryption_operations(const std::shared_ptr<RawEncryption>& e) {
  return {{.name = "encrypt_dense",
           .unit = "sum X_i B_i mod X_0",
           .run = [e] { e->run(e->dense_weights()); }},
          {.name = "encrypt_sparse", .unit = "sum X_i B_i mod X_0, weight 15", .run = [e] {
             e->run(e->sparse_weights());
           }}};
}

// The linear-time expansion of a ciphertext, on elements of the size of the squashed key.
Operation expand_operation(const ParameterSet& group, const std::shared_ptr<RawNumbers>& n) {
  const std::size_t elements = group.number("Theta", 1, SIZE_MAX >> 1);
  const std::size_t kappa = group.number("kappa", 1, SIZE_MAX >> 1);
  const auto bits = static_cast<unsigned>(group.number("precision", 1, 31)) + 1;
  return {.name = "expand", .unit = "one ciphertext", .run = [=] {
            const PublicStream u(StreamSeed{}, StreamPurpose::squash, 0, elements, kappa + 1);
            keep(n->backend->product_windows(n->x, u, {kappa + 1, bits}, {}));
          }};
}

SlotBits alternating(std::size_t slots) {
  SlotBits bits;
  for (std::size_t j = 0; j < slots; ++j) bits.push_back(j % 2 != 0);
  return bits;
}

// What the owner of the secret key encrypts, and what others do with it.
std::vector<Operation> owner_operations(const std::shared_ptr<Keyed>& k) {
  constexpr std::size_t kOwnBatch = 64;
  const auto compressed = std::make_shared<std::optional<CompressedCiphertexts>>();
  const auto prepare = [=] {
    k->prepare();
    if (!*compressed) *compressed = k->owner().encrypt(std::vector<bool>(kOwnBatch, true));
  };
  return {{.name = "encrypt_owner",
           .unit = "one bit, by the owner of the key",
           .run = [k] { keep(k->owner().encrypt({true})); },
           .prepare = prepare},
          {.name = "encrypt_owner_64",
           .unit = "per bit, 64 at once",
           .per_run = kOwnBatch,
           .run = [k] { keep(k->owner().encrypt(std::vector<bool>(kOwnBatch, true))); },
           .prepare = prepare},
          {.name = "expand_owner_64",
           .unit = "per ciphertext, 64 at once",
           .per_run = kOwnBatch,
           .run = [=] { keep(fhe::expand(**compressed, k->public_key())); },
           .prepare = prepare}};
}

// The same operations for each of the bits that a ciphertext holds.
std::vector<Operation> slot_operations(const std::shared_ptr<Keyed>& k, std::size_t slots) {
  const std::string unit = fmt::format("per bit of {} slots", slots);
  std::vector<Operation> operations{
      {.name = "encrypt_per_slot",
       .unit = unit,
       .run = [=] { keep(k->encryptor().encrypt_slots(alternating(slots))); }},
      {.name = "decrypt_per_slot",
       .unit = unit,
       .run = [k] { keep(k->decryptor().decrypt_slots(k->fresh())); }},
      {.name = "mult_per_slot",
       .unit = unit,
       .run = [k] { keep(k->evaluator().and_gate(k->refreshed(), k->refreshed())); }},
      {.name = "recrypt_per_slot", .unit = unit, .run = [k] {
         keep(k->evaluator().recrypt(k->fresh()));
       }}};
  for (Operation& operation : operations) {
    operation.per_run = slots;
    operation.prepare = [k] { k->prepare(); };
  }
  return operations;
}

// `sparse`: whether the scheme has sparse encryption.
std::vector<Operation> keyed_operations(const std::shared_ptr<Keyed>& k, bool sparse) {
  constexpr std::size_t kRecryptBatch = 8;
  std::vector<Operation> operations{
      {.name = "encrypt_dense",
       .unit = "one bit",
       .run = [k] { keep(k->encryptor().encrypt(true)); }},
      {.name = "encrypt_batch_16",
       .unit = "per bit, 16 at once",
       .per_run = kBatch,
       .run = [k] { keep(k->encryptor().encrypt(std::vector<bool>(kBatch, true))); }},
      {.name = "decrypt",
       .unit = "one bit",
       .run = [k] { keep(k->decryptor().decrypt(k->fresh())); }},
      {.name = "add",
       .unit = "XOR gate",
       .run = [k] { keep(k->evaluator().xor_gate(k->refreshed(), k->refreshed())); }},
      {.name = "mult",
       .unit = "AND gate without refresh",
       .run = [k] { keep(k->evaluator().and_gate(k->refreshed(), k->refreshed())); }},
      {.name = "recrypt",
       .unit = "one ciphertext",
       .run = [k] { keep(k->evaluator().recrypt(k->fresh())); }},
      {.name = "recrypt_8",
       .unit = "per ciphertext, 8 at once",
       .per_run = kRecryptBatch,
       .run = [k] {
         keep(k->evaluator().recrypt(std::vector<Ciphertext>(kRecryptBatch, k->fresh())));
       }}};
  if (sparse) {
    operations.insert(operations.begin() + 1,
                      {.name = "encrypt_sparse", .unit = "one bit, weights of 15 ones", .run = [k] {
                         keep(k->encryptor().encrypt(true, {.sparse = true}));
                       }});
  }
  for (Operation& operation : operations) operation.prepare = [k] { k->prepare(); };
  operations.insert(operations.begin(),
                    {{.name = "keygen", .unit = "one key pair", .run = [k] { k->generate(); }},
                     {.name = "prepare_encryption",
                      .unit = "once for a key, before many encryptions",
                      .run = [k] { k->prepare_encryption(); },
                      .prepare = [k] { k->make_keys(); }}});
  return operations;
}

// Two numbers of one size and the ring of a third.
struct RingOperands {
  BackendPtr backend;
  Integer x;
  Integer y;
  Integer modulus;
  std::shared_ptr<const Ring> ring;
  Operand fresh_x;
  Operand fresh_y;
  Operand prepared_y;

  RingOperands(BackendPtr used, std::size_t bits)
      : RingOperands(std::move(used), modulus_of(bits)) {}

 private:
  RingOperands(BackendPtr used, const Integer& n)
      : backend(std::move(used)),
        x(random_below(n)),
        y(random_below(n)),
        modulus(n),
        ring(backend->ring(n)),
        fresh_x(x),
        fresh_y(y),
        prepared_y(ring->prepare(y)) {}

  static Integer random_below(const Integer& limit) {
    SystemRandom random;
    return uniform_below(random, limit);
  }
  static Integer modulus_of(std::size_t bits) {
    SystemRandom random;
    return power_of_two(bits - 1) + uniform_bits(random, bits - 1) / 2 * 2 + 1;
  }
};

constexpr std::string_view kAllThreads = "_all_threads";

// GMP's operation "gmp_NAME_SIZE", and those that are compared with it. Each has run once before it
// is measured, so that plans and memory are there.
class EngineRows {
 public:
  EngineRows(std::string_view name, std::string size, std::function<void()> by_gmp)
      : size_(std::move(size)), baseline_(fmt::format("gmp_{}_{}", name, size_)) {
    add({.name = baseline_, .unit = unit(), .threads = 1, .run = std::move(by_gmp)});
  }

  EngineRows& on_one_thread(std::string_view name, std::function<void()> run) {
    add({.name = fmt::format("{}_{}", name, size_),
         .unit = unit(),
         .threads = 1,
         .baseline = baseline_,
         .run = std::move(run)});
    return *this;
  }
  EngineRows& on_one_and_all(std::string_view name, const std::function<void()>& run) {
    on_one_thread(name, run);
    add({.name = fmt::format("{}_{}{}", name, size_, kAllThreads),
         .unit = unit(),
         .baseline = baseline_,
         .run = run});
    return *this;
  }
  [[nodiscard]] std::vector<Operation> rows() const { return rows_; }

 private:
  [[nodiscard]] std::string unit() const { return fmt::format("{} bits", size_); }
  void add(Operation row) {
    row.prepare = row.run;
    rows_.push_back(std::move(row));
  }

  std::string size_;
  std::string baseline_;
  std::vector<Operation> rows_;
};

std::vector<EngineRows> engine_rows_of_size(const BackendPtr& backend, std::size_t bits) {
  const auto o = std::make_shared<RingOperands>(backend, bits);
  const std::string size = std::to_string(bits);
  EngineRows products("product", size, [o] { keep(Integer(o->x * o->y)); });
  products.on_one_and_all("product", [o] { keep(o->backend->multiply(o->x, o->y)); });
  EngineRows squares("square", size, [o] { keep(Integer(o->x * o->x)); });
  squares.on_one_thread("square", [o] { keep(o->backend->multiply(o->x, o->x)); });
  EngineRows modular("modular_product", size, [o] { keep(Integer(o->x * o->y % o->modulus)); });
  modular
      .on_one_and_all("modular_product", [o] { keep(o->ring->multiply(o->fresh_x, o->fresh_y)); })
      .on_one_thread("modular_product_prepared",
                     [o] { keep(o->ring->multiply(o->fresh_x, o->prepared_y)); });
  return {products, squares, modular};
}

// Two numbers to multiply.
struct Factors {
  Integer x;
  Integer y;
};
using FactorsPtr = std::shared_ptr<const Factors>;

FactorsPtr random_factors(std::size_t x_bits, std::size_t y_bits) {
  SystemRandom random;
  return std::make_shared<const Factors>(
      Factors{uniform_bits(random, x_bits), uniform_bits(random, y_bits)});
}

std::function<void()> product_by_gmp(const FactorsPtr& f) {
  return [f] { keep(Integer(f->x * f->y)); };
}

std::function<void()> product_by(const BackendPtr& backend, const FactorsPtr& f) {
  return [backend, f] { keep(backend->multiply(f->x, f->y)); };
}

// The products of an encryption: an element of the public key by a weight.
EngineRows unbalanced_rows(const BackendPtr& backend, std::size_t long_bits,
                           std::size_t short_bits) {
  const FactorsPtr f = random_factors(long_bits, short_bits);
  EngineRows rows("unbalanced_product", fmt::format("{}x{}", long_bits, short_bits),
                  product_by_gmp(f));
  rows.on_one_thread("unbalanced_product", product_by(backend, f));
  return rows;
}

void append(std::vector<Operation>& all, std::vector<Operation> more) {
  std::ranges::move(more, std::back_inserter(all));
}

constexpr std::size_t kColumns = 16;

// (x_i and y_i) and z_i, for all i at once.
Netlist wide_circuit() {
  NetlistBuilder builder;
  const std::vector<Wire> x = builder.input("x", kColumns);
  const std::vector<Wire> y = builder.input("y", kColumns);
  const std::vector<Wire> z = builder.input("z", kColumns);
  std::vector<Wire> all;
  for (std::size_t i = 0; i < kColumns; ++i) {
    all.push_back(builder.and_gate(builder.and_gate(x[i], y[i]), z[i]));
  }
  builder.output("all", all);
  return builder.build();
}

struct UnbalancedBits {
  std::size_t long_bits;
  std::size_t short_bits;
};
constexpr std::array<UnbalancedBits, 4> kUnbalancedBits{
    {{150000, 936}, {843033, 1476}, {4251866, 2016}, {19575950, 2556}}};

}  // namespace

std::vector<Operation> engine_operations(const BackendPtr& backend) {
  std::vector<Operation> all;
  for (const std::size_t bits : kEngineBits) {
    for (const EngineRows& rows : engine_rows_of_size(backend, bits)) append(all, rows.rows());
  }
  for (const auto& [long_bits, short_bits] : kUnbalancedBits) {
    append(all, unbalanced_rows(backend, long_bits, short_bits).rows());
  }
  return all;
}

std::vector<Operation> circuit_operations(const ParameterSet& group, const BackendPtr& backend) {
  const auto keyed = std::make_shared<Keyed>(group, backend);
  const auto netlist = std::make_shared<const Netlist>(wide_circuit());
  const Operation all{
      .name = "wide_circuit",
      .unit = fmt::format("{} columns of two ANDs with a recryption between them", kColumns),
      .baseline = "wide_circuit_one_thread",
      .run =
          [=] {
            std::vector<Ciphertext> inputs(netlist->input_bits(), keyed->refreshed());
            keep(run_circuit(*netlist, keyed->evaluator(), std::move(inputs)).outputs);
          },
      .prepare = [=] { keyed->prepare(); }};
  Operation one = all;
  one.name = std::exchange(one.baseline, {});
  one.threads = 1;
  return {one, all};
}

std::vector<Operation> product_operations(const BackendPtr& backend,
                                          std::span<const std::size_t> bits) {
  std::vector<Operation> all;
  for (const std::size_t size : bits) {
    const FactorsPtr f = random_factors(size, size);
    EngineRows rows("product", std::to_string(size), product_by_gmp(f));
    rows.on_one_thread("product", product_by(backend, f));
    append(all, rows.rows());
  }
  return all;
}

std::vector<Operation> operations_of(const ParameterSet& group, const BackendPtr& backend) {
  if (group.purpose() == GroupPurpose::slots) return number_operations(group, backend);
  std::vector<Operation> all;
  if (group.makes_keys()) {
    const auto keyed = std::make_shared<Keyed>(group, backend);
    append(all, keyed_operations(keyed, is_linear(group)));
    const KeySizes sizes = *sizes_of(group);
    if (sizes.slots > 1) append(all, slot_operations(keyed, sizes.slots));
    if (sizes.compressed_bits) append(all, owner_operations(keyed));
  }
  if (!group.has("gamma")) return all;  // the sizes of its numbers follow from the keys
  const auto numbers = std::make_shared<RawNumbers>(group, backend);
  if (group.makes_keys()) {
    all.push_back(expand_operation(group, numbers));
  } else {
    append(all, raw_encryption_operations(std::make_shared<RawEncryption>(group, numbers)));
  }
  append(all, arithmetic_operations(numbers));
  return all;
}

}  // namespace fhe::bench
