// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/object_sections.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libfhe/scheme/parameter_text.hpp"

namespace fhe {

namespace {

std::string parameters_text(const ParameterSet& parameters) {
  std::string text = parameters.to_toml();
  if (text.size() <= kMaxParameterTextBytes) return text;
  throw parameters.invalid(
      fmt::format("its text has {} bytes and a key file holds at most {}: shorten the sources",
                  text.size(), kMaxParameterTextBytes));
}

ParameterSet parse_parameters(const std::string& text, const ContainerReader& in) {
  try {
    return ParameterSet::from_toml(text, "section 'params'");
  } catch (const Error& error) {
    throw in.malformed(error.what());
  }
}

// Sections that are no secret, to be written as often as need be.
class RecordedSections final : public SectionWriter {
 public:
  void begin_section(std::string_view name) override {
    sections_.push_back({std::string(name), {}});
  }
  void write(std::span<const std::byte> bytes) override {
    std::vector<std::byte>& contents = sections_.back().second;
    contents.insert(contents.end(), bytes.begin(), bytes.end());
  }
  void write_to(SectionWriter& out) const {
    for (const auto& [name, contents] : sections_) {
      out.begin_section(name);
      out.write(contents);
    }
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::byte>>> sections_;
};

}  // namespace

ObjectHeader object_header(ObjectKind kind, const ParameterSet& group, const KeyId& id) {
  return {.kind = kind,
          .test_key = id.test_key,
          .scheme = group.scheme(),
          .parameters = group.name(),
          .parameters_digest = group.digest(),
          .key_id = id.digest};
}

KeyId key_id_of(const ObjectHeader& header) {
  return {header.parameters, header.key_id, header.test_key};
}

void write_parameters(SectionWriter& out, const ParameterSet& group) {
  out.begin_section("params");
  out.write_text(parameters_text(group));
}

ParameterSet read_parameters(ContainerReader& in) {
  in.open_section("params", 1, kMaxParameterTextBytes);
  const std::string text = in.read_text(in.section_bytes());
  in.close_section();
  ParameterSet parameters = parse_parameters(text, in);
  const ObjectHeader& header = in.header();
  if (header.scheme != parameters.scheme() || header.parameters != parameters.name() ||
      header.parameters_digest != parameters.digest()) {
    throw in.malformed(fmt::format(
        "the header names another parameter group ({}, {}) than the section 'params' ({}, {})",
        header.scheme, header.parameters, parameters.scheme(), parameters.name()));
  }
  if (const auto flaw = parameters.flaw()) throw in.malformed(*flaw);
  return parameters;
}

WritableObject sealed_object(const ParameterSet& group, const KeyId& id,
                             const WriteSections& write_values, const PassphraseLock& lock) {
  SealedSections values;
  write_values(values);
  ObjectHeader header = object_header(ObjectKind::secret_key, group, id);
  header.sealed = true;
  RecordedSections sections;
  write_parameters(sections, group);
  values.write_to(sections, header, lock.passphrase, lock.cost);
  return {.header = header, .write = [recorded = std::move(sections)](SectionWriter& out) {
            recorded.write_to(out);
          }};
}

AskPassphrase no_passphrase(const std::string& name) {
  return [name]() -> Passphrase {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' is encrypted under a passphrase: give it, or remove it from the "
                            "file with fhe passwd --remove",
                            name));
  };
}

void require_readable_count(const ContainerReader& in, std::uint64_t count) {
  if (count <= in.limits().max_ciphertexts) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{}' holds {} ciphertexts, more than the limit of {}: raise "
                          "max_ciphertexts (--max-ciphertexts) if the file is what you expect",
                          in.name(), count, in.limits().max_ciphertexts));
}

void require_two_files(const std::filesystem::path& public_path,
                       const std::filesystem::path& secret_path) {
  std::error_code ignored;
  if (weakly_canonical(public_path, ignored) != weakly_canonical(secret_path, ignored)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the public and the secret key cannot both be '{}'; choose two names",
                          public_path.string()));
}

std::string quoted_path(const std::filesystem::path& path) {
  return fmt::format("'{}'", path.string());
}

}  // namespace fhe
