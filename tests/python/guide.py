# SPDX-License-Identifier: Apache-2.0
"""The sessions that the guide, apps/python/README.md, shows."""

import re
from pathlib import Path

_GUIDE = Path(__file__).parents[2] / "apps" / "python" / "README.md"


def blocks_of_guide():
    """Its blocks of Python, in their order."""
    blocks = re.findall(r"^```python\n(.*?)^```", _GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 6
    return blocks


def promised_by(block):
    """The lines that a block prints, as its comments say."""
    return re.findall(r"# prints (.*)$", block, re.M)
