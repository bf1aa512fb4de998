"""Batches as files: written once, carried out by somebody else, collected from beside them."""

import asyncio
import json
import os

import pytest

from deepassay.errors import BadSetting, Notice
from deepassay.models.ask import Answer
from deepassay.models.client import ModelSettings
from deepassay.models.clients import Clients
from deepassay.runfile import RunFile
from deepassay.score import Unscored
from tests.batching import FakeBatches

from ..conftest import GOOD
from ..judged import question
from .asked import CHAT, CLAUDE, OPENAI, batching, left

pytestmark = pytest.mark.asyncio
HOST = "http://127.0.0.1:9/v1"


def carried_out(folder, number, left_out=0):
    with FakeBatches(lambda asked: GOOD) as model:
        model.carry_out(folder / f"batch-{number}.jsonl", left_out)


async def asked(operation, path, folder, count=3):
    """The answers to some questions, or None where they are waited for."""
    with RunFile.create(path) as run:
        async with batching(None, run, CHAT, folder=folder, wait=0.0) as (ask, batchers):
            found = []

            async def ask_all():
                each = [ask(operation, question(f"Report {number}.")) for number in range(count)]
                found.extend(await asyncio.gather(*each))

            return None if await left(ask_all(), batchers) else found


async def test_what_is_written_is_collected_by_the_same_command(operation, tmp_path):
    path, folder = tmp_path / "run.assay", tmp_path / "batches"
    assert await asked(operation, path, folder) is None
    assert [each.name for each in folder.iterdir()] == ["batch-1.jsonl"]
    assert await asked(operation, path, folder) is None  # nobody has carried it out
    carried_out(folder, 1)
    found = await asked(operation, path, folder)
    assert [type(each) for each in found] == [Answer] * 3
    assert len(list(folder.glob("batch-?.jsonl"))) == 1


async def test_lines_that_are_missing_once_a_file_is_still_are_asked_again(operation, tmp_path):
    path, folder = tmp_path / "run.assay", tmp_path / "batches"
    await asked(operation, path, folder)
    carried_out(folder, 1, left_out=1)
    assert await asked(operation, path, folder) is None  # somebody may be writing it
    assert not (folder / "batch-2.jsonl").exists()
    os.utime(folder / "batch-1.results.jsonl", (1, 1))
    assert await asked(operation, path, folder) is None
    assert (folder / "batch-2.jsonl").read_text().count("\n") == 1
    carried_out(folder, 2)
    assert [type(each) for each in await asked(operation, path, folder)] == [Answer] * 3


async def test_results_of_other_requests_are_refused(operation, tmp_path):
    path, folder = tmp_path / "run.assay", tmp_path / "batches"
    await asked(operation, path, folder)
    (folder / "batch-1.results.jsonl").write_text('{"custom_id": "x", "error": {}}\n')
    os.utime(folder / "batch-1.results.jsonl", (1, 1))
    with pytest.raises(BadSetting, match=r"has no answer to batch-1\.jsonl"):
        await asked(operation, path, folder)


async def test_results_of_no_request_are_left_out_with_a_word(operation, tmp_path):
    path, folder = tmp_path / "run.assay", tmp_path / "batches"
    await asked(operation, path, folder)
    carried_out(folder, 1)
    with (folder / "batch-1.results.jsonl").open("a") as results:
        for name in ("x", "y"):
            line = {"custom_id": name, "response": {"status_code": 200, "body": {}}}
            results.write(f"{json.dumps(line)}\n")
    with pytest.warns(Notice, match=r"no request in batch-1\.jsonl: 2, the first: 'x'\."):
        found = await asked(operation, path, folder)
    assert [type(each) for each in found] == [Answer] * 3


async def test_a_folder_in_place_of_results_is_told_in_words(operation, tmp_path):
    path, folder = tmp_path / "run.assay", tmp_path / "batches"
    await asked(operation, path, folder)
    (folder / "batch-1.results.jsonl").mkdir()
    with pytest.raises(BadSetting, match=r"results\.jsonl cannot be read .Is a directory") as told:
        await asked(operation, path, folder)
    assert "Put the file there that came of it" in told.value.remedy


async def test_a_folder_of_another_run_is_refused(operation, tmp_path):
    folder = tmp_path / "batches"
    await asked(operation, tmp_path / "run.assay", folder)
    with pytest.raises(BadSetting, match="is there already, with other requests"):
        await asked(operation, tmp_path / "other.assay", folder)
    with RunFile.create(tmp_path / "other.assay") as run:
        assert not run.batching.requests and not run.batching.open()  # it may ask elsewhere


async def test_a_file_that_was_written_before_a_kill_is_taken_for_what_it_is(operation, tmp_path):
    path, folder = tmp_path / "run.assay", tmp_path / "batches"
    with RunFile.create(path) as run:
        async with batching(None, run, CHAT, folder=folder) as (ask, _):

            async def keep(batch):
                raise KeyError("killed")

            ask._batcher._run.keep = keep
            with pytest.raises(KeyError):
                await ask(operation, question("Report 0."))
    assert await asked(operation, path, folder, count=1) is None
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("model", ["ollama:llama", "openrouter:a/b"])
async def test_a_provider_without_batches_is_refused(model):
    async with Clients(batches=True) as clients:
        client = await clients.connect(model, ModelSettings(), HOST)
        with pytest.raises(BadSetting, match="cannot be asked in batches"):
            clients.interface(model, client, HOST)


@pytest.mark.parametrize("model", [OPENAI, CLAUDE])
async def test_files_are_of_chat_completions_alone(model, tmp_path):
    async with Clients(batches=True) as clients:
        client = await clients.connect(model, ModelSettings(), HOST)
        with pytest.raises(BadSetting, match="speaks no chat completions"):
            clients.interface(model, client, HOST, tmp_path)


@pytest.mark.parametrize("status", [404, 405])
async def test_a_server_without_batches_is_refused_with_what_to_do(operation, run, status):
    with FakeBatches(lambda asked: GOOD) as service:
        service.trouble["POST /v1/files"] = [status]
        async with batching(service, run, CHAT) as (ask, _):
            with pytest.raises(BadSetting, match="takes no batches") as refused:
                await ask(operation, question())
    assert "--batch-file" in refused.value.remedy
    assert not run.batching.requests and not run.batching.open()  # it may be asked live


async def test_a_key_that_is_refused_fails_what_is_asked_once(operation, run):
    with FakeBatches(lambda asked: GOOD) as service:
        service.trouble["POST /v1/files"] = [401]
        async with batching(service, run, OPENAI) as (ask, _):
            first = await ask(operation, question("One."))
            second = await ask(operation, question("Two."))
    assert isinstance(first, Unscored) and "401" in first.detail
    assert isinstance(second, Unscored) and "not asked any more" in second.detail
    assert service.requests == ["POST /v1/files"]
