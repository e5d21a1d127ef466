# SPDX-License-Identifier: Apache-2.0
"""Documents of studies, drawn once each."""

import json
from pathlib import Path

import pytest
import studies
import study
from published import Published
from sections import Report

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def published():
    return Published(ROOT / "params" / "published.toml")


@pytest.fixture(scope="session")
def document_of(published, tmp_path_factory):
    """document_of(data, before) for the JSON of studies."""

    def read(data):
        path = tmp_path_factory.mktemp("study") / "study.json"
        path.write_text(json.dumps(data))
        return study.read(str(path))

    def make(data, before=None):
        return Report(read(data), published, read(before) if before else None).document()

    return make


@pytest.fixture(scope="session")
def small(document_of):
    return document_of(studies.with_small_group(), studies.small_study())


@pytest.fixture(scope="session")
def hostile(document_of):
    return document_of(studies.hostile_study(), studies.hostile_study())
