// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/netlist_files.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "libfhe/circuit/aiger.hpp"
#include "libfhe/circuit/blif.hpp"
#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/text_lines.hpp"
#include "libfhe/circuit/yosys_json.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/storage/atomic_file.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe {

namespace {

void require_within(std::uint64_t bytes, const Source& source, const CircuitLimits& limits) {
  if (bytes <= limits.max_file_bytes) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{}' has {} bytes or more, and the limit is {}: raise max_file_bytes "
                          "(--max-file-bytes) if the circuit is what you expect",
                          source.name(), bytes, limits.max_file_bytes));
}

// In pieces, since only the end of a stream tells its length.
std::string read_text(const Source& source, const CircuitLimits& limits) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::unique_ptr<OpenSource> in = source.open();
  require_within(in->bytes().value_or(0), source, limits);
  std::string text;
  for (std::size_t end = 0;; end = text.size()) {
    text.resize(end + kPiece);
    text.resize(in->read(end, std::as_writable_bytes(std::span(text).subspan(end))));
    require_within(text.size(), source, limits);
    if (text.size() < end + kPiece) return text;
  }
}

void require_text(const Source& source) {
  std::array<std::byte, kAnnouncingBytes> start{};
  static_cast<void>(source.open()->read(0, start));
  refuse_object(start, source, "a circuit in BLIF, JSON, AIGER or Bristol Fashion");
}

// The text from its first line on that is neither blank nor a comment of BLIF.
std::string_view without_comments(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('#')) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

// The first word, in lower case.
std::string first_word(std::string_view text) {
  std::string word(text.substr(0, text.find_first_of(" \t\r\n(")));
  std::ranges::transform(word, word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What is known of a file before it is read.
struct Look {
  std::string_view text;
  std::string_view start;  // of the text, without comments
  std::string word;        // the first of `start`
  std::string ending;      // of the name, in lower case

  Look(std::string_view whole, const std::filesystem::path& name)
      : text(whole),
        start(without_comments(whole)),
        word(first_word(start)),
        ending(first_word(name.extension().string())) {}

  [[nodiscard]] bool begins_with_one_of(std::initializer_list<std::string_view> words) const {
    return std::ranges::find(words, word) != words.end();
  }
  [[nodiscard]] bool has_line(std::string_view begins) const {
    return contains(text, fmt::format("\n{}", begins));
  }
};

bool is_compressed(const Look& look) {
  return look.text.starts_with("\x1f\x8b") || look.ending == ".gz";
}
bool is_wide_text(const Look& look) {
  return look.text.starts_with("\xff\xfe") || look.text.starts_with("\xfe\xff");
}
bool is_edif(const Look& look) {
  return look.ending == ".edif" || look.ending == ".edf" || look.ending == ".edn" ||
         first_word(look.start.substr(std::min<std::size_t>(1, look.start.size()))) == "edif";
}
bool is_bench(const Look& look) {
  return look.ending == ".bench" || (look.begins_with_one_of({"input", "output"}) &&
                                     contains(look.start.substr(0, look.start.find('\n')), "("));
}
bool is_equations(const Look& look) {
  return look.ending == ".eqn" || look.begins_with_one_of({"inorder", "outorder"});
}
bool is_table_or_machine(const Look& look) {
  return look.begins_with_one_of({".i", ".o", ".ilb", ".ob", ".type", ".phase", ".start_kiss"});
}
bool is_state_machine(const Look& look) {
  return look.ending == ".kiss" || look.ending == ".kiss2" ||
         (is_table_or_machine(look) && (look.has_line(".s ") || look.has_line(".r ")));
}
bool is_table(const Look& look) {
  return look.ending == ".pla" || is_table_or_machine(look);
}
bool is_library_netlist(const Look& look) {
  return look.start.starts_with("//") &&
         contains(look.start.substr(0, 512), "Created by: Synopsys");
}
bool is_verilog(const Look& look) {
  return look.ending == ".v" || look.ending == ".sv" || look.start.starts_with("//") ||
         look.start.starts_with("/*") || look.start.starts_with('`') ||
         look.begins_with_one_of({"module"});
}

// A format that is not read, and what makes a circuit of its files: {0} is the file, {1} the
// circuit.
struct ForeignFormat {
  bool (*is_it)(const Look& look);
  const char* advice;
};

// The first that fits counts.
constexpr std::array kForeignFormats{
    ForeignFormat{
        is_compressed,
        "is compressed, and can be read from a pipe: gzip -d -c {0} | fhe circuit info -"},
    ForeignFormat{is_wide_text,
                  "is text in UTF-16, and can be read from a pipe: iconv -f UTF-16 -t UTF-8 {0} | "
                  "fhe circuit info -"},
    ForeignFormat{is_edif,
                  "is EDIF, which is not read: let the program that made it write Verilog, BLIF or "
                  "AIGER"},
    ForeignFormat{is_bench,
                  "is a bench file, of which ABC makes a circuit: berkeley-abc -q \"read_bench "
                  "{0}; write_blif {1}\""},
    ForeignFormat{is_equations,
                  "holds equations, of which ABC makes a circuit: berkeley-abc -q \"read_eqn {0}; "
                  "write_blif {1}\""},
    ForeignFormat{is_state_machine,
                  "is a state machine (KISS2), whose states have no bits yet: SIS chooses them and "
                  "makes a circuit: sis -c \"read_kiss {0}; state_assign jedi; stg_to_network; "
                  "write_blif {1}\""},
    ForeignFormat{is_table,
                  "is a PLA, of which ABC makes a circuit: berkeley-abc -q \"read_pla {0}; "
                  "write_blif {1}\""},
    ForeignFormat{is_library_netlist,
                  "is a netlist of the cells of a library, of which Yosys makes a circuit when it "
                  "has the library: yosys -q -p 'read_liberty LIBRARY.lib; read_verilog {0}; synth "
                  "-flatten -auto-top; abc -lut 3; opt_clean; write_blif {1}'"},
    ForeignFormat{is_verilog,
                  "is Verilog, which Yosys turns into a circuit: yosys -q -p 'read_verilog -sv "
                  "{0}; synth -flatten; abc -lut 3; opt_clean; write_blif {1}'"},
};

void refuse_foreign(const Look& look, const std::filesystem::path& name) {
  const auto* const found = std::ranges::find_if(
      kForeignFormats, [&](const ForeignFormat& format) { return format.is_it(look); });
  if (found == kForeignFormats.end()) return;
  std::error_code ignored;
  const std::filesystem::path file = std::filesystem::exists(name, ignored) ? name : "FILE";
  const std::filesystem::path circuit = std::filesystem::path(file).replace_extension(".blif");
  throw Error(ErrorCode::malformed_file, fmt::format("'{}' {}", name.string(),
                                                     fmt::format(fmt::runtime(found->advice),
                                                                 file.string(), circuit.string())));
}

using Parse = ClockedCircuit (*)(std::string_view text, const std::string& name);

ClockedCircuit parse_without_registers(std::string_view text, const std::string& name) {
  return ClockedCircuit(parse_bristol(text, name));
}

// None for what is in no format that is read.
Parse parser_for(const Look& look) {
  if (look.ending == ".blif") return parse_blif;
  if (look.ending == ".json") return parse_yosys_json;
  if (look.ending == ".aag" || look.ending == ".aig") return parse_aiger;
  if (look.text.starts_with("aag ") || look.text.starts_with("aig ")) return parse_aiger;
  const char first = look.start.empty() ? '0' : look.start.front();
  if (first == '.') return parse_blif;
  if (first == '{' || first == '[') return parse_yosys_json;
  return first >= '0' && first <= '9' ? parse_without_registers : nullptr;
}

ClockedCircuit parse(std::string_view text, const std::filesystem::path& name) {
  const Look look(without_byte_order_mark(text), name);
  refuse_foreign(look, name);
  if (const Parse parser = parser_for(look)) return parser(text, name.string());
  throw Error(ErrorCode::malformed_file,
              fmt::format("'{}' begins with '{}', as no format does that is read: BLIF, JSON of "
                          "Yosys, AIGER, Bristol Fashion",
                          name.string(), shown(look.start.substr(0, look.start.find('\n')))));
}

}  // namespace

ClockedCircuit load_circuit(const Source& source, const CircuitLimits& limits) {
  return reporting_memory([&] {
    // A stream can be read once.
    const bool is_stream = !source.open()->bytes();
    if (!is_stream) require_text(source);
    const std::string text = read_text(source, limits);
    if (is_stream) require_text({std::as_bytes(std::span(text)), source.name()});
    return parse(text, source.name());
  });
}

Netlist load_netlist(const Source& source, const CircuitLimits& limits) {
  return reporting_memory([&] {
    const ClockedCircuit circuit = load_circuit(source, limits);
    if (circuit.registers() == 0) return circuit.step();
    throw Error(
        ErrorCode::malformed_file,
        fmt::format("'{}' has {} register{}, and here only a circuit without any can run: "
                    "run it for a number of clock cycles (fhe run --cycles N; in C++ "
                    "load_circuit and run_clocked)",
                    source.name(), circuit.registers(), circuit.registers() == 1 ? "" : "s"));
  });
}

void save_bristol(const std::filesystem::path& path, const Netlist& netlist) {
  reporting_memory([&] {
    const std::string text = to_bristol(netlist);
    AtomicFile file(path, FileAccess::everyone);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
  });
}

}  // namespace fhe
