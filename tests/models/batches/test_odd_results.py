"""What a provider, or a file, says of a batch: keys are hidden, odd lines cost their request."""

import asyncio
import json
from datetime import UTC, datetime

import pytest
from openai.types import Batch as OpenAIBatch

from deepassay.models.batches.batcher import Batcher
from deepassay.models.batches.interface import Looked, Pacing
from deepassay.models.batches.library import without_key
from deepassay.models.batches.openai import _handle, results_in
from deepassay.models.budget import Budget
from deepassay.runfile import Batch, RunFile

KEY = "sk-live-4711-abcdefghijklmnop"
SPELLED = KEY.replace("-", "\\u002d")


def failed(message, **more):
    return OpenAIBatch.model_validate(
        {
            **{"id": "b", "completion_window": "24h", "created_at": 1, "endpoint": "/v1/responses"},
            **{"input_file_id": "f", "object": "batch", "status": "failed"},
            "errors": {"data": [{"code": "invalid", "message": message, "line": 3, **more}]},
        }
    )


@pytest.mark.parametrize(
    "message",
    [KEY, f"Bearer {KEY}", f"key {KEY[:20]} is cut", f"{KEY}{KEY}", f"a\n{KEY}\nb", f"'{KEY}'"],
)
def test_a_key_in_the_errors_of_a_batch_is_not_kept(message):
    kept = _handle(failed(message), KEY)
    assert KEY[:12] not in json.dumps(kept) and "(the key)" in json.dumps(kept)
    assert kept["errors"][0]["line"] == 3 and kept["errors"][0]["code"] == "invalid"


MORE = {
    "code": {"code": KEY},
    "param": {"param": KEY},
    "an entry of theirs": {"more": KEY},
    "a list": {"more": [KEY]},
    "a list in a list": {"more": [[f"x{KEY}"]]},
    "an object": {"more": {"x": KEY}},
    "a name": {KEY: "x"},
    "a name in an object": {"more": {KEY: 1}},
    "spelled twice": {"more": f"{KEY} {SPELLED}"},
    "JSON in a text": {"more": json.dumps({"x": [KEY]})},
}


@pytest.mark.parametrize("where", MORE)
def test_a_key_is_kept_at_no_place_of_an_error(where):
    kept = _handle(failed("no", **MORE[where]), KEY)
    assert KEY[:12] not in json.dumps(kept) and "(the key)" in json.dumps(kept)


BODIES = {
    "a name": json.dumps({KEY: 1}),
    "a list": json.dumps({"x": [[KEY]]}),
    "JSON in a text": json.dumps({"x": json.dumps({"y": KEY})}),
    "spelled in JSON in a text": json.dumps({"x": f'{{"y": "{SPELLED}"}}'}),
    "both ways": f'{{"x": "{KEY}", "y": "{SPELLED}"}}',
    "both ways in one": f'{{"x": "{KEY} {SPELLED}"}}',
    "large digits": f'{{"x": "{KEY.replace("-", chr(92) + "u002D")}"}}',
    "every letter spelled": '{"x": "' + "".join(f"\\u{ord(each):04x}" for each in KEY) + '"}',
    "an end of it": json.dumps({"x": f"...{KEY[-14:]}"}),
    "a line end in it": json.dumps({"x": f"{KEY[:14]}\n{KEY[14:]}"}),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-be", "utf-32-be"])
@pytest.mark.parametrize("where", BODIES)
def test_a_key_is_kept_at_no_place_of_a_line(where, encoding):
    said = '{"custom_id": "a", "response": {"status_code": 200, "body": ' + BODIES[where] + "}}"
    (kept,) = (each for _, each in results_in(said.encode(encoding), KEY))
    assert "(the key)" in json.dumps(kept) and kept["status"] == "succeeded"
    assert not any(KEY[at : at + 12] in json.dumps(kept) for at in range(len(KEY) - 11))


@pytest.mark.parametrize("said", [KEY, SPELLED, f"x{KEY}y"])
@pytest.mark.parametrize("where", ["error", "body", "answer"])
def test_a_key_in_a_line_of_results_is_not_kept(said, where):
    line = {
        "error": '{"custom_id": "a", "error": {"code": "x", "message": "%s"}}',
        "body": '{"custom_id": "a", "response": {"status_code": 401, "body": {"error": "%s"}}}',
        "answer": '{"custom_id": "a", "response": {"status_code": 200, "body": {"text": "%s"}}}',
    }[where]
    found = dict(results_in((line % said).encode(), KEY))
    assert KEY[:12] not in json.dumps(found) and "(the key)" in json.dumps(found)


def test_a_key_is_hidden_wherever_a_library_hands_it_on():
    said = {"state": KEY, "error": {"message": [f"no {KEY}", 5, None]}}
    assert KEY[:12] not in json.dumps(without_key(said, KEY))


ODD = [None, [], {}, 5, "x", True, [[1]], 10**30, -1, 1.5]


def line(**fields):
    return json.dumps({"custom_id": "a"} | fields).encode()


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("where", ["custom_id", "response", "status_code", "body", "error", "line"])
def test_odd_lines_cost_their_request_and_nothing_else(where, odd):
    good = line(custom_id="b", response={"status_code": 200, "body": {"text": "well"}})
    lines = {
        "custom_id": line(custom_id=odd, response={"status_code": 200, "body": {}}),
        "response": line(response=odd),
        "status_code": line(response={"status_code": odd, "body": {}}),
        "body": line(response={"status_code": 200, "body": odd}),
        "error": line(error=odd),
        "line": json.dumps(odd).encode(),
    }
    found = dict(results_in(lines[where] + b"\n" + good + b"\n" + b"[" * 100_000, None))
    assert found["b"] == {"status": "succeeded", "code": 200, "body": {"text": "well"}}
    for name, each in found.items():
        assert isinstance(name, str) and 100 <= each["code"] < 600
        assert each["status"] != "succeeded" or isinstance(each["body"], dict)


class Dripping:
    """A provider that begins to answer and never ends."""

    provider, kind, most, most_bytes = "a server that drips", "files", 10, 10_000

    async def look(self, handle):
        await asyncio.Event().wait()
        return Looked(handle, ended=True)


def test_a_server_that_drips_is_not_waited_for_longer_than_our_patience():
    async def leave():
        with RunFile.in_memory() as run:
            began = datetime.now(UTC).isoformat()
            batch = Batch(1, "s/files", "submitted", "p", 1, {"planned": began}, handle={"id": "b"})
            run._store.write([batch.write()])
            await run.batching.keep(batch)
            pacing = Pacing(idle=0.02, first=0.01, longest=0.02, patience=0.05)
            batcher = Batcher(Dripping(), run.batching, "s", Budget(None), {}, 10, pacing)
            batcher.start()
            await asyncio.sleep(0.02)
            async with asyncio.timeout(60):  # a guard against a hang only
                await batcher.leave()
            await batcher.aclose()

    asyncio.run(leave())
