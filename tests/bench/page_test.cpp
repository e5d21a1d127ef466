// SPDX-License-Identifier: Apache-2.0
// The report as pages: what is in them for a study, and that nothing in a study breaks them.
#include <algorithm>
#include <set>

#include "apps/report/page/html.hpp"
#include "apps/report/page/markdown.hpp"
#include "apps/report/sections/sections.hpp"
#include "tests/bench/studies.hpp"
#include "tests/bench/xml.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

namespace {

using namespace bench;
using Catch::Matchers::ContainsSubstring;

const Table& table_named(const Document& document, const std::string& caption) {
  for (const Section& section : document.sections) {
    for (const Part& part : section.parts) {
      const auto* const table = std::get_if<Table>(&part);
      if (table != nullptr && table->caption == caption) return *table;
    }
  }
  FAIL("no table " << caption);
  throw std::logic_error("not reached");
}

// The cell in the row that begins with `row`, in the column with this title.
std::string cell(const Table& table, const std::string& row, const std::string& column) {
  const auto at = std::ranges::find(table.columns, column);
  REQUIRE(at != table.columns.end());
  for (const std::vector<Cell>& cells : table.rows) {
    if (cells[0].text == row) {
      return cells[static_cast<std::size_t>(at - table.columns.begin())].text;
    }
  }
  return "no row " + row;
}

Study with_small_group() {
  Study study = small_study();
  study.add(run_of("gh-2048", "auto", {record("recrypt", 0.21)}));
  return study;
}

// A study in which every name is markup.
Study hostile_study() {
  const std::string name = "</td><script>alert('x')</script>|[a](b)\n\x01\"";
  Study study;
  Run run = run_of(name, name, {record("keygen", 1e-300), record(name, 1e300)});
  run.machine = {name, 2, name, name};
  run.backend_description = name;
  study.add(run);
  run.group = "engine";
  run.records = {record("product_0", 1), record("product_99999999999999999999999", 1),
                 record("product_12x", 1), record("product_12", 1e-9)};
  study.add(run);
  GroupFacts facts = facts_of_toy();
  facts.group = name;
  facts.scheme = name;
  facts.chains = {{name, {}}, {name, {{0, 1e300, 0.0}}}};
  study.add(facts);
  Scaling scaling = scaling_of_toy();
  scaling.group = name;
  scaling.circuits[0].circuit = name;
  study.add(scaling);
  return study;
}

}  // namespace

TEST_CASE("page: tables set our times beside the published ones", "[bench]") {
  const Document document = document_of(with_small_group(), std::nullopt);
  const Table& toy = table_named(document, "cnt-toy");
  CHECK(cell(toy, "encrypt one bit", "auto") == "200 us");
  CHECK(cell(toy, "encrypt one bit", "ntl") == "2.5 ms");
  CHECK(cell(toy, "encrypt one bit", "gpu") == "not measured");  // and not left out
  CHECK(cell(toy, "encrypt one bit", "auto against ntl") == "12.5x");
  CHECK(cell(toy, "encrypt one bit", "software, published") == "50 ms");
  CHECK(cell(toy, "encrypt one bit", "FPGA, published") == "739 us");
  CHECK(cell(toy, "encrypt one bit", "FPGA, from cycles") == "3.42 ms");
  CHECK(cell(toy, "key generation", "software, published") == "~60 ms");
  CHECK(cell(toy, "peak memory", "auto") == "20 MB");
  const Table& lattice = table_named(document, "gh-2048");
  CHECK(cell(lattice, "recrypt", "GPU, published") == "1.8 s");
  CHECK(cell(lattice, "recrypt", "software, published") == "27.7 s");
  CHECK(cell(table_named(document, "auto, and how many times as fast as ntl"), "cnt-toy",
             "key generation") == "40 ms (2.00x)");
}

TEST_CASE("page: products, sizes, noise and devices have their tables", "[bench]") {
  const Document document = document_of(small_study(), std::nullopt);
  const Table& products = table_named(document, "Products of two equal operands, one thread");
  CHECK(cell(products, "786,432", "GMP") == "2 ms");
  CHECK(cell(products, "786,432", "auto") == "200 us");
  CHECK(cell(products, "786,432", "against GMP") == "10.0x");
  const Table& published = table_named(document, "Published products");
  CHECK(cell(published, "ASIC, 90 nm: 64K-point FFT, radix 16", "cycles") == "41,146");
  CHECK(cell(published, "ASIC, 90 nm: 64K-point FFT, radix 16", "from cycles") == "206 us");
  CHECK(cell(published, "ASIC, 90 nm: 64K-point FFT, radix 16", "auto here") == "200 us");
  const Table& sizes = table_named(document, "Sizes");
  CHECK(cell(sizes, "cnt-toy", "ciphertext") == "18.4 kB");
  CHECK(cell(sizes, "cnt-toy", "public key, published") == "~76.5 kB");
  const Table& noise = table_named(document, "Noise in bits: bound (measured)");
  CHECK(cell(noise, "cnt-toy", "noise") == "970 (965)");
  CHECK(cell(noise, "cnt-toy", "after one product") == "1940: refused");
  CHECK(noise.rows.at(1).back().text == "1");
  const Table& workers =
      table_named(document,
                  "adder under cnt-toy: 1,000 recryptions, 4 s of work, of which "
                  "the longest chain takes 250 ms");
  CHECK(cell(workers, "1", "used by it") == "100.0 %");
  CHECK(cell(workers, "1", "used by them") == "80.0 %");
  CHECK(cell(workers, "1", "of list scheduling") == "80.0 %");
  CHECK(cell(workers, "32", "used by it") == "50.0 %");
  CHECK(cell(workers, "32", "tasks that sleep").empty());
  CHECK(cell(workers, "32", "between machines of 16") == "2 MB");
  const Table& devices = table_named(document, "Devices of this report");
  CHECK(cell(devices, "products", "time on the device") == "206 us");
}

TEST_CASE("page: only the ratio of one run with itself is a ratio against GMP", "[bench]") {
  Study study = small_study();
  study.add(run_of("engine", "ntl",
                   {record("gmp_product_786432", 0.008), record("product_786432", 0.004)}));
  const Document document = document_of(study, std::nullopt);
  const Table& products = table_named(document, "Products of two equal operands, one thread");
  CHECK(cell(products, "786,432", "GMP") == "2 ms");
  CHECK(products.rows.at(0).back().text == "2.00x");
}

TEST_CASE("page: a comparison counts what is noticeably faster and slower", "[bench]") {
  const Study before = small_study();
  Study now = small_study();
  now.runs[0].records[0].seconds /= 2;     // keygen on auto
  now.runs[0].records[1].seconds *= 1.05;  // encryption: may be chance
  now.runs[1].records[0].seconds *= 4;     // keygen on ntl
  const Section section = comparison_section(now, before);
  CHECK(std::get<Paragraph>(section.parts.at(0))
            .text.starts_with("Of 6 operations 1 are faster and 1 slower"));
  const auto& table = std::get<Table>(section.parts.at(2));
  CHECK(table.rows.at(0).back().text == "2.00x as fast");
  CHECK(table.rows.at(1).back().text == "same");
  CHECK(table.rows.at(2).back().text == "4.00x as slow");
  CHECK(table.rows.at(2).back().strong);
  Study other;
  other.add(run_of("gh-512", "auto", {record("keygen", 1)}));
  CHECK(comparison_section(now, other).parts.size() == 1);
}

TEST_CASE("page: sections without data are left out", "[bench]") {
  Study study;
  study.add(run_of("gh-512", "auto", {record("keygen", 1)}));
  std::vector<std::string> titles;
  for (const Section& section : document_of(study, std::nullopt).sections) {
    titles.push_back(section.title);
  }
  CHECK(titles == std::vector<std::string>{"Operations", "Hardware", "Runs and sources"});
}

TEST_CASE("page: HTML is well formed and needs nothing else", "[bench]") {
  const Document document = document_of(with_small_group(), small_study());
  const std::string html = to_html(document);
  const auto names = elements_of(html);
  CHECK(std::ranges::count(names, "svg") == std::ssize(document.figures()));
  CHECK(std::ranges::count(names, "script") == 0);
  CHECK(std::ranges::count(names, "h1") == 1);
  CHECK(std::ranges::count(names, "h2") == std::ssize(document.sections));
  for (const char* const outside : {"src=", "url(", "@import", "<link", "<img"}) {
    CHECK_THAT(html, !ContainsSubstring(outside));
  }
  CHECK_THAT(html, ContainsSubstring("A processor, 2 cores, gcc 12.2; 2026-11-20 10:00 UTC"));
}

TEST_CASE("page: Markdown has every table and names every chart's file once", "[bench]") {
  const Document document = document_of(with_small_group(), small_study());
  const std::string markdown = to_markdown(document);
  std::set<std::string> files;
  for (const Figure* const figure : document.figures()) {
    CHECK(files.insert(figure->file()).second);
    CHECK_THAT(markdown, ContainsSubstring("](" + figure->file() + ")"));
  }
  CHECK(files.size() >= 6);
  CHECK_THAT(markdown, Catch::Matchers::StartsWith("# What fhe costs\n"));
  CHECK_THAT(markdown,
             ContainsSubstring("| encrypt one bit | **200 us** | 2.5 ms | not measured | 12.5x |"));
  CHECK(markdown.ends_with("|\n"));
}

TEST_CASE("page: names from a file cannot become markup", "[bench]") {
  const Study study = hostile_study();
  const Document document = document_of(study, study);
  const std::string html = to_html(document);
  const auto names = elements_of(html);
  CHECK(std::ranges::count(names, "script") == 0);
  CHECK(html.find('\x01') == std::string::npos);
  const std::string markdown = to_markdown(document);
  CHECK_THAT(markdown, !ContainsSubstring("<script>"));
  CHECK_THAT(markdown, !ContainsSubstring("[a](b)"));
  for (const Table* const table : {&table_named(document, "Runs")}) {
    for (const auto& row : table->rows) CHECK(row.size() == table->columns.size());
  }
  for (const Figure* const figure : document.figures()) {
    CHECK(figure->file().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") ==
          std::string::npos);
  }
}

TEST_CASE("page: every row of every table is as long as its head", "[bench]") {
  for (const Study& study : {with_small_group(), hostile_study()}) {
    for (const Section& section : document_of(study, small_study()).sections) {
      for (const Part& part : section.parts) {
        const auto* const table = std::get_if<Table>(&part);
        if (table == nullptr) continue;
        INFO(table->caption);
        for (const auto& row : table->rows) CHECK(row.size() == table->columns.size());
      }
    }
  }
}

}  // namespace fhe::test
