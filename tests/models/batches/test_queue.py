"""What goes into one batch: so many requests, so many bytes, one group."""

import json

import pytest

from deepassay.models.batches.interface import Encoded
from deepassay.models.batches.queue import Queue, Queued
from deepassay.runfile import Request

LATIN = json.dumps({"text": "x" * 88}, ensure_ascii=False)  # 100 bytes
FRENCH = json.dumps({"text": "é" * 88}, ensure_ascii=False)  # the same: 12 + 6 * 88 = 540
SMILES = json.dumps({"text": "😀" * 44}, ensure_ascii=False)  # two of \\uXXXX each: 540
CHINESE = json.dumps({"text": "中" * 88}, ensure_ascii=False)  # 12 bytes and 88 of \\uXXXX


def queue_of(bodies, most=10, most_bytes=10_000, groups=""):
    queue = Queue(most, most_bytes)
    for number, body in enumerate(bodies):
        encoded = Encoded(body, groups[number : number + 1])
        queue.put(Queued(Request(str(number), "key"), encoded, lambda: None))
    return queue


def taken(queue):
    batches = []
    while queue:
        batches.append("".join(each.request.name for each in queue.take()))
    return batches


@pytest.mark.parametrize(
    ("bodies", "limits", "batches"),
    [
        pytest.param([LATIN] * 5, {"most": 2}, ["01", "23", "4"], id="so many requests"),
        pytest.param([LATIN] * 5, {"most_bytes": 200}, ["01", "23", "4"], id="so many bytes"),
        pytest.param([CHINESE] * 3, {"most_bytes": 2 * 540}, ["01", "2"], id="escaped Chinese"),
        pytest.param([FRENCH] * 3, {"most_bytes": 2 * 540 - 1}, ["0", "1", "2"], id="accents"),
        pytest.param([SMILES] * 3, {"most_bytes": 2 * 540 - 1}, ["0", "1", "2"], id="emoji"),
        pytest.param([CHINESE] * 3, {"most_bytes": 600}, ["0", "1", "2"], id="not as it is kept"),
        pytest.param([CHINESE], {"most_bytes": 100}, ["0"], id="larger than any batch may be"),
        pytest.param([LATIN] * 4, {"groups": "abab"}, ["02", "13"], id="of one group"),
        pytest.param(
            [LATIN] * 4, {"groups": "abab", "most_bytes": 200}, ["02", "13"], id="groups and bytes"
        ),
    ],
)
def test_a_batch_is_within_its_limits(bodies, limits, batches):
    assert taken(queue_of(bodies, **limits)) == batches


@pytest.mark.parametrize(("body", "full"), [(LATIN, False), (CHINESE, True)])
def test_a_queue_is_full_by_the_bytes_that_are_sent(body, full):
    """Kept, three times 88 characters of Chinese have 828 bytes."""
    assert queue_of([body] * 3, most_bytes=1_200).is_full == full


def test_what_is_removed_counts_no_more():
    queue = queue_of([LATIN] * 3, most_bytes=300)
    assert queue.is_full
    queue.remove("1")
    queue.remove("1")
    assert not queue.is_full and taken(queue) == ["02"]
