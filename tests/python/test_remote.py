# SPDX-License-Identifier: Apache-2.0
"""The client of fhe-outsource: with the server, and with servers that are none or misbehave."""

import contextlib
import http.server
import json
import os
import re
import subprocess
import threading

import numpy as np
import pytest
from guide import blocks_of_guide, promised_by

import fhe

_U4 = fhe.Uint(4)


@fhe.circuit
def larger(x: _U4, y: _U4):
    return fhe.maximum(x, y), x > y


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a server with one circuit, `add.txt`, and the token of a client."""
    program = os.environ.get("FHE_OUTSOURCE_PATH")
    if not program:
        pytest.skip("fhe-outsource is not built")
    folder = tmp_path_factory.mktemp("server")
    (folder / "circuits").mkdir()
    fhe.circuit(_U4, _U4)(lambda x, y: x + y).to_bristol(folder / "circuits" / "add.txt")
    subprocess.run([program, "token", "alice", "--out", "alice.token"], cwd=folder, check=True, capture_output=True)
    command = [program, "serve", "--port", "0", "--token-file", "alice.token", "--data", "data", "--circuits", "circuits"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        url = re.search(r"http://\S+", process.stdout.readline()).group()
        yield url, (folder / "alice.token").read_text()
        process.terminate()


def test_a_circuit_of_ones_own(keys, server):
    remote = fhe.Remote(*server)
    x, y = keys.encrypt(9, _U4), keys.encrypt(12, _U4)
    fractions = []
    with fhe.progress(lambda phase, fraction: fractions.append(fraction)):
        maximum, is_larger = remote.run(larger, x, y)
    assert (keys.decrypt(maximum), keys.decrypt(is_larger)) == (12, False)
    assert maximum.type == _U4 and is_larger.type == fhe.Bool
    assert fractions[-1] == 1


def test_a_circuit_has_a_label(keys, server):
    remote = fhe.Remote(*server)
    x, y = keys.encrypt(9, _U4), keys.encrypt(12, _U4)
    job = remote.submit(larger, x, y, label="larger <of> 2 & more")
    assert job.status()["label"] == "larger <of> 2 & more"
    assert "larger <of> 2 & more" in [circuit["label"] for circuit in remote.circuits()]
    job.wait()
    with pytest.raises(fhe.Error, match="a label has 1 to 64"):
        remote.submit(larger, x, y, label="two\nlines")
    with pytest.raises(fhe.InvalidArgument):
        remote.submit("add.txt", x, y, label="sum")


def test_the_line_of_a_token_file_may_have_limits(server):
    url, line = server
    assert fhe.Remote(url, line.strip() + " jobs=4 rate=600").health()["status"] == "ok"
    assert fhe.Remote(url, line.strip() + " jobs=4 rate=600").jobs() is not None


def test_a_circuit_of_the_server(keys, server):
    remote = fhe.Remote(*server)
    assert "add.txt" in [circuit["name"] for circuit in remote.circuits()]
    job = remote.submit("add.txt", keys.encrypt(9, _U4), keys.encrypt(5, _U4))
    assert keys.decrypt(job.result()) == 14
    assert job.status()["state"] == "done" and job.id in [entry["id"] for entry in remote.jobs()]
    job.forget()
    assert job.id not in [entry["id"] for entry in remote.jobs()]
    assert remote.health()["status"] == "ok"


def test_the_guide(keys, server, capsys):
    """Its block about servers, on what the blocks before it have made."""
    (block,) = (block for block in blocks_of_guide() if "fhe.Remote" in block)
    distance = fhe.circuit(_U4, _U4)(lambda x, y: fhe.maximum(x, y) - fhe.minimum(x, y))
    url, token = server
    values = {"x": keys.encrypt(3, _U4), "y": keys.encrypt(12, _U4)}
    exec(block, {"fhe": fhe, "keys": keys, "distance": distance, "url": url, "token": token, **values})
    assert capsys.readouterr().out.splitlines() == promised_by(block)


def test_slots_on_the_server(slot_keys, server):
    plain = np.arange(slot_keys.public.slots)
    x = slot_keys.encrypt_slots(plain, _U4)
    np.testing.assert_array_equal(slot_keys.decrypt(fhe.Remote(*server).run("add.txt", x, x)), 2 * plain)


def test_a_job_is_cancelled(keys, server):
    x = keys.encrypt(3, fhe.Uint(48))
    job = fhe.Remote(*server).submit(fhe.circuit(fhe.Uint(48))(lambda x: x * x * x * x), x)
    job.cancel()
    if job.wait()["state"] == "cancelled":  # and not done before
        with pytest.raises(fhe.Unsupported, match="cancelled"):
            job.result()


def test_refusals_of_the_server(keys, other_keys, server):
    url, token = server
    x = keys.encrypt(9, _U4)
    with pytest.raises(fhe.Error, match="401"):
        fhe.Remote(url, "alice wrong").jobs()
    remote = fhe.Remote(url, token)
    with pytest.raises(fhe.Error, match="404"):
        remote.run("no such circuit", x, x)
    with pytest.raises(fhe.InvalidArgument):
        remote.run("add.txt", x)
    with pytest.raises(fhe.InvalidArgument):
        remote.run(larger, x, keys.encrypt(9, fhe.Uint(5)))
    with pytest.raises(fhe.WrongKey):
        remote.run(larger, x, other_keys.encrypt(9, _U4))
    with pytest.raises(TypeError):
        remote.run(larger, 9, 5)


@contextlib.contextmanager
def _impostor(answers):
    """A server that gives these answers, (status, headers, body), by the start of the path."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            path = next(path for path in sorted(answers, key=len, reverse=True) if self.path.startswith(path))
            status, headers, body = answers[path]
            seen.append((self.path, self.headers.get("Authorization")))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                self.wfile.write(body)

        do_POST = do_DELETE = do_GET

        def log_message(self, *_):
            pass

    seen = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()
            thread.join()


def _answers():
    """What a decent server says to run(larger, ..) before the result."""
    good = {
        "keys": {"id": "ab", "keys": []},
        "circuits": {"name": "cd.txt"},
        "jobs": {"id": "ef", "state": "done", "fraction": 1},
    }
    return {f"/v1/{name}": (200, {}, json.dumps(answer).encode()) for name, answer in good.items()}


_BAD = {
    "no JSON": ({"/v1/jobs": (200, {}, b"<html>")}, fhe.MalformedFile),
    "no object": ({"/v1/jobs": (200, {}, b"[]")}, fhe.MalformedFile),
    "no id": ({"/v1/jobs": (200, {}, b"{}")}, fhe.MalformedFile),
    "a path as id": ({"/v1/jobs": (200, {}, b'{"id": "../x"}')}, fhe.MalformedFile),
    "no end": ({"/v1/jobs": (200, {}, b" " * (1 << 20) + b"{}")}, fhe.MalformedFile),
    "cut off": ({"/v1/jobs": (200, {"Content-Length": "100"}, b'{"id"')}, fhe.InputOutputError),
    "a failed job": ({"/v1/jobs": (200, {}, b'{"id": "ef", "state": "failed"}')}, fhe.Unsupported),
    "garbage as result": ({"/v1/jobs/ef/result": (200, {}, b"garbage")}, fhe.MalformedFile),
    "too long a result": ({"/v1/jobs/ef/result": (200, {}, b"x" * 1000000)}, fhe.MalformedFile),
    "a code of the library": (
        {"/v1/jobs": (409, {}, b'{"error": {"code": "wrong_key", "message": "m"}}')}, fhe.WrongKey),
    "an error without words": ({"/v1/jobs": (500, {}, b"")}, fhe.Unsupported),
}


@pytest.mark.parametrize("answers, error", _BAD.values(), ids=_BAD)
def test_bad_servers(keys, answers, error):
    x = keys.encrypt(9, _U4)
    with _impostor({**_answers(), **answers}) as (url, _):
        with pytest.raises(error):
            fhe.Remote(url, "t").run(larger, x, x)


def test_an_interruption_cancels_what_it_has_begun(keys):
    def interrupt(phase, fraction):
        raise KeyboardInterrupt

    x = keys.encrypt(9, _U4)
    with _impostor(_answers()) as (url, seen):
        with fhe.progress(interrupt), pytest.raises(KeyboardInterrupt):
            fhe.Remote(url, "t").run(larger, x, x)
    assert seen[-1][0] == "/v1/jobs/ef/cancel"


def test_results_of_others_are_refused(keys, other_keys):
    x = keys.encrypt(9, _U4)
    for data, error in ((other_keys.encrypt(9, fhe.Uint(5)).to_bytes(), fhe.WrongKey), (x.to_bytes(), fhe.MalformedFile)):
        with _impostor({**_answers(), "/v1/jobs/ef/result": (200, {}, bytes(data))}) as (url, _):
            with pytest.raises(error):
                fhe.Remote(url, "t").run(larger, x, x)


def test_the_token_goes_nowhere_else(keys):
    with _impostor({"/": (200, {}, b"{}")}) as (elsewhere, others):
        with _impostor({"/": (302, {"Location": elsewhere}, b"")}) as (url, seen):
            with pytest.raises(fhe.Error, match="302"):
                fhe.Remote(url, "alice sesame").jobs()
    assert seen == [("/v1/jobs", "Bearer sesame")] and others == []


def test_no_server():
    with pytest.raises(fhe.InputOutputError):
        fhe.Remote("http://127.0.0.1:1", "t").jobs()
    for url, token in (("ftp://x", "t"), ("x", "t"), ("http://x", ""), ("http://x", "t\r\nX: y\x00")):
        with pytest.raises(fhe.InvalidArgument):
            fhe.Remote(url, token)
