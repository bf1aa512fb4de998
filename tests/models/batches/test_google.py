"""Google's batches, as far as pydantic-ai and Google's library go; Google itself is not asked."""

import asyncio

import pytest

from deepassay.models.ask import Answer
from deepassay.runfile import RunFile

from ..conftest import GOOD
from ..judged import question
from .asked import batching
from .gemini import FakeGemini
from .test_asker import ENDS, MIXED, POINTS, SEPARATORS, Killed, dying

pytestmark = [
    pytest.mark.usefixtures("one_authority"),
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("ignore:Questions in batches"),
]
GEMINI = "google:gemini-judge"


async def test_each_end_of_a_request_is_that_of_the_other_providers(operation, run):
    words = [*MIXED, SEPARATORS]
    with FakeGemini(lambda asked: GOOD) as service:
        async with batching(service, run, GEMINI) as (ask, _):
            asked = [question(f"Report {word}.") for word in words]
            answers = await asyncio.gather(*(ask(operation, each) for each in asked))
    for word, end in zip(words, answers, strict=True):
        assert (None if isinstance(end, Answer) else end.cause) == ENDS.get(word), (word, end)
    assert max(service.paid.values()) == 1
    assert not run.batching.requests


@pytest.mark.parametrize("state", ["EXPIRED", "CANCELLED", "FAILED"])
async def test_a_job_that_left_nothing_ends_for_all_its_requests(operation, run, state):
    with FakeGemini(lambda asked: GOOD) as service:
        service.job = f"BATCH_STATE_{state}"
        async with batching(service, run, GEMINI) as (ask, _):
            end = await ask(operation, question())
    # Somebody meant to stop what is canceled; the rest is asked again.
    assert isinstance(end, Answer) == (state != "CANCELLED")
    assert service.paid.total() == (state != "CANCELLED")


@pytest.mark.parametrize("point", POINTS)
async def test_a_job_whose_handle_was_lost_is_found_by_its_results(operation, tmp_path, point):
    path = tmp_path / "run.assay"
    with FakeGemini(lambda asked: GOOD) as service:
        with RunFile.create(path) as run, pytest.raises(Killed):
            async with batching(service, run, GEMINI) as (ask, _):
                dying(ask._batcher, point)
                await ask(operation, question())
        with RunFile.create(path) as run:
            async with batching(service, run, GEMINI) as (ask, _):
                assert isinstance(await ask(operation, question()), Answer)
    assert len(service.batches) == 1 and service.paid.total() == 1
