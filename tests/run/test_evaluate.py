"""What a run says of itself when it is over."""

import asyncio
from dataclasses import replace

import pytest

from deepassay.run.evaluate import pages_of_no_host
from deepassay.runfile import Capture, RunFile
from deepassay.sources.faults import NO_HOST

NOWHERE = Capture("https://a.example/1", "2026-11-20T10:00:00Z", "direct", failure="dead")
NOWHERE = replace(NOWHERE, detail=NO_HOST)
ELSEWHERE = replace(NOWHERE, url="https://b.example/2")
GONE = replace(NOWHERE, url="https://c.example/3", detail="The server answered with status 404.")


@pytest.mark.parametrize(
    ("captures", "pages"),
    [((), 0), ((NOWHERE, ELSEWHERE), 2), ((NOWHERE, GONE), 0)],
    ids=["no pages", "no host at all", "a host that answered"],
)
def test_a_network_without_names_is_noticed(captures, pages, tmp_path):
    async def keep(run):
        for capture in captures:
            await run.captures.keep(capture)

    with RunFile.create(tmp_path / "run.assay") as run:
        asyncio.run(keep(run))
        assert pages_of_no_host(run) == pages
