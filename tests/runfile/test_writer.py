"""The writer of a run file: who waits for what."""

from collections import deque

import pytest

from deepassay.errors import BadRunFile
from deepassay.runfile import writer
from deepassay.runfile.bodies import Body
from deepassay.runfile.schema import make
from deepassay.runfile.store import Store
from deepassay.runfile.writer import PACKED_AT_ONCE, Writer

INSERT = "INSERT INTO tasks VALUES(?,?,?,?)"
MANY = 5 * PACKED_AT_ONCE + 1


def row(number, value="text"):
    return INSERT, [f"t{number}", number, Body(value)]


@pytest.fixture
def opened(tmp_path):
    path = tmp_path / "run.assay"
    make(path)
    opened = Store(path, Writer(path))
    yield opened
    opened.close()


def names(opened):
    return [name for (name,) in opened.rows("SELECT id FROM tasks ORDER BY position")]


def test_others_go_ahead_of_a_patient_job(opened):
    ends = []
    patient = opened.put([row(number) for number in range(MANY)], patient=True)
    patient.add_done_callback(lambda _: ends.append("patient"))
    for number in range(MANY, MANY + 3):
        pressing = opened.put([row(number)])
        pressing.add_done_callback(lambda _: ends.append("pressing"))
        pressing.result()
    patient.result()
    assert ends[0] == "pressing" and ends[-1] == "patient"
    assert names(opened) == [f"t{number}" for number in range(MANY + 3)]


def test_nobody_else_need_come(opened):
    opened.put([row(number) for number in range(MANY)], patient=True).result(timeout=30)
    assert len(names(opened)) == MANY


def test_patient_jobs_are_done_in_turn(opened):
    ends = []
    for name, count in (("first", MANY), ("none", 0), ("last", 1)):
        done = opened.put([row(f"{name}-{each}") for each in range(count)], patient=True)
        done.add_done_callback(lambda _, name=name: ends.append(name))
    done.result()
    assert ends == ["first", "none", "last"]


def test_what_is_patient_is_there_after_closing(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "QUIET", 3600.0)
    monkeypatch.setattr(writer, "LONGEST_WAIT", 3600.0)
    path = tmp_path / "run.assay"
    make(path)
    closing = Store(path, Writer(path))
    closing.put([row(number) for number in range(MANY)], patient=True)
    closing.close()
    again = Store(path)
    assert len(names(again)) == MANY
    again.close()


def test_a_patient_job_that_cannot_be_written_takes_nobody_with_it(opened):
    unheard = opened.put([row(0), row(1, value=object())], patient=True)
    doubled = opened.put([row(2), row(2)], patient=True)
    sound = opened.put([row(3)], patient=True)
    opened.put([row(4)]).result()
    with pytest.raises(BadRunFile, match="No disk is to blame"):
        unheard.result()
    with pytest.raises(BadRunFile, match="UNIQUE"):
        doubled.result()
    sound.result()
    assert sorted(names(opened)) == ["t3", "t4"]


def test_a_stream_of_others_keeps_no_patient_job_from_its_end(opened, monkeypatch):
    monkeypatch.setattr(writer, "LONGEST_WAIT", 0.05)
    patient = opened.put([row(number) for number in range(MANY)], patient=True)
    waiting = deque(opened.put([row(number)]) for number in range(MANY, MANY + 3))
    for number in range(MANY + 3, MANY + 1000):  # there is always somebody waiting
        waiting.append(opened.put([row(number)]))
        waiting.popleft().result()
        if patient.done():
            break
    assert patient.done() and waiting
