"""An operation that is asked in every test of this room, and what it is asked about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import pytest
import trustme

from deepassay.models.operation import Inputs, OffMenu, Operation, Reply, Trusted
from deepassay.runfile import RunFile

GOOD = '{"verdict": "supported", "score": 7}'


class Question(Inputs):
    report: str
    items: tuple[str, ...] = ()
    date: Annotated[str, Trusted] = "2026-11-20"


class Verdict(Reply):
    verdict: Literal["supported", "unsupported"]
    score: int


def by_length(question: Question) -> Verdict:
    return Verdict(verdict="supported", score=len(question.report) % 10)


def in_range(question: Question, verdict: Verdict) -> None:
    if not 0 <= verdict.score <= 10:
        raise OffMenu(f"score must be from 0 to 10, not {verdict.score}")


@pytest.fixture(scope="session")
def operation(tmp_path_factory: pytest.TempPathFactory) -> Operation[Question, Verdict]:
    folder: Path = tmp_path_factory.mktemp("prompts")
    (folder / "judge.en.md").write_text(
        "{{report}}\n\n---\n\nIs it supported? Today is {{date}}.\n\n{{items}}\n"
    )
    (folder / "judge.zh.md").write_text(
        "{{report}}\n\n---\n\n是否有依据？今天是 {{date}}。\n\n{{items}}\n"
    )
    return Operation(
        "judge", prompts=folder, takes=Question, gives=Verdict, offline=by_length, check=in_range
    )


@pytest.fixture
def run() -> Iterator[RunFile]:
    with RunFile.in_memory() as run:
        yield run


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("authority") / "one.pem"
    trustme.CA().cert_pem.write_to_path(str(file))
    return file


@pytest.fixture
def one_authority(authority: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that trusts one authority: Google's library reads all twice for every client."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
