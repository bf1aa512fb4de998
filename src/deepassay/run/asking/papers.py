"""Titles of papers by their identifiers: out of a file, or from the registries of DOIs.

Registries are asked only where the user wants it. They learn which identifiers a report names, and
nothing else; an answer is kept among the pages and not asked for again.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from deepassay.errors import BadSetting
from deepassay.files import BadFile
from deepassay.intake.tables import read_tables
from deepassay.reports.papers import identifier_in
from deepassay.runfile import RunFile
from deepassay.sources.page import NoPage, Page
from deepassay.sources.snapshots import Snapshots

CROSSREF: Final = "https://api.crossref.org/works/"
DATACITE: Final = "https://api.datacite.org/dois/"
"""Where arXiv registers its papers."""

DEADLINE: Final = 30.0
AT_ONCE: Final = 4
"""Requests at the same time: registries ask for few."""

_TITLE: Final = re.compile(r"^title: (.+)$", re.MULTILINE)
_HEADS: Final = ("doi", "arxiv", "arxiv_id", "id", "identifier")


def titles_of_file(path: Path) -> dict[str, str]:
    """Titles by identifier of a table with columns `doi` (or `arxiv`, `id`) and `title`.

    JSON Lines as Crossref publishes its works can be taken as they are. Raises BadSetting.
    """
    try:
        rows = [row for table in read_tables(path).values() for row in table]
    except OSError as error:
        raise BadSetting(
            f"--papers {path}: cannot be read ({error.strerror}).", "Check the name."
        ) from error
    except BadFile as error:
        raise BadSetting(f"--papers {path}: {error.problem}.", error.remedy) from error
    found = {}
    for row in rows:
        named = {name.strip().lower(): value for name, value in row.fields.items()}
        title = named.get("title")
        title = next(iter(title), "") if isinstance(title, list) else title
        identifier = next((str(named[head]).strip() for head in _HEADS if named.get(head)), "")
        if isinstance(title, str) and title.strip() and identifier:
            found[_spelled(identifier)] = title.strip()
    if not found:
        raise BadSetting(
            f"--papers {path}: no row has an identifier and a title.",
            f"Give a table with columns title and one of {', '.join(_HEADS)}.",
        )
    return found


def _spelled(identifier: str) -> str:
    if re.fullmatch(r"\d{4}\.\d{4,5}(?:v\d+)?", identifier):
        return f"arxiv:{identifier.partition('v')[0]}"
    return identifier_in(identifier) or identifier.lower()


def registered_titles(
    identifiers: Iterable[str],
    snapshots: Path,
    *,
    registries: tuple[str, str] = (CROSSREF, DATACITE),
    allow_hosts: Collection[str] = (),
) -> dict[str, str | None]:
    """The title that is registered under each identifier, None where no answer says one.

    snapshots: where answers are kept. registries: where DOIs and arXiv numbers are looked up.
    """
    wanted = {each: _address(each, *registries) for each in dict.fromkeys(identifiers)}
    with RunFile.share(snapshots) as run:
        return asyncio.run(_ask(wanted, run, allow_hosts))


def _address(identifier: str, crossref: str, datacite: str) -> str:
    if identifier.startswith("arxiv:"):
        return f"{datacite}10.48550/arXiv.{identifier.removeprefix('arxiv:')}"
    return crossref + quote(identifier, safe="/")


async def _ask(
    wanted: Mapping[str, str], run: RunFile, allow_hosts: Collection[str]
) -> dict[str, str | None]:
    from deepassay.run.asking.page_readers import open_reader  # loads what the network needs

    room = asyncio.Semaphore(AT_ONCE)
    async with open_reader(
        "direct", allow_hosts=allow_hosts, deadline=DEADLINE, connections=AT_ONCE
    ) as reader:
        kept, pages = Snapshots(run.captures), Snapshots(run.captures, None, reader, retry=True)

        async def title_at(url: str) -> str | None:
            if title := _title(await kept.get(url)):
                return title
            async with room:
                return _title(await pages.get(url))

        titles = await asyncio.gather(*map(title_at, wanted.values()))
    return dict(zip(wanted, titles, strict=True))


def _title(page: Page | NoPage) -> str | None:
    """The first title in an answer, which is that of the work itself."""
    found = _TITLE.search(page.text) if isinstance(page, Page) else None
    return found[1].strip() if found else None
