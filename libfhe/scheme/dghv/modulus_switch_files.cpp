// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/modulus_switch_files.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/dghv/key_sections.hpp"
#include "libfhe/scheme/dghv/rung_material.hpp"
#include "libfhe/scheme/dghv/switch_contents.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/storage/writable_object.hpp"

namespace fhe::dghv {

namespace {

using Contents = ModulusSwitch::Contents;

constexpr std::size_t kSections = 4;

void write_contents(SectionWriter& out, const Contents& contents) {
  out.begin_section("switch");
  out.write(std::as_bytes(std::span(contents.target.digest)));
  out.write_u32(static_cast<std::uint32_t>(contents.Theta));
  write_seed(out, contents.seed);
  out.begin_section("Y0");
  out.write_integer(contents.Y0, contents.Y_bits());
  write_list(out, "delta", contents.corrections, contents.correction_bits());
}

WritableObject writable(const ModulusSwitch& key, const PublicKey& from, const ReadLimits& limits) {
  require_same_key(from.id(), key.source(), "the switching key");
  return {.header = file_header(ObjectKind::switching_key, from),
          .write = [&key](SectionWriter& out) { write_contents(out, key.contents()); },
          .limits = limits};
}

const Parameters& parameters_of_rung(const PublicKey& key) {
  const auto* rung = dynamic_cast<const RungPublic*>(&key.material());
  if (rung != nullptr) return rung->parameters();
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{} is not the key of a rung: no switching key leads to it", key.id().text()));
}

// Bits of the prime of a key, of a rung or of its group.
std::size_t eta_of(const PublicKey& key) {
  const auto* rung = dynamic_cast<const RungPublic*>(&key.material());
  return rung != nullptr ? rung->parameters().eta : key.parameters().number("eta", 1, 1U << 20);
}

// What follows from the keys at both ends.
Contents contents_between(const PublicKey& from, const PublicKey& to) {
  const Parameters& rung = parameters_of_rung(to);
  return {.rho = rung.rho,
          .lambda = rung.lambda,
          .gamma = rung.gamma,
          .old_eta = eta_of(from),
          .new_eta = rung.eta,
          .Theta = 0,
          .source = from.id(),
          .source_modulus = from.modulus(),
          .target = to.id(),
          .target_modulus = to.modulus()};
}

void read_ends(ContainerReader& in, Contents& contents) {
  Digest target{};
  in.open_section("switch", target.size() + sizeof(std::uint32_t),
                  target.size() + sizeof(std::uint32_t));
  in.read(std::as_writable_bytes(std::span(target)));
  contents.Theta = in.read_u32();
  in.close_section();
  require_same_key(contents.target, {contents.source.parameters, target, contents.source.test_key},
                   fmt::format("the switching key '{}'", in.name()));
  if (!is_switch_length(contents.Theta, contents.new_eta)) {
    throw in.malformed(fmt::format("no switching key has Theta = {}", contents.Theta));
  }
}

ModulusSwitch read(ContainerReader in, const PublicKey& from, const PublicKey& to) {
  require_object(in, ObjectKind::switching_key, GroupPurpose::scheme);
  require_file_of(in, from);
  Contents contents = contents_between(from, to);
  in.require_sections({"switch", "seed", "Y0", "delta"});
  read_ends(in, contents);
  contents.seed = read_seed(in);
  const std::uint64_t bytes = bytes_for_bits(contents.Y_bits());
  in.open_section("Y0", bytes, bytes);
  contents.Y0 = in.read_integer(contents.Y_bits());
  in.close_section();
  contents.corrections = read_list(in, "delta", contents.elements(), contents.correction_bits());
  if (const auto flaw = equal_values_flaw("delta", {contents.corrections})) {
    throw in.malformed(*flaw);
  }
  return ModulusSwitch(std::make_shared<const Contents>(std::move(contents)));
}

}  // namespace

void save(const std::filesystem::path& path, const ModulusSwitch& key, const PublicKey& from,
          const ReadLimits& limits) {
  reporting_memory([&] { to_file(path, writable(key, from, limits), kSections); });
}

void save(std::ostream& out, const ModulusSwitch& key, const PublicKey& from,
          const ReadLimits& limits) {
  reporting_memory([&] { to_stream(out, writable(key, from, limits)); });
}

std::vector<std::byte> to_bytes(const ModulusSwitch& key, const PublicKey& from,
                                const ReadLimits& limits) {
  return reporting_memory(
      [&] { return in_memory<std::vector<std::byte>>(writable(key, from, limits)); });
}

ModulusSwitch load_modulus_switch(const Source& source, const PublicKey& from, const PublicKey& to,
                                  const ReadLimits& limits) {
  return reporting_memory([&] { return read(ContainerReader(source, limits), from, to); });
}

}  // namespace fhe::dghv
