// SPDX-License-Identifier: Apache-2.0
// What both readers of circuits stand on: numbers and words of a file are checked where they are
// used.
#include "libfhe/circuit/text_lines.hpp"

#include <string>
#include <vector>

#include "libfhe/circuit/port_list.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

HasCode refused_text(const std::string& part) {
  return HasCode(ErrorCode::malformed_file, part);
}

}  // namespace

TEST_CASE("values that a file calls by numbers are found by numbers that there are", "[circuit]") {
  const TextLines lines("", "file", false);
  NumberedValues<char> values(lines, "a letter");
  for (const std::string word : {"0", "1", "7", "4294967295", "18446744073709551615"}) {
    CHECK_THROWS_MATCHES(values.at(word, 3), Error,
                         refused_text("file:3: a letter is " + word + "; here there is none"));
  }
  values.assign({'a', 'b', 'c'});
  CHECK(values.at("0", 3) == 'a');
  CHECK(values.at("002", 3) == 'c');
  for (const std::string word : {"3", "4294967296", "18446744073709551616"}) {
    CHECK_THROWS_MATCHES(
        values.at(word, 3), Error,
        refused_text("file:3: a letter is " + word + "; here it can be at most 2"));
  }
  for (const std::string word : {"", "-1", "+1", "1x", "0x1", "1.0", "two"}) {
    CHECK_THROWS_MATCHES(values.at(word, 3), Error,
                         refused_text("file:3: a letter is '" + word + "', not a number"));
  }
}

TEST_CASE("words of a line are those that it has", "[circuit]") {
  TextLines lines("\n one two # three\n", "file", false);
  TextLine line;
  REQUIRE(lines.next(line));
  CHECK(lines.word(line, 1) == "two");
  CHECK_THROWS_MATCHES(lines.word(line, 2), Error,
                       refused_text("file:2: the line ends after 2 words"));
  CHECK_FALSE(lines.next(line));
  CHECK_THROWS_MATCHES(lines.word(line, 0), Error, refused_text("the line ends after 0 words"));
}

TEST_CASE("names get numbers in the order in which they come", "[circuit]") {
  NumberedNames names;
  std::vector<std::string> texts{""};
  for (std::size_t size = 1; size < 40; ++size) {
    texts.emplace_back(size, '\0');
    texts.emplace_back(size, 'a');
    texts.push_back(std::string(size - 1, 'a') + 'b');
  }
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < texts.size(); ++i) CHECK(names.number_of(texts[i]) == i);
  }
  CHECK(names.size() == texts.size());
  CHECK(names.name(4) == texts[4]);
}

}  // namespace fhe::test
