"""Few draws for tests that hold figures of people against plain code, and no interval."""

import pytest


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of them: in these tests most of the time goes to intervals, which others are on."""
    for module in ("consistency", "labels", "rubric_labels", "verdicts"):
        monkeypatch.setattr(f"deepassay.wings.people.agreement.{module}.FEWER_DRAWS", 99)
    monkeypatch.setattr("deepassay.wings.people.calibration.calibrate.FEWER_DRAWS", 99)
