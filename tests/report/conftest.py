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
def read(tmp_path_factory):
    """read(data, ...) for the JSON of files, of which the last one counts."""

    def make(*files):
        folder = tmp_path_factory.mktemp("study")
        paths = [folder / f"{i}.json" for i in range(len(files))]
        for path, data in zip(paths, files):
            path.write_text(json.dumps(data))
        return study.read(*map(str, paths))

    return make


@pytest.fixture(scope="session")
def document_of(published, read):
    """document_of(data, before) for the JSON of studies."""

    def make(data, before=None):
        return Report(read(data), published, read(before) if before else None).document()

    return make


@pytest.fixture(scope="session")
def small(document_of):
    return document_of(studies.with_small_group(), studies.small_study())


@pytest.fixture(scope="session")
def hostile(document_of):
    return document_of(studies.hostile_study(), studies.hostile_study())
