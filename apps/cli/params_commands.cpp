// SPDX-License-Identifier: Apache-2.0
// `fhe params list` and `fhe params show`: the parameter groups that there are.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/command_line.hpp"
#include "apps/cli/facts.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/sizes.hpp"

namespace fhe::cli {

namespace {

std::string value_text(const ParameterField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return std::get<std::string>(field.value);
}

Json value_json(const ParameterField& field) {
  return std::visit([](const auto& value) { return Json(value); }, field.value);
}

// The field as text, "-" when the group has none.
std::string field_or_dash(const ParameterSet& group, const std::string& name) {
  const auto found = group.fields().find(name);
  return found == group.fields().end() ? "-" : value_text(found->second);
}

Json field_or_null(const ParameterSet& group, const std::string& name) {
  const auto found = group.fields().find(name);
  return found == group.fields().end() ? Json(nullptr) : value_json(found->second);
}

// A line of the list, of the heading or of a group.
std::string list_line(std::string_view name, std::string_view scheme, std::string_view lambda,
                      std::string_view gamma, std::string_view slots,
                      const std::array<std::string, 6>& sizes, std::string_view security) {
  return fmt::format(
      "{:<22} {:<6} {:>6} {:>8} {:>5} {:>10} {:>7} {:>7} {:>10} {:>10} {:>7}  {:>8}\n", name,
      scheme, lambda, gamma, slots, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5],
      security);
}

// "136/115": the bits of security, and those on a quantum computer where there are any.
std::string security_cell(const std::optional<security::Estimate>& estimate) {
  if (!estimate) return "-";
  const std::string bits = std::to_string(estimate->bits());
  return estimate->quantum_breaks ? bits : fmt::format("{}/{}", bits, quantum_text(estimate));
}

// What is said of a group in the list.
struct GroupFacts {
  ParameterSet group;
  std::optional<KeySizes> sizes;
  std::optional<security::Estimate> estimate;

  explicit GroupFacts(ParameterSet of)
      : group(std::move(of)), sizes(sizes_of_any(group)), estimate(estimate_of(group)) {}
};

std::string list_text(const GroupFacts& facts) {
  const auto& [group, sizes, estimate] = facts;
  return list_line(
      group.name(), group.scheme(), field_or_dash(group, "lambda"), field_or_dash(group, "gamma"),
      sizes ? std::to_string(sizes->slots) : "-",
      {size_text(sizes, &KeySizes::ciphertext), size_per_slot_text(sizes), compressed_text(sizes),
       size_text(sizes, &KeySizes::public_key_file), size_text(sizes, &KeySizes::secret_key_file),
       size_text(sizes, &KeySizes::recryption_memory)},
      security_cell(estimate));
}

Json list_json(const GroupFacts& facts) {
  const auto& [group, sizes, estimate] = facts;
  Json json{{"name", group.name()},
            {"scheme", group.scheme()},
            {"purpose", purpose(group)},
            {"lambda", field_or_null(group, "lambda")},
            {"gamma", field_or_null(group, "gamma")}};
  add_sizes(json, sizes);
  add_security(json, estimate);
  return json;
}

Report list_parameters(Session& /*session*/) {
  Report report;
  report.json["groups"] = Json::array();
  report.text =
      list_line("NAME", "SCHEME", "LAMBDA", "GAMMA", "SLOTS",
                {"CIPHERTEXT", "A SLOT", "OWN", "PUBLIC KEY", "SECRET KEY", "MEMORY"}, "SECURITY");
  for (const std::string& name : ParameterSet::names()) {
    const GroupFacts facts(ParameterSet::named(name));
    report.json["groups"].push_back(list_json(facts));
    report.text += list_text(facts);
  }
  report.text +=
      "\nGroups without sizes are for benchmarks only: no keys are made of them.\n"
      "SLOTS is how many bits a ciphertext holds, or numbers (she), A SLOT what each takes of it.\n"
      "OWN is a ciphertext that the owner of the secret key makes (fhe encrypt --secret-key).\n"
      "MEMORY is about what one recryption takes on one thread, key and program included.\n"
      "SECURITY is the cost of the cheapest known attack in bits, and behind the slash on a "
      "quantum\n"
      "computer, which opens all groups without a slash: fhe params estimate.\n";
  return report;
}

// A line for each size.
std::string sizes_text(const std::optional<KeySizes>& sizes) {
  const auto file = [&](std::string_view what, std::uint64_t KeySizes::*size) {
    if (!sizes || *sizes.*size == 0) return fmt::format("{:<11} -\n", what);
    return fmt::format("{:<11} {}{} ({} bytes)\n", what, sizes->exact ? "" : "about ",
                       size_text(sizes, size), *sizes.*size);
  };
  const std::string memory = size_text(sizes, &KeySizes::recryption_memory);
  return fmt::format("slots       {}\n", sizes ? std::to_string(sizes->slots) : "-") +
         file("ciphertext", &KeySizes::ciphertext) +
         fmt::format("{:<11} {}\n", "a slot", size_per_slot_text(sizes)) +
         fmt::format("{:<11} {}\n", "own", compressed_text(sizes)) +
         file("public key", &KeySizes::public_key_file) +
         file("secret key", &KeySizes::secret_key_file) +
         (sizes && sizes->recryption_memory != 0
              ? fmt::format("memory      about {} for one recryption on one thread\n", memory)
              : "memory      -\n");
}

Report show_parameters(const std::string& name) {
  const GroupFacts facts(ParameterSet::resolve(name));
  const auto& [group, sizes, estimate] = facts;
  Report report;
  report.json = {{"name", group.name()},
                 {"scheme", group.scheme()},
                 {"purpose", purpose(group)},
                 {"digest", to_hex(group.digest())}};
  add_security(report.json, estimate);
  add_sizes(report.json, sizes);
  report.json["fields"] = Json::object();
  report.text = fmt::format(
      "name        {}\nscheme      {}\npurpose     {}\ndigest      {}\nsecurity    {}\n{}\n",
      group.name(), group.scheme(), purpose(group), to_hex(group.digest()), security_text(estimate),
      sizes_text(sizes));
  for (const auto& [field_name, field] : group.fields()) {
    report.json["fields"][field_name] = {
        {"value", value_json(field)}, {"unit", field.unit}, {"source", field.source}};
    report.text += fmt::format("{:<20} {:>12} {:<9} {}\n", field_name, value_text(field),
                               field.unit, field.source);
  }
  return report;
}

}  // namespace

void add_params_commands(CommandLine& line) {
  const apps::Command params =
      line.add_group("params", "Parameter groups: published sets of sizes", "fhe params list");
  line.add_command(params, "list", "List the built-in parameter groups", "fhe params list",
                   list_parameters);
  const auto name = std::make_shared<std::string>();
  const apps::Command show = line.add_command(
      params, "show", "Show every field of a group with its unit and where the number comes from",
      "fhe params show cnt-toy", [name](Session&) { return show_parameters(*name); });
  show.option("NAME", *name, "Name of a built-in group, or path of a TOML file")
      .value_name("")
      .required();
  add_estimate_command(line, params);
  add_search_command(line, params);
}

}  // namespace fhe::cli
