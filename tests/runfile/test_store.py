"""The writer of a run file: who waits for what."""

import pytest

from deepassay.errors import BadRunFile
from deepassay.runfile.rows import Body
from deepassay.runfile.schema import make
from deepassay.runfile.store import JOBS_A_COMMIT, Store, Writer

INSERT = "INSERT INTO tasks VALUES(?,?,?,?)"
MANY = 2 * JOBS_A_COMMIT + 1


def row(number, value="text"):
    return INSERT, [f"t{number}", 1, Body(value)]


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "run.assay"
    make(made)
    return made


@pytest.fixture
def opened(path):
    store = Store(path, Writer(path))
    yield store
    store.close()


def names(opened):
    return [name for (name,) in opened.rows("SELECT id FROM main.tasks ORDER BY rowid")]


def test_all_is_written_in_the_order_in_which_it_came(opened):
    ends = []
    for number in range(MANY):
        done = opened.put([row(f"{number}-{each}") for each in range(2)])
        done.add_done_callback(lambda _, number=number: ends.append(number))
    done.result()
    assert ends == list(range(MANY))
    assert names(opened) == [f"t{number}-{each}" for number in range(MANY) for each in range(2)]


def test_what_waits_is_there_after_closing(path):
    closing = Store(path, Writer(path))
    waiting = [closing.put([row(number)]) for number in range(MANY)]
    closing.close()
    assert all(each.done() for each in waiting)
    again = Store(path)
    assert len(names(again)) == MANY
    again.close()


def test_what_is_told_to_be_written_is_seen_by_others(opened, path):
    opened.put([row(1)]).result()
    other = Store(path)
    assert names(other) == ["t1"]
    other.close()


def test_what_cannot_be_written_takes_nobody_with_it(opened):
    opened.put([row(f"before-{number}") for number in range(200)])  # so that these gather
    unheard = opened.put([row(0), row(1, value=object())])
    doubled = opened.put([row(2), row(2)])
    third = opened.put([row(3)])
    sound = opened.put([row(4)])
    sound.result()
    with pytest.raises(BadRunFile, match="is no JSON"):
        unheard.result()
    with pytest.raises(BadRunFile, match="UNIQUE"):
        doubled.result()
    third.result()
    assert names(opened)[200:] == ["t3", "t4"]
