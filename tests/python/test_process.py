# SPDX-License-Identifier: Apache-2.0
"""The process that the package is in: copies of the library, with which it shares GMP, come and go."""

import os
import subprocess
import sys

import pytest

SHARED = os.environ.get("FHE_SHARED_PATH", "")

COPIES = """
import _ctypes, ctypes, sys, threading

def open_and_close():
    _ctypes.dlclose(ctypes.CDLL(sys.argv[1])._handle)

for _ in range(3):
    open_and_close()
thread = threading.Thread(target=open_and_close)
thread.start()
thread.join()

import numpy as np
import fhe

keys = fhe.keygen("cnt-mini", test_seed="copies")
def answer():
    return int(keys.decrypt(keys.encrypt(np.uint8(20)) + 1))

before = answer()
copy = ctypes.CDLL(sys.argv[1])
beside = answer()
_ctypes.dlclose(copy._handle)
print(before, beside, answer())
"""


@pytest.mark.skipif(not os.path.exists(SHARED), reason="there is no shared libfhe")
def test_copies_of_the_library_come_and_go():
    run = subprocess.run([sys.executable, "-c", COPIES, SHARED], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "21 21 21\n"), run.stderr
