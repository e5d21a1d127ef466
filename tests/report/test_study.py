# SPDX-License-Identifier: Apache-2.0
"""Studies from files: which run is which, what several files are together, and what is no result of fhe-bench."""

import json

import pytest
import studies
import study
from conftest import ROOT

_SMALL = studies.small_study()


def test_the_last_run_of_a_group_backend_and_number_of_threads_counts(read):
    again = studies.run_of("cnt-toy", "ntl", studies.record("keygen", 7), studies.record("aes_state", 2))
    joined = read(_SMALL, again)
    assert len(joined.runs) == 3
    assert [joined.find("cnt-toy", "ntl", name).seconds for name in ("keygen", "aes_state")] == [7, 2]
    # What was not measured again stays, if it was on this machine.
    assert joined.find("cnt-toy", "ntl", "encrypt_dense").seconds == 0.0025
    again["machine"] = {**again["machine"], "processor": "another"}
    joined = read(_SMALL, again)
    assert joined.find("cnt-toy", "ntl", "keygen").seconds == 7 and not joined.find("cnt-toy", "ntl", "encrypt_dense")
    assert read(again, _SMALL).find("cnt-toy", "ntl", "keygen").seconds == 0.08
    assert joined.run("cnt-small", "ntl") is None and joined.label(joined.runs[1]) == "ntl"


def test_runs_of_other_numbers_of_threads_have_their_own_names(read):
    alone = {**studies.run_of("cnt-toy", "auto", studies.record("keygen", 0.06)), "threads": 1}
    joined = read(_SMALL, alone)
    assert joined.label(joined.runs[1]) == "ntl, 2 threads"
    assert joined.find("cnt-toy", "auto, 1 thread", "keygen").seconds == 0.06


def test_the_last_of_facts_scalings_and_clocks_of_the_same_counts(read):
    more = studies.small_study()
    more["computed"] = [{**studies.COMPUTED, "device_cycles": 5}, {**studies.COMPUTED, "operation": "encrypt_sparse"}]
    more["groups"][0]["secret_key_bytes"] = 7
    joined = read(_SMALL, more, {**studies.SCALING, "params": "cnt-small"})
    assert [each.device_cycles for each in joined.computed] == [5, 110096]
    assert [each.secret_key_bytes for each in joined.facts] == [7]
    assert [each.group for each in joined.scalings] == ["cnt-toy", "cnt-small"]


def test_what_reports_do_not_show_is_kept(read):
    run = studies.run_of("cnt-toy", "auto", studies.record("keygen", 1, stream_bytes=12.5, unit="one key pair"))
    assert read({**run, "note": "quiet"}).data["runs"] == [{**run, "note": "quiet"}]
    data = read(_SMALL).data
    assert data["format"] == "fhe-bench report 1" and read(data).data == data


def test_files_of_earlier_versions_can_be_read():
    old = study.read(str(ROOT / "tests" / "data" / "bench-run-1.json"))
    encrypt = old.find("cnt-toy", "auto", "encrypt_dense")
    assert (encrypt.seconds, encrypt.peak_memory_bytes, encrypt.device_seconds) == (0.00021273, 16936960, None)
    devices = study.read(str(ROOT / "apps" / "report" / "measured" / "devices.json"))
    assert [run.backend for run in devices.runs] == ["fpga:sim", "fpga:model"] and devices.computed


def _spoilt(before, after):
    text = json.dumps(_SMALL)
    assert before in text
    return text.replace(before, after, 1)


@pytest.mark.parametrize(
    "text, part",
    [
        ("", "Expecting value"),
        ("hello", "Expecting value"),
        ("[]", "list indices"),
        ("{}", "'format' is missing"),
        ('{"format": 1}', "its format is 1"),
        ('{"format": ["fhe-bench 1"]}', "its format is"),
        (_spoilt("fhe-bench report 1", "fhe-bench report 2"), "'fhe-bench report 2', and known are fhe-bench 1, "),
        ('{"format": "fhe-bench 1"}', "is missing"),
        ('{"format": "fhe-bench report 1", "runs": [{}], "groups": []}', "is missing"),
        ('{"format": "fhe-bench report 1", "runs": 7, "groups": []}', "not iterable"),
        (_spoilt('"seconds": 0.04', '"seconds": "0.04"'), "'seconds' is '0.04', not a number"),
        (_spoilt('"seconds": 0.04', '"seconds": true'), "'seconds' is True, not a number"),
        (_spoilt('"seconds": 0.04', '"seconds": 0'), "'seconds' is 0, not a number from 1e-18"),
        (_spoilt('"seconds": 0.04', '"seconds": -1'), "'seconds' is -1"),
        (_spoilt('"seconds": 0.04', '"seconds": NaN'), "'seconds' is nan"),
        (_spoilt('"seconds": 0.04', '"seconds": 1e999'), "'seconds' is inf"),
        (_spoilt('"seconds": 0.04', '"seconds": 1e300'), "'seconds' is 1e+300"),
        (_spoilt('"seconds": 0.04', '"seconds": 5e-324'), "'seconds' is 5e-324"),
        (_spoilt('"group": "cnt-toy"', '"group": 7'), "'group' is 7, not a text"),
        (_spoilt('"cores": 2', '"cores": 2.5'), "'cores' is 2.5, not a count"),
        (_spoilt('"results"', '"result"'), "'results' is missing"),
        (_spoilt('"depth": 0', '"depth": -1'), "'depth' is -1"),
        (_spoilt('"workers": 32', '"workers": 0'), "'workers' is 0"),
        (_spoilt('"slept_seconds": 5', '"slept_seconds": 0'), "'slept_seconds' is 0"),
        (_spoilt('"chain_seconds"', '"chains"'), "'chain_seconds' is missing"),
        (_spoilt('"device_cycles": 110096', '"device_cycles": 0.5'), "'device_cycles' is 0.5, not a count"),
        (_spoilt('"device_hertz": 166450000.0', '"device_hertz": 0'), "'device_hertz' is 0"),
        (_spoilt('"module"', '"modul"'), "'module' is missing"),
        ("[" * 100000, "recursion"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(tmp_path, text, part):
    path = tmp_path / "text.json"
    path.write_text(text)
    with pytest.raises(study.Malformed) as error:
        study.read(str(path))
    assert "text.json is no result of fhe-bench: " in str(error.value) and part in str(error.value)


def test_files_with_nothing_and_files_too_large_are_refused(tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{"format": "fhe-bench report 1", "runs": [], "groups": []}')
    with pytest.raises(study.Malformed, match="s.json: nothing in it was measured"):
        study.read(str(path))
    with open(path, "wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(study.Malformed, match="larger than 64 MiB"):
        study.read(str(path))
