"""What is read off a text is kept for all tests of this room."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import pytest

from deepassay.reports import report


@pytest.fixture(scope="package", autouse=True)
def texts_are_read_once() -> Iterator[None]:
    """Audits and changes of the same reports are made anew by every test, more than are kept."""
    with pytest.MonkeyPatch.context() as patch:
        kept = lru_cache(maxsize=500)(report._read_off.__wrapped__)
        patch.setattr(report, "_read_off", kept)
        yield
