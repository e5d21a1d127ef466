// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/register_map/map.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "accel/fpga/contract/crc32.hpp"

namespace fhe::fpga::register_map {

namespace {

constexpr std::string_view kOpcodes = "opcode";  // the one table that is a list

std::vector<NumberTable> empty_number_tables() {
  return {{"parameters", "parameter", "", "", 32, {}},
          {"feature", "feature", "", "FEATURE", 32, {}},
          {"ctrl", "ctrl", "", "CTRL", 32, {}},
          {"device_status", "device_status", "", "DEVICE_STATUS", 32, {}},
          {"irq", "irq", "", "IRQ", 32, {}},
          {"counter", "counter", "", "COUNTER", 32, {}},
          {kOpcodes, "Opcode", "std::uint8_t", "OP", 8, {}},
          {"procedure", "Procedure", "std::uint8_t", "PROCEDURE", 4, {}},
          {"flag", "flag", "", "FLAG", 32, {}},
          {"engine", "Engine", "std::uint8_t", "ENGINE", 32, {}},
          {"descriptor", "descriptor", "", "DESCRIPTOR", 32, {}},
          {"completion", "completion", "", "COMPLETION", 32, {}},
          {"info", "info", "", "INFO", 32, {}},
          {"status", "Status", "std::uint16_t", "STATUS", 16, {}},
          {"stream_record", "stream_record", "", "STREAM", 32, {}},
          {"context_record", "context_record", "", "CONTEXT", 32, {}}};
}

template <class Node>
std::uint32_t number(const Node& node) {
  const auto value = node.template value<std::int64_t>();
  if (!value || *value < 0 || *value > 0xffff'ffff)
    throw std::runtime_error("no number of 32 bits");
  return static_cast<std::uint32_t>(*value);
}

std::vector<const toml::table*> list(const toml::table& map, std::string_view name) {
  const toml::array* nodes = map[name].as_array();
  if (nodes == nullptr) throw std::runtime_error(fmt::format("no list [[{}]]", name));
  std::vector<const toml::table*> result;
  for (const toml::node& node : *nodes) result.push_back(node.as_table());
  return result;
}

std::string text(const toml::table& entry, std::string_view key) {
  return entry[key].value_or(std::string{});
}

std::vector<std::string> texts(const toml::table& entry, std::string_view key) {
  std::vector<std::string> result;
  if (const toml::array* nodes = entry[key].as_array())
    for (const toml::node& node : *nodes) result.push_back(node.value_or(std::string{}));
  return result;
}

std::vector<Entry> table_entries(const toml::table& map, std::string_view table) {
  const toml::table* entries = map[table].as_table();
  if (entries == nullptr) throw std::runtime_error(fmt::format("no table [{}]", table));
  std::vector<Entry> result;
  for (const auto& [key, node] : *entries) result.push_back({std::string(key.str()), number(node)});
  return result;
}

std::vector<Entry> opcode_entries(const toml::table& map) {
  std::vector<Entry> result;
  for (const toml::table* opcode : list(map, kOpcodes))
    result.push_back({text(*opcode, "name"), number((*opcode)["number"])});
  return result;
}

std::vector<NumberTable> number_tables(const toml::table& map) {
  std::vector<NumberTable> result = empty_number_tables();
  for (NumberTable& numbers : result) {
    numbers.entries =
        numbers.table == kOpcodes ? opcode_entries(map) : table_entries(map, numbers.table);
    std::ranges::stable_sort(numbers.entries, {}, &Entry::value);
  }
  return result;
}

std::vector<Register> registers(const toml::table& map) {
  std::vector<Register> result;
  for (const toml::table* entry : list(map, "register")) {
    result.push_back({text(*entry, "name"), number((*entry)["offset"]), text(*entry, "access"),
                      text(*entry, "text")});
  }
  std::ranges::stable_sort(result, {}, &Register::offset);
  return result;
}

// "aux[7:4]" or "aux[1]"
Field field(std::string name, const std::string& place) {
  const std::size_t open = place.find('[');
  const std::size_t colon = place.find(':');
  const std::string word = place.substr(0, open);
  if ((word != "aux" && word != "aux2") || place.back() != ']')
    throw std::runtime_error(fmt::format("{}: {} is no part of a word", name, place));
  const auto high = static_cast<unsigned>(std::stoul(place.substr(open + 1)));
  const unsigned low = colon == std::string_view::npos
                           ? high
                           : static_cast<unsigned>(std::stoul(place.substr(colon + 1)));
  return {std::move(name), word, high, low};
}

std::vector<Field> fields(const toml::table& entry) {
  std::vector<Field> result;
  if (const toml::table* all = entry["fields"].as_table()) {
    for (const auto& [key, node] : *all)
      result.push_back(field(std::string(key.str()), node.value_or(std::string{})));
  }
  std::ranges::sort(result, {}, [](const Field& f) { return std::pair(f.word, f.low); });
  return result;
}

// That of the key, or of `otherwise` where there is none.
Expression expression(const toml::table& entry, std::string_view key, std::string_view otherwise) {
  return parse_expression(entry[key].value_or(std::string(otherwise)));
}

// "src0" or "addend = src1"
Argument argument(const std::string& written) {
  constexpr std::string_view kEquals = " = ";
  const std::size_t at = written.find(kEquals);
  if (at == std::string_view::npos) return {"", written};
  return {written.substr(0, at), written.substr(at + kEquals.size())};
}

std::vector<Argument> arguments(const toml::table& entry) {
  std::vector<Argument> result;
  for (const std::string& written : texts(entry, "arguments")) result.push_back(argument(written));
  return result;
}

Opcode opcode(const toml::table& entry) {
  const std::vector<std::string> equals = texts(entry, "may_be_dst");
  const auto may_be_dst = [&](std::string_view source) {
    return std::ranges::find(equals, source) != equals.end();
  };
  std::vector<Expression> conditions;
  for (const std::string& condition : texts(entry, "requires"))
    conditions.push_back(parse_expression(condition));
  return {.name = text(entry, "name"),
          .number = number(entry["number"]),
          .function = text(entry, "function"),
          .arguments = arguments(entry),
          .computes = text(entry, "computes"),
          .procedure = text(entry, "procedure"),
          .fields = fields(entry),
          .needs = expression(entry, "needs", "true"),
          .names_context = expression(entry, "names_context", "false"),
          .needs_context = expression(entry, "needs_context", "false"),
          .conditions = std::move(conditions),
          .src0 = expression(entry, "src0", "0"),
          .src1 = expression(entry, "src1", "0"),
          .dst = expression(entry, "dst", "0"),
          .param = expression(entry, "param", "0"),
          .src0_may_be_dst = may_be_dst("src0"),
          .src1_may_be_dst = may_be_dst("src1")};
}

std::vector<Opcode> opcodes(const toml::table& map) {
  std::vector<Opcode> result;
  for (const toml::table* entry : list(map, kOpcodes)) result.push_back(opcode(*entry));
  std::ranges::stable_sort(result, {}, &Opcode::number);
  return result;
}

constexpr std::array<std::string_view, 13> kNames = {
    "len0",  "len1",  "lend",       "aux",  "aux2", "log2_coefficients", "coefficient_bits", "phi",
    "gamma", "false", "has_engine", "true", "words"};

bool is_name(const Map& map, const Opcode& opcode, std::string_view name) {
  const std::string_view feature = feature_of(name);
  if (!feature.empty()) return map.has("feature", feature);
  return std::ranges::find(kNames, name) != kNames.end() || opcode.field(name) != nullptr ||
         map.has("parameters", name);
}

void check(const Map& map, const Opcode& opcode, const Expression& expression) {
  for (const Token& token : expression) {
    if (token.kind == Token::Kind::name && !is_name(map, opcode, token.text))
      throw std::runtime_error(fmt::format("{}: nothing has the name {}", opcode.name, token.text));
  }
}

void check(const Map& map) {
  for (const Opcode& opcode : map.opcodes) {
    if (!map.has("procedure", opcode.procedure))
      throw std::runtime_error(fmt::format("{}: no procedure {}", opcode.name, opcode.procedure));
    for (const Expression* expression :
         {&opcode.needs, &opcode.names_context, &opcode.needs_context, &opcode.src0, &opcode.src1,
          &opcode.dst, &opcode.param})
      check(map, opcode, *expression);
    for (const Expression& condition : opcode.conditions) check(map, opcode, condition);
  }
}

std::uint32_t version(const toml::table& map) {
  const auto part = [&](std::string_view name) { return number(map["device"]["version"][name]); };
  return part("major") << 24 | part("minor") << 16 | part("patch");
}

// What the checks of a command depend on.
std::string canonical(const Opcode& opcode) {
  const auto written = [](const Expression& e) { return write_expression(e, Spelling{}); };
  std::string out = fmt::format("{}:{}", opcode.name, opcode.procedure);
  for (const Field& f : opcode.fields)
    out += fmt::format(" {}={}[{}:{}]", f.name, f.word, f.high, f.low);
  for (const Expression* e : {&opcode.needs, &opcode.names_context, &opcode.needs_context,
                              &opcode.src0, &opcode.src1, &opcode.dst, &opcode.param})
    out += fmt::format(" {}", written(*e));
  for (const Expression& condition : opcode.conditions)
    out += fmt::format("; {}", written(condition));
  return out + fmt::format(" {:d}{:d}\n", opcode.src0_may_be_dst, opcode.src1_may_be_dst);
}

// Of all that both sides must agree on, whatever the texts say.
std::uint32_t build_id(const Map& map) {
  std::string all = fmt::format("version={}\n", map.version);
  for (const Register& r : map.registers) all += fmt::format("{}={}\n", r.name, r.offset);
  for (const NumberTable& numbers : map.number_tables) {
    for (const Entry& entry : numbers.entries)
      all += fmt::format("{}.{}={}\n", numbers.table, entry.name, entry.value);
  }
  for (const Opcode& opcode : map.opcodes) all += canonical(opcode);
  return crc32(std::as_bytes(std::span(all)));
}

}  // namespace

const Field* Opcode::field(std::string_view wanted) const {
  const auto found = std::ranges::find(fields, wanted, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

const std::vector<Entry>& Map::entries(std::string_view table) const {
  return std::ranges::find(number_tables, table, &NumberTable::table)->entries;
}

bool Map::has(std::string_view table, std::string_view name) const {
  const std::vector<Entry>& all = entries(table);
  return std::ranges::find(all, name, &Entry::name) != all.end();
}

std::string_view feature_of(std::string_view name) {
  constexpr std::string_view kPrefix = "feature.";
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : std::string_view{};
}

Map read_map(const std::filesystem::path& file) {
  const toml::table source = toml::parse_file(file.string());
  Map map = {.magic = number(source["device"]["magic"]),
             .version = version(source),
             .build_id = 0,
             .registers = registers(source),
             .number_tables = number_tables(source),
             .opcodes = opcodes(source)};
  check(map);
  map.build_id = build_id(map);
  return map;
}

}  // namespace fhe::fpga::register_map
