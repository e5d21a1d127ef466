# SPDX-License-Identifier: Apache-2.0
"""Works with the page of apps/outsource as a person does, in Chromium: sends a key and circuits, submits jobs, follows
them, downloads a result, cancels and removes.

    outsource_page.py URL TOKEN FOLDER [PICTURES]

FOLDER has keys/public.fhe, keys/secret.fhe, x.fhe (64 bits), bit.fhe (1 bit), add64.txt and chain.blif; the first result
that is done is left there as result.fhe. With PICTURES, a folder, the page is drawn: light, dark and narrow.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

_EVIL = "<img src=x onerror=document.title=1>"
_PATIENCE = 60  # seconds for anything that is to come


class Browser:
    """A tab of a headless Chromium, by the DevTools protocol: messages of JSON over a pair of pipes."""

    def __init__(self, profile: str) -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]  # fmt: skip

        def place_pipes() -> None:  # Chromium reads from 3 and writes to 4
            kept_in, kept_out = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(kept_in, 3)
            os.dup2(kept_out, 4)

        self._process = subprocess.Popen(command, close_fds=False, preexec_fn=place_pipes, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out = ours_in, ours_out
        self._bytes = b""
        self._number = 0
        self._session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def call(self, method: str, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _next(self):
        while b"\0" not in self._bytes:
            piece = os.read(self._in, 1 << 16)
            if not piece:
                raise AssertionError("the browser has ended")
            self._bytes += piece
        text, self._bytes = self._bytes.split(b"\0", 1)
        return json.loads(text)

    def value(self, expression: str):
        """What an expression of JavaScript gives in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        end = time.monotonic() + _PATIENCE
        while not self.value(expression):
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {expression}: {self.value('document.body.innerText')}")
            time.sleep(0.05)

    def click(self, expression: str) -> None:
        self.until(f"!!({expression})")
        self.value(f"({expression}).click()")

    def choose_file(self, selector: str, path: pathlib.Path) -> None:
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def choose(self, selector: str, text: str) -> None:
        """The option of a choice that has this text in it."""
        option = f"[...document.querySelector('{selector}').options].find(o => o.text.includes({json.dumps(text)}))"
        self.until(f"!!{option}")
        self.value(f"""(select => {{ select.value = {option}.value; select.dispatchEvent(new Event('change')); }})
                       (document.querySelector('{selector}'))""")

    def posts(self) -> int:
        """How many POST requests there were."""
        self.value("0")
        requests = (e["params"]["request"] for e in self.events if e.get("method") == "Network.requestWillBeSent")
        return sum(request["method"] == "POST" for request in requests)

    def require_no_trouble(self) -> None:
        """Neither exceptions, nor anything that the policy of the page forbids."""
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                raise AssertionError(event["params"]["exceptionDetails"])
            entry = event["params"]["entry"] if event.get("method") == "Log.entryAdded" else {}
            if entry.get("source") in ("security", "violation", "javascript"):
                raise AssertionError(entry["text"])


def _form(name: str, part: str) -> str:
    return f"document.querySelector('#{name} {part}')"


def _send(page: Browser, form: str, file: pathlib.Path) -> None:
    page.choose_file(f"#{form} input[type=file]", file)
    page.click(_form(form, "button"))
    page.until(f"!{_form(form, 'button')}.disabled")


def _trouble(page: Browser, form: str) -> str:
    return page.value(f"{_form(form, '.error')}.textContent")


def _send_key(page: Browser, folder: pathlib.Path) -> None:
    before = page.posts()
    _send(page, "add-key", folder / "keys/secret.fhe")
    assert "it stays here" in _trouble(page, "add-key"), _trouble(page, "add-key")
    assert page.posts() == before, "a secret key was sent"
    _send(page, "add-key", folder / "add64.txt")
    assert "not a file of keys" in _trouble(page, "add-key"), _trouble(page, "add-key")
    _send(page, "add-key", folder / "keys/public.fhe")
    assert _trouble(page, "add-key") == "", _trouble(page, "add-key")
    page.until("document.getElementById('key').value.length === 64")


def _send_circuit(page: Browser, file: pathlib.Path, label: str) -> None:
    page.value(f"document.getElementById('circuit-label').value = {json.dumps(label)}")
    _send(page, "add-circuit", file)
    assert _trouble(page, "add-circuit") == "", _trouble(page, "add-circuit")
    page.until(f"document.getElementById('circuit').selectedOptions[0].text.startsWith({json.dumps(label or file.name)})")


def _first_card(part: str) -> str:
    return f"document.querySelector('#jobs article:first-child {part}')"


def _button(text: str, place: str = "#jobs article:first-child") -> str:
    return f"[...document.querySelectorAll('{place} button')].find(b => b.textContent === '{text}')"


def _submit(page: Browser) -> None:
    jobs = page.value("cards.size")
    page.click(_form("order", "button"))
    page.until(f"!{_form('order', 'button')}.disabled")
    assert _trouble(page, "order") == "", _trouble(page, "order")
    page.until(f"cards.size === {jobs + 1}")


def _until_state(page: Browser, state: str) -> None:
    page.until(f"{_first_card('.chip')}.textContent === '{state}'")


def _add(page: Browser, folder: pathlib.Path) -> None:
    _send_circuit(page, folder / "add64.txt", _EVIL)
    page.until("words.length === 2")
    assert "64 + 64 bits in, 64 out" in page.value("document.getElementById('facts').textContent")
    page.choose_file("#file-0", folder / "bit.fhe")
    page.choose_file("#file-1", folder / "x.fhe")
    page.click(_form("order", "button"))
    page.until(f"!{_form('order', 'button')}.disabled")
    assert "holds 1 bits" in _trouble(page, "order"), _trouble(page, "order")
    assert "x.fhe" in page.value("document.getElementById('input-1').selectedOptions[0].text")
    page.choose("#input-0", "x.fhe")  # which the server has by now
    _submit(page)
    _until_state(page, "done")
    assert page.value(f"{_first_card('.name')}.textContent") == _EVIL
    assert page.value(f"{_first_card('.percent')}.textContent") == "100 %"
    assert page.value("document.images.length") == 0 and page.value("document.title") == "fhe outsource"


def _download(page: Browser, folder: pathlib.Path) -> None:
    job = page.value(f"{_first_card('code')}.textContent.split(' ')[1]")
    page.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    page.click(_button("Download"))
    end = time.monotonic() + _PATIENCE
    while not (folder / f"result-{job}.fhe").exists():
        assert time.monotonic() < end, "the result does not come"
        time.sleep(0.05)
    (folder / f"result-{job}.fhe").rename(folder / "result.fhe")


def _cancel(page: Browser, folder: pathlib.Path) -> None:
    _send_circuit(page, folder / "chain.blif", "")
    page.until("words.length === 2")
    page.choose_file("#file-0", folder / "bit.fhe")
    page.choose_file("#file-1", folder / "bit.fhe")
    _submit(page)
    page.click(_button("Cancel"))
    _until_state(page, "cancelled")
    jobs = page.value("cards.size")
    page.click(_button("Remove"))
    page.until(f"cards.size === {jobs - 1}")


def _remove(page: Browser, place: str, text: str) -> None:
    """From a table, by a button that asks again."""
    rows = f"[...document.querySelectorAll('#{place} tr')].filter(row => row.cells[0].textContent === {json.dumps(text)})"
    button = f"{rows}[0]?.querySelector('button')"
    page.until(f"{rows}.length === 1")
    page.click(button)
    page.until(f"({button})?.textContent === 'Really?'")
    page.click(button)
    page.until(f"{rows}.length === 0")


def _draw(page: Browser, pictures: pathlib.Path | None, name: str, width: int, scheme: str) -> None:
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    assert page.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), f"{name}: wider than the window"
    if pictures:
        picture = page.call("Page.captureScreenshot", captureBeyondViewport=True)
        (pictures / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))
    page.call("Emulation.clearDeviceMetricsOverride")


def main(url: str, token: str, folder: pathlib.Path, pictures: pathlib.Path | None) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        page = Browser(profile)
        try:
            page.call("Page.navigate", url=f"{url}/#token={token}")
            page.until("document.getElementById('status')?.textContent === 'live'")
            assert token not in page.value("location.href"), "the token stays in the address"
            _send_key(page, folder)
            _add(page, folder)
            _download(page, folder)
            for name, width, scheme in [("light", 1000, "light"), ("dark", 1000, "dark"), ("narrow", 360, "light")]:
                _draw(page, pictures, name, width, scheme)
            _cancel(page, folder)
            _remove(page, "circuits", "chain.blif")
            _remove(page, "circuits", _EVIL)
            _remove(page, "keys", "cnt-mini")
            page.click("document.getElementById('leave')")
            page.until("document.getElementById('content').hidden && sessionStorage.length === 0")
            page.require_no_trouble()
        finally:
            page.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None)
