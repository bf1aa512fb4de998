"""The records of a run file, and their bodies: compressed, with a digest that is checked."""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

import zstandard
from pydantic import Field

from deepassay.errors import BadRow, BadRunFile, NotKept
from deepassay.files import without_surrogates
from deepassay.score import Json, canonical_json, digest, strict_json


@dataclass(frozen=True)
class StoredAnswer:
    """The raw answer to one question, or its final failure (`cause`), kept for replay.

    batched: it came in a batch.
    """

    key: str
    operation: str
    model: str
    repeat: int
    prompt_digest: str
    raw: str
    cause: str | None = None
    detail: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    cost: float | None = None
    served_model: str | None = None
    finish_reason: str | None = None
    attempts: int = 1
    repaired: bool = False
    batched: bool = False


MOST_USD: Final = 1e9
"""Of one call, far more than any costs."""

Amount = Annotated[float, Field(ge=0, le=MOST_USD, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=2**53)]


@dataclass(frozen=True)
class Attempt:
    """One request: what kind of end it came to, how long it took (seconds), its cost (USD).

    Its record is written anew as more becomes known; `id` says that it is the same request.
    """

    key: str
    number: Count
    kind: str
    status: Count | None = None
    detail: str = ""
    seconds: Amount = 0.0
    usage: dict[str, Count] = field(default_factory=dict)
    cost: Amount | None = None
    body_digest: str | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(8))

    def row(self) -> tuple[str, list[Json]]:
        """The statement that writes it, in place of what was known of it before."""
        # SQLite's text cannot hold lone surrogates, which an error message may quote.
        detail = without_surrogates(self.detail)
        values = vars(self) | {"usage": canonical_json(self.usage), "detail": detail}
        return "REPLACE INTO attempts VALUES(?,?,?,?,?,?,?,?,?,?)", list(values.values())


@dataclass(frozen=True)
class SentBack:
    """An answer that was sent back with the reason, and the requests that brought it."""

    text: str
    finish: Literal["stop", "length", "refusal"]
    served_model: str
    attempts: Annotated[tuple[Attempt, ...], Field(min_length=1)]


@dataclass(frozen=True)
class StoredReport:
    """A report as it was when the run began. `sample`: which of several answers, from 1."""

    agent: str
    task: str
    sample: int
    text: str


DAMAGED: Final = "damaged"
"""The failure of a capture whose text was kept and cannot be read any more. It is never stored."""


RENAMED_ATTEMPTS: Final = {"doubtful": "sent_back"}
"""Kinds of attempts that earlier versions kept under another name: today a page is doubtful."""

RENAMED: Final = {"dead": "gone"}
"""Failures of captures, and ends of cited pairs, that earlier versions kept under another name."""


@dataclass(frozen=True)
class Capture:
    """What came of reading one address once: a page, or a failure and its kind.

    url: canonical, as asked for. fetched: UTC, ISO 8601. reader: who read it. final_url: where
    redirects led. media: the content type as served. text: what the page says, in Markdown or
    plain. body: as served, without the encodings of the transport. failure: None for a page.
    detail: why there is no page, or why the text may not be it.
    reading: the version of the rules by which text and failure were told; earlier ones told fewer
    failures, and named none.
    """

    url: str
    fetched: str
    reader: str
    final_url: str = ""
    status: int | None = None
    media: str = ""
    title: str = ""
    text: str | None = None
    body: bytes | None = None
    failure: str | None = None
    detail: str = ""
    reading: str = ""

    @property
    def is_doubtful(self) -> bool:
        """Whether there is a text of which nobody knows that it is the page."""
        return self.failure is None and bool(self.detail)

    @cached_property
    def id(self) -> str:
        """Sixteen hexadecimal characters that name what was captured, the same everywhere."""
        about = {name: value for name, value in vars(self).items() if name not in ("body", "id")}
        body = None if self.body is None else hashlib.sha256(self.body).hexdigest()
        return digest(about | {"body": body})[:16]


@dataclass(frozen=True)
class StoredVerdict:
    """What one judge says of one statement and one page; shared by all who ask it.

    key: of statement, page, judge, prompt and repeat. verdict: supported, unsupported or
    unknown. quote: verbatim from the page. answer: the key of the exchange it was given in.
    A row `failed`, under a key of its own, tells in place of the quote, as a JSON list, with which
    statements together one was asked when no verdict came of it.
    """

    key: str
    statement: str
    page: str
    judge: str
    verdict: str
    quote: str
    answer: str


class End(NamedTuple):
    """How a case came to an end. cause: None for a score. open: something in it is unscored.

    A score is open if a judge of its panel came to none, or if its details say that it is.
    again: it may come out otherwise if it is tried again: it is open, or rests on a page that is
    gone.
    """

    cause: str | None
    open: bool
    again: bool

    @property
    def mark(self) -> int:
        """How the run file writes it: 1 for open, 2 for what is only worth another try, or 0."""
        return 1 if self.open else 2 * self.again


@dataclass(frozen=True)
class StoredScore:
    """One outcome (`score.to_json`) of a protocol for a report, with its signature."""

    key: str
    protocol: str
    agent: str
    task: str
    sample: int
    repeat: int
    outcome: dict[str, Json]
    identity: dict[str, Json]
    record: dict[str, Json]

    @property
    def place(self) -> tuple[str, str, str, int, int]:
        """Protocol, agent, task, sample and repeat."""
        return self.protocol, self.agent, self.task, self.sample, self.repeat

    @property
    def end(self) -> End:
        """How the case came to an end."""
        cause = self.outcome.get("cause")
        is_open = cause is not None or _says(self.outcome, "open")
        return End(cause, is_open, is_open or _says(self.outcome, "again"))


def _says(outcome: dict[str, Json], what: str) -> bool:
    """Whether the details of a score, or of a judge's, say so; a judge without one says all."""
    details = outcome.get("details", {})
    judges = details.get("judges")  # what is none of a run is named where its shape is checked
    return details.get(what) is True or any(
        "cause" in each or _says(each, what)
        for each in (judges.values() if isinstance(judges, dict) else ())
        if isinstance(each, dict)
    )


MOST_TOLD: Final = 5
"""Rows of a file that are named when they are passed over; of more it is said that there are."""

LARGEST_BODY: Final = 256 * 1024 * 1024
"""Bytes of a body before it is packed: no larger one is written, and none is read."""


def torn(path: Path, what: str) -> BadRunFile:
    """The error for a damaged file."""
    return BadRunFile(
        f"{path}: the run file is damaged ({_on_one_line(what)}). It was not touched.",
        "Restore it from a copy, or start anew with another --run FILE. As far as SQLite can read "
        "it, `deepassay replay FILE` names all of it that is damaged.",
    )


def same_run(path: Path, other: Path, remedy: str = "Give each run once.") -> BadRunFile:
    """The error for a run that is given twice: a file and its copies are one, whatever came since.

    remedy: what to give instead.
    """
    problem = f"{path} and {other} are the same run"
    if path.samefile(other):
        return BadRunFile(f"{problem}.", remedy)
    return BadRunFile(
        f"{problem}: one is a copy of the other, or both of one file, though they may have gone on "
        "apart.",
        f"{remedy} What is to count apart is scored into files of its own: --run NEW, with "
        "--snapshots FILE for the pages.",
    )


def bad_row(path: Path, what: str) -> BadRow:
    """The error for a row that is damaged, or that no run would have written."""
    return BadRow(
        f"{path}: the run file is damaged ({_on_one_line(what)}). It was not touched.",
        "Restore it from a copy, or ask whoever made it for another one; `deepassay replay FILE` "
        "names every row that is damaged.",
    )


def _on_one_line(what: str) -> str:
    """Words that may quote what stands in the file."""
    shown = " ".join(what.split())
    return shown if len(shown) <= 300 else f"{shown[:300]} …"


class Body(NamedTuple):
    """JSON among the values of a statement; it fills two columns, as `Bodies.pack` gives them.

    value: or what gives it when it is written.
    """

    value: Json | Callable[[], Json]


class Bodies:
    """Packs and unpacks the bodies of one file, in one thread: JSON, texts and bytes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pack = zstandard.ZstdCompressor(level=3)
        self._unpack = zstandard.ZstdDecompressor()

    def pack(self, value: Json) -> tuple[bytes, str]:
        """Compressed JSON and the digest of its text. Raises NotKept as `pack_bytes` does."""
        return self.pack_bytes(to_bytes(self.spelled(value)))

    def spelled(self, value: Json) -> str:
        """The JSON of a value as it is kept. Raises NotKept for what has none."""
        try:
            try:
                return strict_json(value)
            except ValueError:  # JSON has no NaN and nothing infinite; what was told so is null
                return canonical_json(without_nan(value))
        except RecursionError:
            raise self._not_kept("it is nested too deep") from None
        except (TypeError, ValueError) as error:  # an object of a library, a number of 5,000 digits
            raise self._not_kept(f"it is no JSON ({error})") from None

    def columns(self, values: Sequence[Any]) -> Iterator[Any]:
        """The values of a statement, with what bodies among them are packed into."""
        for value in values:
            if isinstance(value, Body):
                yield from self.pack(value.value() if callable(value.value) else value.value)
            else:
                yield value

    def unpack(self, name: str, body: bytes, sha256: str) -> Json:
        """What `pack` was given; raises BadRow, naming the row, if it is not that."""
        return self.parsed(name, self.unpack_bytes(name, body, sha256))

    def parsed(self, name: str, content: bytes | str) -> Json:
        """The JSON of a row. Raises BadRow, naming the row, for what is none."""
        try:
            text = content if isinstance(content, str) else to_text(content)
            return _JSON.decode(text)
        except (ValueError, RecursionError) as error:
            why = "nested too deep" if isinstance(error, RecursionError) else error
            raise bad_row(self._path, f"{name} is no JSON: {why}") from None

    def pack_bytes(self, content: bytes) -> tuple[bytes, str]:
        """Compressed bytes and their digest. Raises NotKept for what could not be read back."""
        if len(content) > LARGEST_BODY:
            raise self._not_kept(f"it has {len(content):,} bytes, and {LARGEST_BODY:,} can be read")
        return self._pack.compress(content), hashlib.sha256(content).hexdigest()

    def unpack_bytes(self, name: str, body: bytes, sha256: str) -> bytes:
        """What `pack_bytes` was given; raises BadRow, naming the row, if it is not that."""
        try:
            # A frame states its size and the library believes it: look before unpacking.
            size = zstandard.frame_content_size(body)
            if size > LARGEST_BODY:
                raise bad_row(self._path, f"{name} claims to be {size} bytes long")
            content = self._unpack.decompress(body)
        except (zstandard.ZstdError, TypeError) as error:  # TypeError: there is no body
            raise bad_row(self._path, f"{name} cannot be read") from error
        if hashlib.sha256(content).hexdigest() != sha256:
            raise bad_row(self._path, f"{name} is not what was written")
        return content

    def _not_kept(self, why: str) -> NotKept:
        return NotKept(
            f"{self._path}: a record was not written: {why}.",
            "What was kept before it stays. Please report what it came from.",
        )


def _refused(constant: str) -> Json:
    raise ValueError(f"{constant} is no number of JSON")


_JSON: Final = json.JSONDecoder(parse_constant=_refused)
"""Made once: `json.loads` would make one for every row."""


def without_nan(value: Json) -> Json:
    """A value of JSON with null in place of every number that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: without_nan(each) for name, each in value.items()}
    return [without_nan(each) for each in value] if isinstance(value, list | tuple) else value


def to_bytes(text: str) -> bytes:
    """A text as it is stored: UTF-8, and lone surrogates as they are."""
    return text.encode("utf-8", "surrogatepass")


def to_text(content: bytes) -> str:
    """What `to_bytes` was given."""
    return content.decode("utf-8", "surrogatepass")
