// SPDX-License-Identifier: Apache-2.0
// `fhe params search`: the smallest group for a purpose that the estimator lets pass.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/security/search.hpp"
#include "libfhe/storage/atomic_file.hpp"

namespace fhe::cli {

namespace {

namespace fs = std::filesystem;

struct SearchOptions {
  double target = 128;
  // Not given: the usual ones below. An option that would be of no use is refused.
  std::optional<double> given_depth;
  std::optional<double> given_slots;
  std::optional<double> given_plaintext;
  std::string given_additions;
  std::string modulus;  // "public" or "secret"; empty: what is usual
  bool public_key = false;
  bool recrypt = false;
  bool tight = false;
  std::string out;

  [[nodiscard]] double depth() const { return given_depth.value_or(1); }
  [[nodiscard]] double slots() const { return given_slots.value_or(1); }
  [[nodiscard]] double plaintext() const { return given_plaintext.value_or(2); }
  [[nodiscard]] std::string additions() const {
    return given_additions.empty() ? "2^10" : given_additions;
  }
};

constexpr double kBitsPerByte = 8;

// Products are reduced where a public key is to be of use for more than sums.
bool modulus_public(const SearchOptions& options) {
  if (!options.modulus.empty()) return options.modulus == "public";
  return options.recrypt || (options.public_key && options.depth() > 0);
}

// What was found: numbers to print, and a group where some scheme makes keys of them.
struct Found {
  std::string purpose;
  security::Sizes sizes = {};
  security::ApproximateGcd samples = {};
  std::vector<std::pair<std::string, double>> fields = {};  // beside rho, eta and gamma
  double public_key_bits = 0;                               // 0: there is none
  double products = 0;  // that recryption takes one after the other; 0: there is none
  std::optional<ParameterSet> group = {};
};

// "2^10" or "1024": log2, rounded up.
double log_additions(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with("2^") ? 2 : 0);
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool power = text.starts_with("2^");
  if (failure != std::errc() || end != digits.data() + digits.size() ||
      (power ? number > 64 : number == 0)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--additions {}: expected a number from 1 on, or a power of two up to 2^64, "
                    "as 2^10",
                    text));
  }
  return power ? number : std::ceil(std::log2(number));
}

// The text of a group, field by field.
class GroupText {
 public:
  GroupText(std::string_view name, std::string_view scheme, GroupPurpose purpose)
      : text_(fmt::format("name = \"{}\"\nscheme = \"{}\"\npurpose = \"{}\"\n", name, scheme,
                          to_string(purpose))) {}

  void add(std::string_view field, double value, std::string_view unit, std::string_view source) {
    add_line(field, fmt::format("{:.0f}", value), unit, source);
  }
  void add(std::string_view field, std::string_view word, std::string_view source) {
    add_line(field, fmt::format("\"{}\"", word), "word", source);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add_line(std::string_view field, std::string_view value, std::string_view unit,
                std::string_view source) {
    text_ += fmt::format("\n[{}]\nvalue = {}\nunit = \"{}\"\nsource = \"{}\"\n", field, value, unit,
                         source);
  }

  std::string text_;
};

// A group of CNT with these numbers. Loading it checks that it bootstraps.
ParameterSet recryption_group(const std::string& name, double target,
                              const security::RecryptionSizes& found) {
  constexpr double kLimb = 64;
  constexpr double kGuard = 6;
  constexpr double kLeastPrime = 64;
  const std::string rule = fmt::format("fhe params search --recrypt --target {:.0f}", target);
  const security::Sizes& sizes = found.key.sizes;
  GroupText text(name, "cnt", GroupPurpose::scheme);
  text.add("lambda", target, "bits", "target of " + rule);
  text.add("rho", sizes.rho, "bits", rule + ": (rho + 1) / 2 + log2 gamma reaches the target");
  text.add("eta", sizes.eta, "bits", rule + ": 32 (rho + 3 + log2 B) + 8");
  text.add("gamma", sizes.gamma, "bits", rule + ": no lattice attack is below the target");
  text.add("alpha", found.key.alpha, "bits", rule + ": eta - rho - 40");
  text.add("rho_prime", found.key.alpha + sizes.rho, "bits", "alpha + rho");
  text.add("tau", found.key.tau, "elements", rule + ": alpha tau is gamma and twice the target");
  text.add("theta", 15, "elements", "as in every CNT group");
  text.add("Theta", found.length, "elements",
           rule + ": no attack on the squashed key is below the target");
  text.add("precision", 4, "bits", "ceil(log2(theta + 1))");
  text.add("kappa", std::ceil((sizes.gamma + kGuard + 1) / kLimb) * kLimb - 1, "bits",
           "smallest 64 k - 1 >= gamma + 6");
  text.add("q0_prime_bits", std::max(kLeastPrime, 2 * target), "bits", "twice the target");
  text.add("adder", "ctr", "its worst case bootstraps");
  text.add("key_noise_percent", 100, "percent", "the worst case itself");
  return ParameterSet::from_toml(text.text(), rule);
}

// A group of numbers in slots with these numbers, and with a public key of `key` where there is
// one.
ParameterSet slots_group(const std::string& name, const SearchOptions& options,
                         const security::Sizes& sizes, const security::PublicKeySizes* key) {
  constexpr double kLimb = 64;
  const std::string rule = fmt::format("fhe params search --target {}", options.target);
  GroupText text(name, "she", GroupPurpose::slots);
  text.add("lambda", options.target, "bits", "target of " + rule);
  text.add("slots", options.slots(), "numbers", "asked for");
  text.add("plaintext", options.plaintext(), "modulus", "asked for");
  text.add("rho", sizes.rho, "bits", rule + ": rho - log2 slots + log2 gamma reaches the target");
  text.add("eta", sizes.eta, "bits", rule + ": the noise of all that was asked for, and 2 bits");
  text.add("gamma", std::ceil(sizes.gamma / kLimb) * kLimb, "bits",
           rule + ": no lattice attack is below the target, in whole limbs");
  text.add("depth", options.depth(), "products", "asked for");
  text.add("additions", log_additions(options.additions()), "bits", "asked for");
  if (key != nullptr) {
    text.add("alpha", key->alpha, "bits", rule + ": short weights, for short ciphertexts");
    text.add("tau", key->tau, "elements",
             rule + ": alpha tau reaches what the leftover hash lemma asks for");
  }
  return ParameterSet::from_toml(text.text(), rule);
}

std::string group_name(const SearchOptions& options) {
  return options.out.empty() ? "own" : fs::path(options.out).stem().string();
}

security::ApproximateGcd samples_of(const security::Sizes& sizes, double slots, bool published) {
  return {.rho = sizes.rho,
          .eta = sizes.eta,
          .gamma = sizes.gamma,
          .slots = slots,
          .modulus_public = published};
}

Found find_recryption(const SearchOptions& options) {
  constexpr double kProducts = 46;  // of an adder of 15 numbers with 4 fractional bits, and an AND
  const double target = options.target;
  const security::RecryptionSizes found = security::smallest_recryption(target);
  return {.purpose = "bits with a public key and recryption: any circuit",
          .sizes = found.key.sizes,
          .samples = samples_of(found.key.sizes, 1, true),
          .fields = {{"alpha", found.key.alpha}, {"tau", found.key.tau}, {"Theta", found.length}},
          .public_key_bits = (found.key.tau + found.length) * (found.key.sizes.eta + target) +
                             2 * found.key.sizes.gamma,
          .products = kProducts,
          .group = recryption_group(group_name(options), target, found)};
}

Found found_public(std::string purpose, const security::PublicKeySizes& found, double target,
                   bool published) {
  return {.purpose = std::move(purpose),
          .sizes = found.sizes,
          .samples = samples_of(found.sizes, 1, published),
          .fields = {{"alpha", found.alpha}, {"tau", found.tau}},
          .public_key_bits = found.tau * (found.sizes.eta + target) + found.sizes.gamma};
}

Found find_public(const SearchOptions& options) {
  const double target = options.target;
  if (options.depth() == 0) {
    const security::PublicKeySizes sizes =
        security::smallest_tally(target, options.plaintext(), log_additions(options.additions()));
    Found found =
        found_public(fmt::format("numbers modulo {} with a public key: {} additions, no products",
                                 options.plaintext(), options.additions()),
                     sizes, target, false);
    found.group = slots_group(group_name(options), options, sizes.sizes, &sizes);
    return found;
  }
  if (!modulus_public(options)) {
    throw Error(
        ErrorCode::unsupported,
        "products with a public key need --x0 public: without a modulus that reduces them they are "
        "as long as their factors together, and the key would hold longer elements too");
  }
  return found_public(fmt::format("bits with a public key: circuits of depth {}", options.depth()),
                      security::smallest_somewhat(target, options.depth()), target, true);
}

Found find_slots(const SearchOptions& options) {
  const security::Sizes sizes =
      security::smallest_slots({.target = options.target,
                                .depth = options.depth(),
                                .slots = options.slots(),
                                .plaintext = options.plaintext(),
                                .log_additions = log_additions(options.additions()),
                                .modulus_public = modulus_public(options),
                                .margin = !options.tight});
  Found found{.purpose = fmt::format("{} slots modulo {} with the secret key: depth {}, sums of {}",
                                     options.slots(), options.plaintext(), options.depth(),
                                     options.additions()),
              .sizes = sizes,
              .samples = samples_of(sizes, options.slots(), modulus_public(options))};
  if (!modulus_public(options)) {
    found.group = slots_group(group_name(options), options, sizes, nullptr);
  }
  return found;
}

Found find(const SearchOptions& options) {
  if (options.recrypt) return find_recryption(options);
  return options.public_key ? find_public(options) : find_slots(options);
}

// Seconds of a product of two numbers of `bits` bits on this machine: measured up to a length, in
// proportion to bits log bits above.
double product_seconds(const Backend& backend, double bits) {
  constexpr double kLongest = 1 << 24;
  constexpr int kRuns = 3;
  using Clock = std::chrono::steady_clock;
  const double measured = std::min(bits, kLongest);
  const Integer x = (power_of_two(static_cast<std::size_t>(measured)) - 1) / 3;
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const Clock::time_point start = Clock::now();
    static_cast<void>(backend.multiply(x, x + 1));
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best * (bits * std::log2(bits)) / (measured * std::log2(measured));
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.3g} ms", seconds * 1e3)
                         : fmt::format("{:.3g} us", seconds * 1e6);
}

security::Estimate judged(const Found& found) {
  if (found.group) return *estimate_of(*found.group);
  return security::estimate({.samples = found.samples});
}

// Why nobody would use it, if so.
std::string out_of_reach(const Found& found, double product) {
  constexpr double kLargest = 1e7;  // bytes of a ciphertext
  const double bytes = found.sizes.gamma / kBitsPerByte;
  if (bytes <= kLargest) return {};
  std::string text = fmt::format("a ciphertext has {}", bytes_text(bytes));
  if (found.public_key_bits > 0) {
    text += fmt::format(", a public key {}", bytes_text(found.public_key_bits / kBitsPerByte));
  }
  if (found.products > 0) {
    text +=
        fmt::format(", a recryption takes more than {}", seconds_text(found.products * product));
  }
  return text;
}

void write(const ParameterSet& group, const std::string& path) {
  const std::string text = group.to_toml();
  AtomicFile file(path, FileAccess::everyone);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

Report report_on(const Found& found, const SearchOptions& options, const Session& session) {
  const security::Estimate estimate = judged(found);
  const double product = product_seconds(*session.backend(), found.sizes.gamma);
  const std::string beyond = out_of_reach(found, product);
  Report report;
  report.json = {{"purpose", found.purpose},
                 {"rho", found.sizes.rho},
                 {"eta", found.sizes.eta},
                 {"gamma", found.sizes.gamma},
                 {"ciphertext_bytes", std::ceil(found.sizes.gamma / kBitsPerByte)},
                 {"product_seconds", product},
                 {"log2_core", estimate.core()}};
  report.text = fmt::format(
      "{}\n\nrho         {:.0f} bits\neta         {:.0f} bits\ngamma       {:.0f} bits\n",
      found.purpose, found.sizes.rho, found.sizes.eta, found.sizes.gamma);
  for (const auto& [name, value] : found.fields) {
    report.json[name] = value;
    report.text += fmt::format("{:<11} {:.0f}\n", name, value);
  }
  report.text += fmt::format("ciphertext  {}\n", bytes_text(found.sizes.gamma / kBitsPerByte));
  if (found.public_key_bits > 0) {
    report.json["public_key_bytes"] = std::ceil(found.public_key_bits / kBitsPerByte);
    report.text +=
        fmt::format("public key  {}\n", bytes_text(found.public_key_bits / kBitsPerByte));
  }
  report.text += fmt::format(
      "product     about {} on one core, of two numbers of gamma bits on this machine\n",
      seconds_text(product));
  add_security(report.json, estimate);
  report.text += fmt::format("security    {}\n", security_text(estimate));
  report.json["out_of_reach"] = beyond.empty() ? Json(nullptr) : Json(beyond);
  if (!beyond.empty()) report.text += fmt::format("\nOUT OF REACH: {}\n", beyond);
  if (!options.out.empty()) {
    report.json["out"] = options.out;
    report.text += fmt::format("\nwrote {}: fhe keygen --params {}\n", options.out, options.out);
  }
  return report;
}

void check_options(const SearchOptions& options) {
  const auto refuse_if = [](bool wrong, std::string_view why) {
    if (wrong) throw Error(ErrorCode::invalid_argument, std::string(why));
  };
  const bool sums_or_slots = options.given_plaintext || !options.given_additions.empty();
  const bool has_public_key = options.recrypt || options.public_key;
  refuse_if(options.recrypt && !modulus_public(options),
            "--recrypt needs --x0 public: recryption reduces modulo x0");
  refuse_if(has_public_key && options.given_slots && options.slots() > 1,
            "--slots are for the secret key: leave out --recrypt and --public-key");
  refuse_if(has_public_key && options.tight,
            "--tight is for slots: leave out --recrypt and --public-key");
  refuse_if(options.recrypt && sums_or_slots,
            "--recrypt is for bits: leave out --plaintext and --additions");
  refuse_if(options.recrypt && options.given_depth,
            "--recrypt is for circuits of any depth: leave out --depth");
  refuse_if(options.public_key && !options.recrypt && options.depth() > 0 && sums_or_slots,
            "a public key for products is for bits: leave out --plaintext and --additions, or give "
            "--depth 0 for sums");
  refuse_if(
      options.public_key && !options.recrypt && options.depth() == 0 && options.modulus == "public",
      "sums under a public key need no modulus: leave out --x0 public");
}

Report search(const SearchOptions& options, const Session& session) {
  check_options(options);
  const Found found = find(options);
  if (!options.out.empty()) {
    if (!found.group) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("no scheme makes keys for {}: leave out --out to see the sizes",
                              found.purpose));
    }
    write(*found.group, options.out);
  }
  return report_on(found, options, session);
}

}  // namespace

void add_search_command(CommandLine& line, const apps::Command& params) {
  constexpr std::uint64_t kMostTarget = 256;
  constexpr std::uint64_t kMostDepth = 6;
  constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 16;
  constexpr std::uint64_t kMostPlaintext = std::uint64_t{1} << 32;
  const auto options = std::make_shared<SearchOptions>();
  const apps::Command command = line.add_command(
      params, "search", "Find the smallest numbers for a purpose that no known attack opens",
      "fhe params search --depth 1 --slots 4096 --plaintext 65537",
      [options](Session& session) { return search(*options, session); });
  command.option("--target", options->target, "Bits that every known attack shall cost")
      .value_name("BITS")
      .decimal(kMostTarget)
      .in_range(1.0, static_cast<double>(kMostTarget))
      .shows_default();
  command.option("--depth", options->given_depth, "Products one after the other; 1 if not given")
      .value_name("N")
      .decimal(kMostDepth);
  command.option("--slots", options->given_slots, "Numbers in a ciphertext; 1 if not given")
      .value_name("N")
      .decimal(kMostSlots)
      .in_range(1.0, static_cast<double>(kMostSlots));
  command.option("--plaintext", options->given_plaintext, "Modulus of the numbers; 2 if not given")
      .value_name("Q")
      .decimal(kMostPlaintext)
      .in_range(2.0, static_cast<double>(kMostPlaintext));
  command
      .option("--additions", options->given_additions,
              "Ciphertexts that are added between two products; 2^10 if not given")
      .value_name("N");
  command.flag("--public-key", options->public_key,
               "With a public key; --depth 0 for additions only");
  command
      .option(
          "--x0", options->modulus,
          "Whether the modulus is published: public or secret, which is what slots and sums need")
      .value_name("WORD")
      .one_of({"public", "secret"});
  command.flag("--recrypt", options->recrypt,
               "With recryption, so for circuits of any depth (scheme cnt)");
  command.flag("--tight", options->tight, "Slots without a margin against lattices");
  command.option("--out", options->out, "TOML file to write the group to").value_name("FILE");
  line.add_computing_options(command);
}

}  // namespace fhe::cli
