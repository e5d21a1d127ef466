// SPDX-License-Identifier: Apache-2.0
// Quantities as text, and any text inside of HTML, SVG and Markdown.
#include "apps/report/page/escape.hpp"
#include "apps/study/format.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

using namespace bench;

TEST_CASE("format: three digits and the largest unit that fits", "[bench]") {
  CHECK(duration(1.234e-9) == "1.23 ns");
  CHECK(duration(999.4e-9) == "999 ns");
  CHECK(duration(999.6e-9) == "1 us");
  CHECK(duration(0.00455) == "4.55 ms");
  CHECK(duration(0.05) == "50 ms");
  CHECK(duration(0.0999) == "99.9 ms");
  CHECK(duration(0.09996) == "100 ms");
  CHECK(duration(9.996) == "10 s");
  CHECK(duration(7200) == "7200 s");
  CHECK(duration(0) == "0 ns");
  CHECK(data_size(76519) == "76.5 kB");
  CHECK(data_size(2.25e9) == "2.25 GB");
  CHECK(bit_count(786432) == "786 kbit");
  CHECK(frequency(161.276e6) == "161 MHz");
}

TEST_CASE("format: ratios, thousands and dates", "[bench]") {
  CHECK(times(12) == "12.0x");
  CHECK(times(0.956) == "0.96x");
  CHECK(times(137.2) == "137x");
  CHECK(whole_times(12) == "12x");
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(41146) == "41,146");
  CHECK(grouped(19575950) == "19,575,950");
  CHECK(date_and_time("2026-11-20T15:52:12Z") == "2026-11-20 15:52");
  CHECK(date_and_time("yesterday") == "yesterday");
  CHECK(date_and_time("").empty());
}

TEST_CASE("escape: no text is markup", "[bench]") {
  CHECK(escape_xml("a<b>&\"c'd\"") == "a&lt;b&gt;&amp;&quot;c&#39;d&quot;");
  CHECK(escape_xml("line\nbreak\ttab") == "line break tab");
  CHECK(escape_xml(std::string_view("\0\x1b\x7f", 3)) == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(escape_xml("\xc2\xb5s") == "\xc2\xb5s");
  CHECK(escape_markdown("a|b") == "a\\|b");
  CHECK(escape_markdown("[x](y) *z* <script>\n# `c`") ==
        "\\[x\\](y) \\*z\\* &lt;script&gt; \\# \\`c\\`");
  CHECK(escape_markdown("\\") == "\\\\");
}

TEST_CASE("escape: names of files are plain", "[bench]") {
  CHECK(slug("Times as fast as ntl") == "times-as-fast-as-ntl");
  CHECK(slug("../../etc/passwd\n") == "etc-passwd");
  CHECK(slug(" -- ").empty());
  CHECK(slug("CNT: 2^64 + 1") == "cnt-2-64-1");
}

}  // namespace fhe::test
