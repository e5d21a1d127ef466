// SPDX-License-Identifier: Apache-2.0
// Backends from shared objects: what is loaded, what is refused and why, and what of a plug-in's
// answers is not believed. That a plug-in computes right is the conformance suite's, which runs on
// mirror and plain.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include "accel/plugin/export_backend.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/random/public_stream.hpp"
#include "tests/accel/plugin/plugins.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

BackendPtr open_test_plugin(const std::string& name, const std::string& options) {
  return open_backend("plugin:" + plugin(name).string() + ":" + options);
}

const Integer kFactor = (Integer(1) << 700) - 12345;

// A stream that cannot be read.
class BrokenStream final : public IntegerStream {
 public:
  [[nodiscard]] std::size_t count() const override { return 2; }
  [[nodiscard]] std::size_t bits() const override { return 64; }
  [[nodiscard]] std::unique_ptr<Reader> reader() const override {
    return std::make_unique<BrokenReader>();
  }

 private:
  class BrokenReader final : public Reader {
   public:
    void read(std::size_t /*element*/, std::size_t /*first_limb*/,
              std::span<Limb> /*out*/) override {
      throw Error(ErrorCode::malformed_file, "the stream is broken");
    }
  };
};

const StoredStream& small_stream() {
  static const StoredStream stream({3, 5}, 8);
  return stream;
}

std::vector<Integer> small_sums(const Backend& backend, const IntegerStream& stream,
                                const Monitor& monitor = {}) {
  const std::vector<DenseWeights> weights{{1, 2}};
  return backend.weighted_sums(stream, weights, monitor);
}

// Keeps the source of the last stream, as a backend does that keeps elements, to know them again.
std::optional<StreamSource> kept_source;
class Keeper final : public Backend {
 public:
  [[nodiscard]] BackendInfo info() const override { return {.name = "keeper"}; }
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    return x * y;
  }
  [[nodiscard]] std::vector<Integer> selected_sums(const IntegerStream& stream,
                                                   const BlockSelection& /*selection*/,
                                                   const Monitor& /*monitor*/) const override {
    kept_source = stream.source();
    return {Integer(0)};
  }
};
BackendPtr open_keeper(std::string_view /*options*/) {
  return std::make_shared<const Keeper>();
}

}  // namespace

TEST_CASE("a plug-in says who it is") {
  const BackendInfo info = open_test_plugin("mirror", "ntl")->info();
  CHECK(info.name == "plugin:" + plugin("mirror").string());
  CHECK(info.description.find("NTL") != std::string::npos);
  CHECK(info.description.find(plugin("mirror").string() + ", version 7.5") != std::string::npos);
  CHECK(info.native == std::vector<std::string>{"multiply"});
  CHECK(info.max_operand_bits == open_backend("ntl")->info().max_operand_bits);

  const BackendInfo liar = open_test_plugin("liar", "")->info();
  CHECK(liar.native == std::vector<std::string>{"multiply", "ring"});
}

TEST_CASE("no description of a plug-in moves a cursor") {
  const std::string text = open_test_plugin("liar", "paints")->info().description;
  CHECK(text.starts_with("li [2Jes     (plug-in "));
  CHECK(std::ranges::none_of(text, [](char c) { return c >= 0 && c < ' '; }));
}

TEST_CASE("a plug-in that others can replace is not loaded, unless the user says so") {
  using std::filesystem::perms;
  const TemporaryDirectory directory;
  const std::filesystem::path above = directory / "above";
  const std::filesystem::path folder = above / "folder";
  const std::filesystem::path file = folder / "plain.so";
  std::filesystem::create_directories(folder);
  std::filesystem::copy(plugin("plain"), file);
  const auto open = [&] { return open_backend("plugin:" + file.string()); };
  const auto set = [](const std::filesystem::path& path, unsigned mode) {
    std::filesystem::permissions(path, perms(mode));
  };
  const auto refused = [&](const std::filesystem::path& path, unsigned mode, unsigned safe) {
    CAPTURE(path, mode);
    set(path, mode);
    CHECK_THROWS_MATCHES(
        open(), Error,
        HasCode(ErrorCode::unsupported, "everybody may write to " + path.string() + " (mode"));
    set(path, safe);
  };
  refused(file, 0646, 0644);
  refused(folder, 0777, 0755);
  refused(folder, 01777, 0755);
  refused(above, 0757, 0755);
  std::filesystem::create_symlink(file, directory / "link.so");
  set(above, 0777);
  CHECK_THROWS_MATCHES(open_backend("plugin:" + (directory / "link.so").string()), Error,
                       HasCode(ErrorCode::unsupported, "everybody may write to"));
  set(above, 0755);
  if (::geteuid() == 0) {  // who alone can give a file to any user and group
    set(folder, 0775);
    REQUIRE(::chown(folder.c_str(), 0, 1234) == 0);
    CHECK_THROWS_MATCHES(open(), Error, HasCode(ErrorCode::unsupported, "a group may write to"));
    REQUIRE(::chown(folder.c_str(), 0, 0) == 0);
    for (const std::filesystem::path& path : {file, folder}) {
      REQUIRE(::chown(path.c_str(), 4321, 4321) == 0);
      CHECK_THROWS_MATCHES(open(), Error,
                           HasCode(ErrorCode::unsupported, path.string() + " belongs to another"));
      REQUIRE(::chown(path.c_str(), 0, 0) == 0);
    }
    CHECK_NOTHROW(open());
  }

  const std::filesystem::path other = folder / "other.so";
  std::filesystem::copy(plugin("plain"), other);
  set(other, 0666);
  CHECK_THROWS_MATCHES(open_backend("plugin:" + other.string()), Error,
                       HasCode(ErrorCode::unsupported, "FHE_BACKEND_UNSAFE=1"));
  ::setenv("FHE_BACKEND_UNSAFE", "1", 1);
  CHECK_NOTHROW(open_backend("plugin:" + other.string()));
  ::unsetenv("FHE_BACKEND_UNSAFE");

  const std::filesystem::path last = directory / "above/folder/last.so";
  std::filesystem::copy(plugin("plain"), last);
  set(above, 01777);  // above a folder it is as good as closed
  CHECK_NOTHROW(open_backend("plugin:" + last.string()));
}

TEST_CASE("what a plug-in counts is counted once") {
  const BackendPtr mirror = open_test_plugin("mirror", "auto");
  const BackendPtr own = open_backend("auto");
  const std::vector<BackendPtr> both{mirror, own};
  std::vector<OperationCounts> counts;
  for (const BackendPtr& backend : both) {
    backend->multiply(kFactor, kFactor);
    const auto ring = backend->ring(kFactor);
    ring->multiply(ring->prepare(kFactor - 1), Integer(kFactor - 2));
    ring->reduce(kFactor * 3);
    const PublicStream stream({}, StreamPurpose::public_elements, 0, 20, 5000);
    const std::vector<DenseWeights> weights{DenseWeights(20, 77)};
    backend->weighted_sums(stream, weights, {});
    counts.push_back(backend->counts());
  }
  CHECK(counts[0].multiplications == counts[1].multiplications);
  CHECK(counts[0].limb_products == counts[1].limb_products);
  CHECK(counts[0].reductions == counts[1].reductions);
  CHECK(counts[0].stream_bytes == counts[1].stream_bytes);
  CHECK(counts[0].multiplications > 0);

  const BackendPtr plain = open_test_plugin("plain", "");
  plain->multiply(kFactor, 3);
  CHECK(plain->counts().multiplications == 1);
  CHECK(plain->counts().limb_products == mpz_size(kFactor.get_mpz_t()));
}

TEST_CASE("a plug-in gets sets of sparse weights whose numbers of ones differ") {
  const BackendPtr backend = open_test_plugin("mirror", "auto");
  const auto ring = backend->ring(kFactor);
  const std::vector<SparseWeights> sets{
      {.ones_per_weight = 1, .positions = {3, 5}},
      {.ones_per_weight = 1, .positions = {0, 900}},
      {.ones_per_weight = 2, .positions = {0, 1, 7, 700}},
      {.ones_per_weight = 0, .positions = {}},
  };
  const std::vector<Integer> corrections{2, 7};
  // Sums over the stream, and sums in the ring.
  const auto sums_of = [&](std::span<const SparseWeights> some) {
    return std::pair(backend->weighted_sums(small_stream(), some, {}),
                     ring->weighted_sums({small_stream(), corrections}, some, {}));
  };
  const auto [sums, residues] = sums_of(sets);
  const OperationCounts together = backend->counts();
  std::vector<Integer> expected;
  std::vector<Integer> expected_residues;
  for (const auto& alike :
       {std::span(sets).first(2), std::span(sets).subspan(2, 1), std::span(sets).subspan(3)}) {
    const auto [some, some_residues] = sums_of(alike);
    expected.insert(expected.end(), some.begin(), some.end());
    expected_residues.insert(expected_residues.end(), some_residues.begin(), some_residues.end());
  }
  const OperationCounts in_parts = backend->counts() - together;
  CHECK(sums == expected);
  CHECK(residues == expected_residues);
  CHECK(sums.at(2) == 3 * (1 + 2) + 5 * (128 + power_of_two(700)));
  CHECK(together.multiplications == in_parts.multiplications);
  CHECK(together.limb_products == in_parts.limb_products);
  CHECK(together.stream_bytes == in_parts.stream_bytes);
}

TEST_CASE("objects of a plug-in outlive the names that they were opened under") {
  std::shared_ptr<const Ring> ring;
  {
    const BackendPtr backend = open_test_plugin("mirror", "auto");
    ring = backend->ring(kFactor);
  }
  const Operand prepared = ring->prepare(5);
  ring.reset();
  const auto other = open_test_plugin("mirror", "ntl")->ring(Integer(1000003));
  CHECK(other->multiply(prepared, Integer(7)) == 35);  // prepared by another ring: its value counts
}

TEST_CASE("what is no usable plug-in is refused with its reason") {
  const auto refuses = [](const std::string& name, ErrorCode code, const std::string& reason) {
    INFO(name);
    CHECK_THROWS_MATCHES(open_backend("plugin:" + name), Error, HasCode(code, reason));
  };
  const auto misfit = [&](const std::string& name, const std::string& reason) {
    refuses(plugin(name), ErrorCode::unsupported, reason);
    refuses(plugin(name), ErrorCode::unsupported, plugin(name));
  };
  misfit("no_entry", "it has no function fhe_backend_plugin");
  misfit("next_version", "it speaks version 2 of the interface, and this program version 1");
  misfit("short_table", "its table has");
  misfit("half_ring", "only some of the functions of a ring");
  misfit("half_operands", "only some of the functions of a ring");
  misfit("no_multiply", "lacks open, close, facts or multiply");
  misfit("throws", "threw an exception across the interface");
  misfit("not_here", "this machine cannot have its backend");

  refuses("", ErrorCode::invalid_argument, "'' is no path");
  refuses("mirror.so", ErrorCode::invalid_argument, "'mirror.so' is no path");
  refuses("/no/such/file.so", ErrorCode::io, "No such file");
  refuses(FHE_TEST_PLUGINS, ErrorCode::io, "there is no plug-in at");

  const TemporaryDirectory directory;
  const auto refuses_bytes = [&](const std::string& name, const std::vector<std::byte>& bytes) {
    write_file(directory / name, bytes);
    refuses(directory / name, ErrorCode::unsupported, name);
  };
  std::vector<std::byte> object = read_file(plugin("plain"));
  refuses_bytes("empty.so", {});
  refuses_bytes("cut.so", {object.begin(), object.begin() + 40});
  // For another machine: bytes 18 and 19 of an ELF header name it (62: x86-64, 183: AArch64).
  object[18] = std::byte{object[18] == std::byte{183} ? std::uint8_t{62} : std::uint8_t{183}};
  refuses_bytes("foreign.so", object);
}

TEST_CASE("errors of a plug-in keep their code and their sentence") {
  const auto opening = [](const std::string& way, ErrorCode code, const std::string& text) {
    INFO(way);
    CHECK_THROWS_MATCHES(open_test_plugin("liar", way), Error, HasCode(code, text));
    CHECK_THROWS_MATCHES(open_test_plugin("liar", way), Error, HasCode(code, plugin("liar")));
  };
  opening("no_device", ErrorCode::unsupported, "there is no device here");
  opening("no_memory", ErrorCode::out_of_memory, "its memory is full");
  opening("unknown_status", ErrorCode::io, "it does not say what is wrong");
  opening("opens_nothing", ErrorCode::wrong_result, "it made nothing and gave no error");
  opening("stops_in_open", ErrorCode::wrong_result, "it stopped without being asked to");
  opening("throws_in_open", ErrorCode::wrong_result, "threw an exception across the interface");
  CHECK_THROWS_MATCHES(open_test_plugin("mirror", "nothing"), Error,
                       HasCode(ErrorCode::invalid_argument, "no backend named 'nothing'"));
  CHECK_THROWS_MATCHES(open_test_plugin("mirror", ""), Error,
                       HasCode(ErrorCode::invalid_argument, "which backend is to be mirrored?"));
  CHECK_NOTHROW(open_test_plugin("liar", "throws_in_close"));

  const auto product = [](const std::string& way, ErrorCode code, const std::string& text) {
    INFO(way);
    CHECK_THROWS_MATCHES(open_test_plugin("liar", way)->multiply(kFactor, kFactor), Error,
                         HasCode(code, text));
  };
  product("lost", ErrorCode::io, "the device is gone");
  product("stops_products", ErrorCode::wrong_result, "it stopped without being asked to");
  product("says_nothing", ErrorCode::io, "it does not say what is wrong");
  product("throws", ErrorCode::wrong_result, "threw an exception across the interface");
}

TEST_CASE("wrong answers of a plug-in are found where they can be") {
  CHECK(open_test_plugin("liar", "")->multiply(-kFactor, kFactor) == -kFactor * kFactor);
  CHECK(open_test_plugin("liar", "resizes")->multiply(kFactor, kFactor) == kFactor * kFactor);
  for (const std::string way : {"one_bit_wrong", "writes_nothing"}) {
    INFO(way);
    const BackendPtr liar = open_test_plugin("liar", way);
    CHECK_THROWS_MATCHES(liar->multiply(kFactor, kFactor + 2), Error,
                         HasCode(ErrorCode::wrong_result, plugin("liar")));
    CHECK(liar->multiply(kFactor, 0) == 0);  // which the host knows
  }
  const HasCode out_of_range(ErrorCode::wrong_result, "it gave a result that is out of range");
  const auto ring = open_test_plugin("liar", "not_reduced")->ring(kFactor);
  CHECK_THROWS_MATCHES(ring->reduce(5), Error, out_of_range);
  CHECK_THROWS_MATCHES(ring->multiply(Integer(5), Integer(6)), Error, out_of_range);
  const StoredStream one({Integer(1)}, 1);
  CHECK_THROWS_MATCHES(ring->weighted_sums({one, {}}, std::vector<DenseWeights>{{Integer(1)}}, {}),
                       Error, out_of_range);
  CHECK_THROWS_MATCHES(small_sums(*open_test_plugin("liar", "sums_too_long"), small_stream()),
                       Error, out_of_range);
  CHECK_THROWS_MATCHES(
      open_test_plugin("liar", "windows_too_wide")->product_windows(9, small_stream(), {20, 4}, {}),
      Error, out_of_range);
}

TEST_CASE("results that a plug-in keeps are checked when they are asked for") {
  const std::vector<RingOperation> squares(
      3, {RingOperation::Kind::multiply, Integer(5), Integer(5), true});
  const auto computed_by = [&](const std::string& way, const Monitor& monitor = {}) {
    Progress progress(monitor, "squares", squares.size());
    return open_test_plugin("liar", way)->ring(kFactor)->compute_all(squares, progress);
  };
  const auto refuses = [&](const Operand& kept, ErrorCode code, const std::string& text) {
    for (int i = 0; i < 2; ++i) CHECK_THROWS_MATCHES(kept.value(), Error, HasCode(code, text));
  };
  CHECK(computed_by("").back().value() == 0);  // in range: only the suite knows better
  refuses(computed_by("not_reduced").front(), ErrorCode::wrong_result, "out of range");
  refuses(computed_by("loses_results").front(), ErrorCode::io, "it is lost");
  CHECK_THROWS_MATCHES(computed_by("keeps_too_little"), Error,
                       HasCode(ErrorCode::wrong_result, "it made nothing and gave no error"));
  CHECK_THROWS_MATCHES(computed_by("stops"), Error,
                       HasCode(ErrorCode::wrong_result, "it stopped without being asked to"));
  std::stop_source stopped;
  stopped.request_stop();
  const Monitor monitor{.stop = stopped.get_token(), .progress = {}};
  CHECK_THROWS_MATCHES(computed_by("", monitor), Error, HasCode(ErrorCode::stopped));
}

TEST_CASE("a plug-in is stopped, and stops for nobody else") {
  CHECK_THROWS_MATCHES(small_sums(*open_test_plugin("liar", "stops"), small_stream()), Error,
                       HasCode(ErrorCode::wrong_result, "it stopped without being asked to"));

  std::stop_source source;
  Monitor monitor;
  monitor.stop = source.get_token();
  const BackendPtr waiting = open_test_plugin("liar", "waits");
  std::jthread stopper([&] { source.request_stop(); });
  CHECK_THROWS_MATCHES(small_sums(*waiting, small_stream(), monitor), Error,
                       HasCode(ErrorCode::stopped));
}

TEST_CASE("what a stream throws reaches the caller through a plug-in") {
  const HasCode broken(ErrorCode::malformed_file, "the stream is broken");
  CHECK_THROWS_MATCHES(small_sums(*open_test_plugin("liar", "reads"), BrokenStream()), Error,
                       broken);
  CHECK_THROWS_MATCHES(small_sums(*open_test_plugin("mirror", "ntl"), BrokenStream()), Error,
                       broken);
}

TEST_CASE("what a plug-in keeps of a stream outlives the call") {
  const fhe_backend_table table = plugin::exported_backend<open_keeper>("1", "keeps sources");
  fhe_backend* backend = nullptr;
  fhe_backend_error error{};
  REQUIRE(table.open("", &backend, &error) == FHE_BACKEND_OK);
  std::string name = "a generator with a long name, which is in memory of its own";
  const std::string same = name;
  fhe_stream stream{};
  stream.elements = 1;
  stream.generator = name.c_str();
  const std::uint32_t mask = 0;
  const fhe_selection selection{.block_size = 1, .width = 1, .masks = &mask};
  fhe_monitor monitor{};
  monitor.watch = [](void* context, void (*)(void*), void*) { return context; };
  monitor.unwatch = [](void*) {};
  monitor.context = &monitor;
  std::uint64_t limb = 0;
  fhe_result sum{.limbs = &limb, .count = 1};
  CHECK(table.selected_sums(backend, &stream, &selection, &sum, &monitor, &error) ==
        FHE_BACKEND_OK);
  std::ranges::fill(name, '-');
  REQUIRE(kept_source);
  CHECK(kept_source->generator == same);
  table.close(backend);
}

}  // namespace fhe::test
