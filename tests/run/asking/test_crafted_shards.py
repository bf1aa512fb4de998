"""Shards as strangers may make them, and what is no file at all: refused by name, nothing hangs."""

import json
import os

import pytest

from deepassay.errors import BadRunFile
from deepassay.run.showing.merging import merge
from tests.cli.strange import craft, meta
from tests.cli.test_strange_files import guarded
from tests.run.showing.test_merging import judge, of_shard, request_  # noqa: F401 - fixtures


def part(**changes):
    """The second shard says something else of itself."""

    def change(db):
        ((text,),) = db.execute("SELECT value FROM meta WHERE key='parts'").fetchall()
        kept = json.loads(text)
        kept["evaluate"] |= changes
        db.execute("UPDATE meta SET value=? WHERE key='parts'", [json.dumps(kept)])

    return change


SAID = {
    "a shard past the last": part(numbers=[9]),
    "shard 0": part(numbers=[0]),
    "a shard below": part(numbers=[-1, 2]),
    "a shard that is a text": part(numbers=["2"]),
    "a shard that is true": part(numbers=[True]),
    "no shards": part(count=0),
    "shards below none": part(count=-1),
    "half shards": part(count=2.0),
    "a plan that is a number": part(whole=7),
    "a command of its own": meta("parts", '{"x": {"count": 2, "whole": "w", "numbers": [2]}}'),
}
FILES = {
    "a FIFO": os.mkfifo,
    "a folder": os.mkdir,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link into nothing": lambda path: path.symlink_to("nowhere"),
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "nothing": lambda path: path.touch(),
    "zeros": lambda path: path.write_bytes(bytes(100_000)),
    "a text": lambda path: path.write_text("{}"),
}


@pytest.fixture(scope="module")
def shards(request_, tmp_path_factory):  # noqa: F811
    folder = tmp_path_factory.mktemp("shards")
    return [of_shard(request_, folder, shard) for shard in ("1/2", "2/2")]


@pytest.mark.parametrize("name", [*SAID, *FILES])
def test_a_crafted_shard_is_refused_by_name(name, shards, tmp_path):
    odd = tmp_path / "odd.assay"
    if name in SAID:
        craft(shards[1], odd, SAID[name])
    else:
        FILES[name](odd)
    for order in ([shards[0], odd], [odd, shards[0]]):
        with guarded(), pytest.raises(BadRunFile, match=r"odd\.assay"):
            merge(order, tmp_path / "merged.assay")
    assert not (tmp_path / "merged.assay").exists()
