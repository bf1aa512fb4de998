"""What travels comes out as it went in, whatever it holds; and what is no record is refused."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.protocols.protocol import Case
from deepassay.protocols.registry import parse_protocols
from deepassay.reports.report import Report
from deepassay.runfile import AgentRun, Attempt, Capture, StoredAnswer, StoredVerdict
from deepassay.tasks.task import Task
from deepassay.wings.bridges.ray.wire import (
    Message,
    as_json,
    capture_as_json,
    capture_of,
    case_as_json,
    case_of,
    of,
)

TEXT = st.text(st.characters(), max_size=20)  # half characters too, as answers may have
RECORDS = st.one_of(
    st.builds(
        StoredAnswer, TEXT, TEXT, TEXT, st.integers(0, 9), TEXT, TEXT, usage=st.just({"input": 3}),
        cost=st.none() | st.floats(0, 9), served_model=st.none() | TEXT,
    ),
    st.builds(Attempt, TEXT, st.integers(0, 9), TEXT, st.none() | st.integers(0, 999), TEXT),
    st.builds(StoredVerdict, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT),
)  # fmt: skip
CAPTURES = st.builds(
    Capture, TEXT, TEXT, TEXT, TEXT, st.none() | st.integers(), TEXT, TEXT, st.none() | TEXT,
    st.none() | st.binary(max_size=20), st.none() | TEXT, TEXT, TEXT,
)  # fmt: skip


def travelled(value):
    return Message.of(Message("kind", 7, value).packed()).value


@given(RECORDS)
def test_records_travel(record):
    assert of(type(record), travelled(as_json(record))) == record


@given(CAPTURES)
def test_captures_travel_with_their_bodies_and_under_their_names(capture):
    found = capture_of(travelled(capture_as_json(capture)))
    assert (found, found.id) == (capture, capture.id)


def test_a_case_travels_with_its_day_its_rival_and_what_the_agent_did():
    (protocol,) = parse_protocols(["coverage"])
    task = Task(id="a", prompt="On {{date}}?", checklist=("{{current_year}}",)).on(date(2026, 5, 4))
    run = AgentRun("text", "done", opened=("https://a.org/",), usage={"input": 1})
    case = Case(task, Report("text", "x", "a", 2, run=run), 1, Report("ref"), Report("rival", "y"))
    found_protocol, found = case_of(
        travelled(case_as_json(protocol, case)), {str(protocol): protocol}
    )
    assert (found_protocol, found) == (protocol, case)
    assert (found.task.day, found.report.run) == (task.day, run)


@pytest.mark.parametrize("change", [{"raw": 7}, {"repeat": "much"}, {"usage": []}])
def test_what_is_no_record_is_refused(change):
    answer = as_json(StoredAnswer("k", "o", "m", 0, "d", "raw"))
    with pytest.raises(ValueError, match="StoredAnswer"):
        of(StoredAnswer, json.loads(json.dumps(answer | change)))
