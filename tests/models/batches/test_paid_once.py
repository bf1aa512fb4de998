"""However a batch ends and wherever a process dies: what is paid is what was asked, once."""

import asyncio
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepassay.models.ask import Answer
from deepassay.runfile import RunFile
from tests.batching import FakeBatches

from ..conftest import GOOD
from ..judged import question
from .asked import CHAT, OPENAI, batching
from .test_asker import POINTS, Killed, dying

pytestmark = pytest.mark.filterwarnings("ignore:Questions in batches")

WORDS = ["plain", "FLAKY", "BAD", "EXPIRE", "LOST", "CUT"]
NUMBER = count()


async def ask_all(run, service, model, words, size, point=None):
    async with batching(service, run, model, most=size) as (ask, _):
        if point is not None:
            dying(ask._batcher, point)
        questions = [question(f"Report {place} {word}.") for place, word in enumerate(words)]
        return await asyncio.gather(*(ask(OPERATION[0], each) for each in questions))


OPERATION = []


@pytest.fixture(autouse=True)
def asked_operation(operation):
    OPERATION[:] = [operation]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    deaths=st.lists(st.sampled_from(POINTS), max_size=2),
    forgets=st.booleans(),
    size=st.integers(1, 4),
    model=st.sampled_from([OPENAI, CHAT]),
)
def test_paid_is_at_most_one_for_a_question_and_one_for_each_that_was_lost(
    tmp_path, words, deaths, forgets, size, model
):
    path = tmp_path / f"{next(NUMBER)}.assay"
    with FakeBatches(lambda asked: GOOD) as service:
        if forgets:
            service.forget.add("batch_0")
        for point in deaths:
            with RunFile.create(path) as run, pytest.raises(Killed):
                asyncio.run(ask_all(run, service, model, words, size, point))
                raise Killed  # everything was answered before the point came
        with RunFile.create(path) as run:
            ends = asyncio.run(ask_all(run, service, model, words, size))
            again = asyncio.run(ask_all(run, service, model, words, size))
            assert not run.batching.requests and not run.batching.open()
            spent = run.spent()
    for word, end, same in zip(words, ends, again, strict=True):
        assert isinstance(end, Answer) == (word not in ("BAD", "CUT")) == isinstance(same, Answer)
    # A batch that is forgotten was never carried out here: nothing of it was paid.
    assert service.paid.total() == sum(word != "BAD" for word in words)
    assert max(service.paid.values(), default=1) == 1
    assert spent == pytest.approx(0.0075 * service.paid.total())
