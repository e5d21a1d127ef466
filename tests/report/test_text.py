# SPDX-License-Identifier: Apache-2.0
"""Quantities as text, and any text inside of pages."""

import text


def test_three_digits_and_the_largest_unit_that_fits():
    seconds = {1.234e-9: "1.23 ns", 999.4e-9: "999 ns", 999.6e-9: "1 us", 0.00455: "4.55 ms", 0.05: "50 ms"}
    seconds |= {0.0999: "99.9 ms", 0.09996: "100 ms", 9.996: "10 s", 7200: "7200 s", 0: "0 ns"}
    assert {value: text.duration(value) for value in seconds} == seconds
    assert text.data_size(76519) == "76.5 kB" and text.data_size(2.25e9) == "2.25 GB"
    assert text.bit_count(786432) == "786 kbit" and text.frequency(161.276e6) == "161 MHz"


def test_ratios_thousands_and_dates():
    assert [text.times(ratio) for ratio in (12, 0.956, 137.2)] == ["12.0x", "0.96x", "137x"]
    assert text.whole_times(12) == "12x" and text.percent(0.5) == "50.0 %"
    assert [text.grouped(number) for number in (0, 999, 41146, 19575950)] == ["0", "999", "41,146", "19,575,950"]
    assert text.date_and_time("2026-11-20T15:52:12Z") == "2026-11-20 15:52"
    assert text.date_and_time("yesterday") == "yesterday" and text.date_and_time("") == ""


def test_no_text_is_markup():
    assert text.clean("line\nbreak\ttab") == "line break tab"
    assert text.clean("\0\x1b\x7f\ud800") == "\ufffd" * 4
    assert text.markdown("a|b\\") == "a\\|b\\\\"
    assert text.markdown("[x](y) *z* <script> # `c`") == r"\[x\](y) \*z\* &lt;script&gt; \# \`c\`"


def test_names_of_files_are_plain():
    assert text.slug("Times as fast as ntl") == "times-as-fast-as-ntl"
    assert text.slug("../../etc/passwd\n") == "etc-passwd"
    assert text.slug(" -- ") == "" and text.slug("CNT: 2^64 + 1") == "cnt-2-64-1"
