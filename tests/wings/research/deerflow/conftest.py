"""The bundled corpus, and a run file in which the research agent answers over it."""

from __future__ import annotations

import pytest

from tests.wings.research.deerflow.scripted import laboratory


@pytest.fixture
def corpus(repository):
    return repository / "examples" / "demo" / "research" / "corpus"


@pytest.fixture
def lab(tmp_path, corpus):
    with laboratory(tmp_path, corpus) as made:
        yield made
