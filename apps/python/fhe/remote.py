# SPDX-License-Identifier: Apache-2.0
"""Circuits computed by a server, `fhe-outsource serve`, which gets no secret key."""

from __future__ import annotations

import http.client
import json
import math
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, IO

from . import _core
from .ciphertext import Ciphertext
from .circuits import Circuit, kinds_of
from .errors import Error, InputOutputError, InvalidArgument, MalformedFile, Unsupported, WrongKey, error_of
from .tracing import Signature, bits_in

_MOST_MESSAGE = 1 << 20  # bytes of an answer that is no result
_MOST_HEADER = 1 << 14  # bytes of a file of ciphertexts beside themselves
_LONGEST_KEY = 1.01  # ciphertexts of a key may be so much longer than the typical ones of its group
_PAUSES = (0.05, 1.0)  # between looks at a job, in seconds: the first, and the longest


class Remote:
    """A server, for one client.

    The server is not trusted: answers are limited in size, and a result is read with all checks of a file of
    ciphertexts of your key. Whether its bits are right, you see after decryption.
    """

    def __init__(self, url: str, token: str, *, timeout: float = 600, tls: Any = None) -> None:
        """`token` is the secret part of the token that the server has for you, or the whole line of its file; `tls`
        an ssl.SSLContext for an address of https with a certificate of its own."""
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise InvalidArgument(f"{url!r} is no address of a server: write http://host:port")
        words = token.strip().split(" ")  # a line of a token file is a name, the token, and limits
        if not all(re.fullmatch(r"[!-~]+", word) for word in words):
            raise InvalidArgument("a token is a word of printable characters")
        secret = words[0] if len(words) == 1 else words[1]
        self._url = url.rstrip("/")
        self._authorization = f"Bearer {secret}"
        self._timeout = timeout
        self._opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=tls), _NoRedirect())

    def submit(self, circuit: Circuit | str, *inputs: Ciphertext, label: str | None = None) -> Job:
        """Has the server compute a circuit, or one of its own by its name, on encrypted numbers: one for each input.

        Sends what the server does not have yet: the public key, the circuit, the numbers. The server keeps a circuit
        that is sent under its digest, and shows `label`, at most 64 characters of ASCII, to whoever lists it.
        """
        if not inputs or not all(isinstance(value, Ciphertext) for value in inputs):
            raise TypeError("a server computes on ciphertexts, at least one")
        key = inputs[0].key
        if any(value.key != key for value in inputs):
            raise WrongKey("the inputs are of different keys")
        name, signature = self._sent_circuit(circuit, label)
        if [bits_in(value.kind) for value in inputs] != [bits_in(kind) for kind in signature.inputs]:
            raise InvalidArgument(f"the circuit takes {list(signature.inputs)}, not {[value.kind for value in inputs]}")
        key_id = self._sent_key(key)
        files = [self._sent(f"/v1/keys/{key_id}/ciphertexts", value.to_bytes(), "id") for value in inputs]
        job = self._ask("/v1/jobs", json.dumps({"key": key_id, "circuit": name, "inputs": files}).encode())
        return Job(self, _text(job, "id"), key, signature, any(value.in_slots for value in inputs))

    def run(self, circuit: Circuit | str, *inputs: Ciphertext) -> Any:
        """The results of a job. It is cancelled when this call is interrupted; see Job for one that goes on."""
        job = self.submit(circuit, *inputs)
        try:
            return job.result()
        except BaseException as reason:
            if not isinstance(reason, Error):
                job.cancel()
            raise

    def circuits(self) -> list[dict[str, Any]]:
        """The circuits that the server has for you."""
        return _list(self._ask("/v1/circuits"), "circuits")

    def jobs(self) -> list[dict[str, Any]]:
        """Your jobs."""
        return _list(self._ask("/v1/jobs"), "jobs")

    def health(self) -> dict[str, Any]:
        """Whether the server is well, and how busy."""
        return self._ask("/v1/health")

    def _sent_circuit(self, circuit: Circuit | str, label: str | None) -> tuple[str, Signature]:
        if isinstance(circuit, Circuit):
            text = circuit.netlist.to_bristol().encode()
            query = {"format": "bristol"} | ({} if label is None else {"label": label})
            return self._sent("/v1/circuits?" + urllib.parse.urlencode(query), text, "name"), circuit.tracing
        if label is not None:
            raise InvalidArgument("a label is for a circuit that is sent, and this is one of the server's")
        name = urllib.parse.quote(circuit, safe="")
        facts = self._ask(f"/v1/circuits/{name}")
        ins, outs = ([_width(word) for word in _list(facts, side)] for side in ("inputs", "outputs"))
        return circuit, Signature(kinds_of(ins), kinds_of(outs), len(outs) > 1)

    def _sent_key(self, key: _core.PublicKey) -> str:
        key_id = key.id.hex()
        known = _list(self._ask("/v1/keys"), "keys")
        if not any(_text(entry, "id") == key_id for entry in known):
            self._ask("/v1/keys", key.to_bytes())
        return key_id

    def _sent(self, path: str, data: Any, member: str) -> str:
        return _name(_text(self._ask(path, data), member))

    def _ask(self, path: str, data: Any = None) -> dict[str, Any]:
        answer = self._bytes(path, data, _MOST_MESSAGE)
        try:
            value = json.loads(answer)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise MalformedFile("the server's answer is no JSON object: is this fhe-outsource?")
        return value

    def _bytes(self, path: str, data: Any, most: int, method: str | None = None) -> bytes:
        """The body of a good answer, of at most so many bytes."""
        headers = {"Authorization": self._authorization}
        if data is not None:
            headers["Content-Type"] = "application/octet-stream"
        body: Any = None if data is None else memoryview(data)
        request = urllib.request.Request(self._url + path, body, headers, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return _limited(answer, most)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise _refused(refusal.code, _limited(refusal, _MOST_MESSAGE)) from None
        except (OSError, http.client.HTTPException) as lost:
            raise InputOutputError(f"no answer from the server {self._url}: {lost}") from lost


class Job:
    """What a server computes, or has computed, for you."""

    def __init__(self, remote: Remote, name: str, key: _core.PublicKey, signature: Signature, in_slots: bool) -> None:
        self.id = _name(name)
        self._remote = remote
        self._key = key
        self._signature = signature
        self._in_slots = in_slots

    def status(self) -> dict[str, Any]:
        """What the server says: `state` (queued, running, done, failed, cancelled), `fraction`, `recryptions`, ..."""
        return self._remote._ask(f"/v1/jobs/{self.id}")

    def wait(self) -> dict[str, Any]:
        """Waits for the end of the job, tells `fhe.progress` how far it is, and returns the last status."""
        pause, longest = _PAUSES
        while True:
            status = self.status()
            callback = _core.progress.get()
            if callback is not None:
                callback("job", _fraction(status))
            if _text(status, "state") not in ("queued", "running"):
                return status
            time.sleep(pause)
            pause = min(2 * pause, longest)

    def result(self) -> Any:
        """Waits, and returns the encrypted results."""
        status = self.wait()
        if _text(status, "state") != "done":
            raise Unsupported(f"the job is {_text(status, 'state')}: {status.get('error') or 'no reason is given'}")
        expected = sum(bits_in(kind) for kind in self._signature.outputs)
        ciphertext = self._key.parameters.sizes["ciphertext_bytes"]
        most = _MOST_HEADER + math.ceil(expected * ciphertext * _LONGEST_KEY)
        data = self._remote._bytes(f"/v1/jobs/{self.id}/result", None, most)
        bits = _core.Ciphertexts.load(data, self._key)
        if len(bits) != expected:
            raise MalformedFile(f"the result holds {len(bits)} bits instead of {expected}")
        return self._signature.results(
            lambda kind, first, end: Ciphertext(self._key, kind, bits.take(range(first, end)), self._in_slots)
        )

    def cancel(self) -> None:
        """Stops it."""
        self._remote._bytes(f"/v1/jobs/{self.id}/cancel", b"", _MOST_MESSAGE)

    def forget(self) -> None:
        """Has the server remove it, once it is finished, and its result."""
        self._remote._bytes(f"/v1/jobs/{self.id}", None, _MOST_MESSAGE, "DELETE")

    def __repr__(self) -> str:
        return f"<fhe.Job {self.id}>"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Nobody else gets the token."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _limited(answer: IO[bytes], most: int) -> bytes:
    data = answer.read(most + 1)
    if len(data) > most:
        raise MalformedFile(f"the server sends more than the {most} bytes that its answer can have")
    if getattr(answer, "length", 0):
        raise InputOutputError("the server's answer ends early")
    return data


def _refused(status: int, body: bytes) -> Error:
    try:
        error = json.loads(body)["error"]
        code, message = str(error["code"]), str(error["message"])
    except (ValueError, KeyError, TypeError):
        return Unsupported(f"the server answers {status}")
    known = code in _core.error_codes()
    return error_of(code if known else "unsupported", f"the server answers {status}: {message}")


def _text(value: Any, member: str) -> str:
    found = value.get(member) if isinstance(value, dict) else None
    if not isinstance(found, str):
        raise MalformedFile(f"the server's answer has no text {member!r}")
    return found


def _name(text: str) -> str:
    """What the server calls things becomes part of addresses."""
    if not re.fullmatch(r"[0-9A-Za-z._-]{1,255}", text):
        raise MalformedFile("the server's answer gives a name that is none")
    return text


def _list(value: dict[str, Any], member: str) -> list[dict[str, Any]]:
    found = value.get(member)
    if not isinstance(found, list):
        raise MalformedFile(f"the server's answer has no list {member!r}")
    return found


def _width(word: Any) -> int:
    width = word.get("width") if isinstance(word, dict) else None
    if type(width) is not int or not 0 < width < 1 << 31:
        raise MalformedFile("the server's answer has a word without a width")
    return width


def _fraction(status: dict[str, Any]) -> float:
    fraction = status.get("fraction")
    return float(fraction) if isinstance(fraction, (int, float)) else 0.0
