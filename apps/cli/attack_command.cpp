// SPDX-License-Identifier: Apache-2.0
// `fhe attack`: attacks on keys of one's own, step by step, beside what the estimator says of them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/block_reduction.hpp"
#include "apps/attack/published.hpp"
#include "apps/cli/command_line.hpp"
#include "apps/cli/key_files.hpp"
#include "apps/cli/object_input.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/security/estimate.hpp"

namespace fhe::cli {

namespace {

constexpr std::string_view kAllMethods = "all";
constexpr std::size_t kOpened = 8;  // ciphertexts that each attack is to open

struct AttackCommandOptions {
  std::string key;
  std::string secret_key;
  std::string passphrase_file;
  std::string method;
  std::optional<std::size_t> samples;
  std::size_t block = 2;
  bool publish_modulus = false;
};

// A key under attack.
struct Victim {
  KeyId id;
  attack::Target target;
  std::optional<security::Estimate> estimate;
  std::vector<Integer> primes;          // to compare with; none where the secret key is not given
  std::optional<Integer> inverse = {};  // likewise, the secret w of an ideal
  std::size_t slots;
  bool bit = false;  // of the target's ciphertext
  // How many of some new ciphertexts, which hold the same in all slots, a secret, a prime or w,
  // opens rightly.
  std::function<std::size_t(const Integer& secret)> opens;
};

// What came of one method.
struct AttackOutcome {
  const attack::Method* method;
  attack::Finding finding = {};
  std::size_t tried = kOpened;  // ciphertexts
  std::size_t opened = 0;       // of them, by every secret that was found
  std::string refused = {};
  const security::Attack* model = nullptr;
};

const security::Attack* model_of(const Victim& victim, std::string_view name) {
  if (!victim.estimate) return nullptr;
  for (const auto* const list : {&victim.estimate->attacks, &victim.estimate->optional_attacks}) {
    const auto found = std::ranges::find(*list, name, &security::Attack::name);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

std::optional<std::size_t> model_dimension(const Victim& victim) {
  const security::Attack* model = model_of(victim, "orthogonal lattice");
  if (model == nullptr || !model->suffices) return std::nullopt;
  return static_cast<std::size_t>(model->dimension);
}

// Sets what is to be opened: bits, and of keys without primes the first of them.
void set_bits_to_open(Victim& victim, const PublicKey& key, const Session& session) {
  SystemRandom random;
  std::vector<bool> bits;
  for (std::size_t i = 0; i < kOpened; ++i) bits.push_back(uniform_index(random, 2) == 1);
  const auto ciphertexts = Encryptor(key, session.backend()).encrypt(bits, {}, session.monitor());
  victim.target.ciphertext = ciphertexts.front().value();
  victim.bit = bits.front();
  const bool has_ideal = victim.target.numbers.ideal.has_value();
  victim.opens = [=, d = key.modulus()](const Integer& secret) {
    std::size_t opened = 0;
    for (std::size_t i = 0; i < kOpened; ++i) {
      const Integer& c = ciphertexts[i].value();
      const Integer noise = has_ideal ? attack::centred(c * secret, d) : attack::centred(c, secret);
      if ((noise % 2 != 0) == bits[i]) ++opened;
    }
    return opened;
  };
  victim.target.encrypt_sparse = [&session, key, bit = victim.bit](std::size_t count) {
    const auto sparse =
        Encryptor(key, session.backend())
            .encrypt(std::vector<bool>(count, bit), {.sparse = true}, session.monitor());
    std::vector<Integer> values;
    for (const Ciphertext& c : sparse) values.push_back(c.value());
    return values;
  };
}

std::function<std::size_t(const Integer&)> opens_numbers(const she::SecretKey& key,
                                                         const she::Parameters& parameters,
                                                         const Session& session) {
  SystemRandom random;
  std::vector<she::SlotNumbers> rows;
  for (std::size_t i = 0; i < kOpened; ++i) {
    const Integer number = uniform_below(random, Integer(parameters.plaintext));
    rows.emplace_back(parameters.slots, number.get_ui());
  }
  const auto ciphertexts = she::Encryptor(key).encrypt_all(rows, session.monitor());
  return [=](const Integer& prime) {
    std::size_t opened = 0;
    for (std::size_t i = 0; i < kOpened; ++i) {
      const Integer rest = attack::centred(ciphertexts[i].value(), prime) - rows[i].front();
      if (rest % parameters.plaintext == 0) ++opened;
    }
    return opened;
  };
}

// The answers of a decryption, and none where it refuses because of noise.
template <class Decrypt>
auto unless_refused(Decrypt decrypt) {
  return [decrypt = std::move(decrypt)](const Integer& value) -> std::optional<bool> {
    try {
      return decrypt(value);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::noise_exceeded) throw;
      return std::nullopt;
    }
  };
}

// What the owner of a key tells about ciphertexts with the largest noise that they may claim.
attack::DecryptionOracle answers_of(std::shared_ptr<const Decryptor> owner, const PublicKey& key) {
  const NoiseBound claim = key.context(open_backend())->noise_rule().decrypt_limit;
  return {claim.magnitude(), unless_refused([owner = std::move(owner), claim,
                                             id = key.id()](const Integer& value) -> bool {
            return owner->decrypt_slots(Ciphertext(value, claim, id)).front() != 0;
          })};
}

attack::DecryptionOracle answers_of(const she::SecretKey& key, const she::Parameters& parameters) {
  const auto owner = std::make_shared<const she::Decryptor>(key);
  const Integer claim = parameters.noise_limit();
  return {claim, unless_refused([owner, claim, id = key.id()](const Integer& value) -> bool {
            return owner->decrypt(she::Slots(value, claim, id)).front() % 2 != 0;
          })};
}

Victim victim_of(const PublicKey& key, const AttackCommandOptions& options,
                 const Session& session) {
  if (options.publish_modulus) {
    throw Error(ErrorCode::invalid_argument,
                "this key publishes x0 already: --publish-x0 is for keys of numbers in slots");
  }
  Victim victim{.id = key.id(),
                .target = {},
                .estimate = estimate_of(key.parameters()),
                .primes = {},
                .slots = key.slots(),
                .opens = {}};
  if (!options.secret_key.empty()) {
    const SecretKey secret = open_secret_key(options.secret_key, options.passphrase_file, session);
    require_same_key(key.id(), secret.id(), "the secret key");
    victim.primes = attack::primes_of(secret);
    victim.inverse = attack::inverse_of(secret);
    victim.target.owner = answers_of(std::make_shared<const Decryptor>(secret), key);
  } else if (!key.id().test_key) {
    throw Error(ErrorCode::wrong_key,
                key.id().text() +
                    " is not marked as a test key: attacks are for keys of one's own; show that "
                    "it is yours with --secret, or make a test key with fhe keygen --test-seed");
  }
  victim.target.numbers = attack::published_by(key);
  set_bits_to_open(victim, key, session);
  return victim;
}

// Numbers in slots have secret keys alone: who has one may attack it.
Victim victim_of(const she::SecretKey& key, const AttackCommandOptions& options,
                 const Session& session) {
  constexpr std::size_t kSpare = 16;
  const she::Parameters parameters(key.group());
  security::Problems problems = parameters.problems();
  problems.samples->modulus_public = options.publish_modulus;
  Victim victim{.id = key.id(),
                .target = {},
                .estimate = security::estimate(problems),
                .primes = attack::primes_of(key),
                .slots = parameters.slots,
                .opens = {}};
  // As many samples as the largest lattice takes.
  victim.target.numbers = attack::published_by(key, attack::kMostDimensions + kSpare,
                                               options.publish_modulus, session.monitor());
  victim.target.owner = answers_of(key, parameters);
  victim.opens = opens_numbers(key, parameters, session);
  return victim;
}

Victim read_victim(const AttackCommandOptions& options, const Session& session) {
  clear_leftovers(options.key);
  const KeptObject object(options.key, session.limits().max_file_bytes, session);
  const ContainerReader in(object.source(), session.limits());
  const bool is_of_numbers = is_of_family(in.header().scheme, GroupPurpose::slots);
  const ObjectKind kind = in.header().kind;
  if (kind == ObjectKind::secret_key && is_of_numbers) {
    return victim_of(open_numbers_secret_key(options.key, options.passphrase_file, session),
                     options, session);
  }
  // Of a pair of numbers the laboratory makes samples with the secret key.
  if (kind != ObjectKind::public_key || is_of_numbers) {
    throw wrong_object(in, "a public key of bits or a secret key of numbers in slots");
  }
  return victim_of(load_public_key(object.source(), session.limits(), session.monitor()), options,
                   session);
}

std::vector<const attack::Method*> applicable(const Victim& victim) {
  std::vector<const attack::Method*> methods;
  for (const attack::Method& method : attack::methods()) {
    if (method.applies(victim.target)) methods.push_back(&method);
  }
  return methods;
}

// The cheapest by the model.
const attack::Method* cheapest(const Victim& victim,
                               const std::vector<const attack::Method*>& methods) {
  const auto cycles = [&](const attack::Method* method) {
    const security::Attack* model = model_of(victim, method->model);
    return model == nullptr ? HUGE_VAL : model->cycles;
  };
  return *std::ranges::min_element(methods, {}, cycles);
}

std::vector<const attack::Method*> chosen(const Victim& victim,
                                          const AttackCommandOptions& options) {
  std::vector<const attack::Method*> methods = applicable(victim);
  if (options.method == kAllMethods) return methods;
  if (options.method.empty()) return {cheapest(victim, methods)};
  std::string names;
  for (const attack::Method* method : methods) {
    if (method->name == options.method) return {method};
    names += (names.empty() ? "" : ", ") + std::string(method->name);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} does not apply to this key, or not without --secret; "
                          "these do: {}",
                          options.method, names));
}

AttackOutcome attacked(const Victim& victim, const attack::Method& method, bool is_one_of_many,
                       const Session& session) {
  AttackOutcome outcome{.method = &method, .model = model_of(victim, method.model)};
  try {
    outcome.finding = method.run(victim.target, session.monitor());
  } catch (const Error& error) {
    if (!is_one_of_many || error.code() != ErrorCode::invalid_argument) throw;
    outcome.refused = error.what();
    return outcome;
  }
  if (outcome.finding.bit) {
    outcome.tried = 1;
    outcome.opened = *outcome.finding.bit == victim.bit ? 1U : 0U;
  } else if (outcome.finding.inverse) {
    outcome.opened = victim.opens(*outcome.finding.inverse);
  } else if (!outcome.finding.primes.empty()) {
    outcome.opened = kOpened;
    for (const Integer& prime : outcome.finding.primes) {
      outcome.opened = std::min(outcome.opened, victim.opens(prime));
    }
  }
  return outcome;
}

// Whether all that was found is in the secret key; nothing without one.
std::optional<bool> agrees(const Victim& victim, const AttackOutcome& outcome) {
  if (victim.inverse && outcome.finding.inverse) {
    return abs(*outcome.finding.inverse) == abs(*victim.inverse);
  }
  if (victim.primes.empty()) return std::nullopt;
  return std::ranges::all_of(outcome.finding.primes, [&](const Integer& prime) {
    return std::ranges::find(victim.primes, prime) != victim.primes.end();
  });
}

// log2 of the cycles of a core at 3 GHz, as in the estimator.
double cycles_of(double seconds) {
  constexpr double kLeast = 1e-6;  // what a clock of the system tells
  constexpr double kCyclesPerSecond = 3e9;
  return std::log2(std::max(seconds, kLeast) * kCyclesPerSecond);
}

Json outcome_json(const Victim& victim, const AttackOutcome& outcome) {
  const attack::Finding& finding = outcome.finding;
  Json json{{"method", outcome.method->name},
            {"found_primes", finding.primes.size()},
            {"found_w", finding.inverse.has_value()}};
  if (!outcome.refused.empty()) {
    json["refused"] = outcome.refused;
    return json;
  }
  const auto unless_zero = [](auto value) { return value > 0 ? Json(value) : Json(nullptr); };
  json["opened_ciphertexts"] = outcome.opened;
  json["tried_ciphertexts"] = outcome.tried;
  if (const auto same = agrees(victim, outcome)) json["agrees_with_secret_key"] = *same;
  json["dimension"] = unless_zero(finding.dimension);
  json["samples"] = unless_zero(finding.samples);
  json["cpu_seconds"] = finding.seconds();
  json["log2_cycles"] = cycles_of(finding.seconds());
  if (outcome.model != nullptr) {
    json["model"] = {{"name", outcome.model->name},
                     {"log2_cycles", outcome.model->cycles},
                     {"dimension", unless_zero(outcome.model->dimension)}};
  }
  json["steps"] = Json::array();
  for (const attack::Step& step : finding.steps) {
    json["steps"].push_back({{"step", step.what}, {"cpu_seconds", step.seconds}});
  }
  return json;
}

std::string found_text(const Victim& victim, const AttackOutcome& outcome) {
  const std::vector<Integer>& primes = outcome.finding.primes;
  if (outcome.finding.bit) {
    return outcome.opened == 1 ? "   the ciphertext is open\n" : "   a WRONG BIT was found\n";
  }
  if (primes.empty() && !outcome.finding.inverse) return "   NOTHING FOUND\n";
  std::string text = outcome.finding.inverse
                         ? "   found the secret w, up to its sign"
                         : fmt::format("   found {} of {} secret primes, of {} bits", primes.size(),
                                       victim.slots, bit_length(primes.front()));
  if (const auto same = agrees(victim, outcome)) {
    text += *same ? ", as in the secret key" : ", which is NOT WHAT THE SECRET KEY HAS";
  }
  return text + fmt::format("; with {} {} of {} new ciphertexts open\n",
                            primes.size() > 1 ? "each of them" : "it", outcome.opened, kOpened);
}

std::string narration(const Victim& victim, const AttackOutcome& outcome) {
  std::string text = fmt::format("{}\n", outcome.method->name);
  if (!outcome.refused.empty()) return text + fmt::format("   not run: {}\n\n", outcome.refused);
  int number = 0;
  for (const attack::Step& step : outcome.finding.steps) {
    text += fmt::format("{}. {}  ({:.2f} s)\n", ++number, step.what, step.seconds);
  }
  return text + found_text(victim, outcome) + "\n";
}

std::string outcome_line(std::string_view method, std::string_view found, std::string_view seconds,
                         std::string_view cycles, std::string_view model,
                         std::string_view dimension, std::string_view model_dimension) {
  return fmt::format("{:<24} {:>5} {:>9} {:>7} {:>6} {:>5} {:>6}\n", method, found, seconds, cycles,
                     model, dimension, model_dimension);
}

// What was found, in a word: primes of all, or a ciphertext.
std::string found_words(const Victim& victim, const AttackOutcome& outcome) {
  if (outcome.finding.bit && outcome.opened == 1) return "bit";
  if (outcome.finding.inverse) return "w";
  return fmt::format("{}/{}", outcome.finding.primes.size(), victim.slots);
}

std::string outcome_text(const Victim& victim, const AttackOutcome& outcome) {
  const auto whole = [](double value) { return value > 0 ? fmt::format("{:.0f}", value) : "-"; };
  const attack::Finding& finding = outcome.finding;
  const bool was_run = outcome.refused.empty();
  const security::Attack* model = outcome.model;
  return outcome_line(outcome.method->name, found_words(victim, outcome),
                      was_run ? fmt::format("{:.2f}", finding.seconds()) : "-",
                      was_run ? fmt::format("{:.1f}", cycles_of(finding.seconds())) : "-",
                      model == nullptr ? "-" : fmt::format("{:.1f}", model->cycles),
                      whole(static_cast<double>(finding.dimension)),
                      model == nullptr ? "-" : whole(model->dimension));
}

Report attack_report(const Victim& victim, const std::vector<AttackOutcome>& outcomes) {
  Report report;
  report.json = {{"key", victim.id.text()}, {"attacks", Json::array()}};
  report.text = victim.id.text() + "\n\n";
  std::string table = outcome_line("METHOD", "FOUND", "SECONDS", "CYCLES", "MODEL", "DIM", "MODEL");
  for (const AttackOutcome& outcome : outcomes) {
    report.json["attacks"].push_back(outcome_json(victim, outcome));
    report.text += narration(victim, outcome);
    table += outcome_text(victim, outcome);
  }
  report.text += table;
  if (victim.estimate) {
    report.json["estimate"] = {{"log2_cycles", victim.estimate->cycles()},
                               {"verdict", security::in_words(victim.estimate->verdict())},
                               {"estimator_version", security::kEstimatorVersion}};
    report.text += fmt::format(
        "\nSECONDS are of one core, CYCLES log2 at 3 GHz, each beside the model of the estimator.\n"
        "The estimator, version {}, calls the group {}.\n",
        security::kEstimatorVersion, security::in_words(victim.estimate->verdict()));
  }
  return report;
}

Report attack_key(const AttackCommandOptions& options, const Session& session) {
  Victim victim = read_victim(options, session);
  victim.target.model_dimension = model_dimension(victim);
  victim.target.samples = options.samples;
  victim.target.block = options.block;
  const std::vector<const attack::Method*> methods = chosen(victim, options);
  std::vector<AttackOutcome> outcomes;
  outcomes.reserve(methods.size());
  for (const attack::Method* method : methods) {
    outcomes.push_back(attacked(victim, *method, options.method == kAllMethods, session));
  }
  return attack_report(victim, outcomes);
}

std::string methods_help() {
  std::string text = "Methods:\n";
  for (const attack::Method& method : attack::methods()) {
    text += fmt::format("  {:<25} {}\n", method.name, method.summary);
  }
  return text + "Only keys of one's own are attacked: test keys, and others with --secret.";
}

std::vector<std::string> method_names() {
  std::vector<std::string> names{std::string(kAllMethods)};
  for (const attack::Method& method : attack::methods()) names.emplace_back(method.name);
  return names;
}

}  // namespace

void add_attack_command(CommandLine& line) {
  const auto options = std::make_shared<AttackCommandOptions>();
  const apps::Command command = line.add_command(
      line.root(), "attack", "Attack a key of one's own, and compare with what the estimator says",
      "fhe keygen --params cnt-toy --test-seed any --out keys\n"
      "  fhe attack keys/public.fhe\n\n" +
          methods_help(),
      [options](Session& session) { return attack_key(*options, session); });
  command
      .option("KEY", options->key,
              "Public key; of numbers in slots the secret key, which makes samples")
      .value_name("")
      .required();
  command
      .option("--method", options->method,
              "How to attack; without it, the cheapest by the estimator that applies")
      .value_name("NAME")
      .one_of(method_names());
  command
      .option("--secret", options->secret_key,
              "Secret key, to show that the key is one's own, and to compare with")
      .value_name("FILE");
  add_passphrase_option(command, options->passphrase_file);
  command
      .option(
          "--samples", options->samples,
          "Samples of the orthogonal lattice, without it the fewest that do or as many as the "
          "estimator says; or of the simultaneous approximation, without it as many as are best")
      .value_name("N")
      .in_range(std::size_t{3}, attack::kMostDimensions);
  command
      .option("--block", options->block,
              "Largest block size of the simultaneous approximation, of 2 to 40 rows; 2 is LLL "
              "alone (default 2)")
      .value_name("N")
      .in_range(std::size_t{2}, attack::kLargestBlock);
  command.flag("--publish-x0", options->publish_modulus,
               "Numbers in slots: plant a public multiple of the primes, which weakens the key");
  line.add_computing_options(command);
  line.add_limit_options(command);
}

}  // namespace fhe::cli
