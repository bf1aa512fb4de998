"""One process writes a run file at a time, and what others read of that."""

import errno
import fcntl
import os
import threading

import pytest

from deepassay.errors import BadRunFile
from deepassay.runfile import lock as locking
from deepassay.runfile.lock import Lock, writer_of


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.assay"


def test_a_second_writer_is_told_of_the_first_and_leaves_its_lock(path):
    first = Lock(path)
    for _ in range(2):
        with pytest.raises(BadRunFile, match=f"in use by process {os.getpid()}"):
            Lock(path)
        assert writer_of(path) == str(os.getpid())
    first.release()
    assert writer_of(path) == ""
    Lock(path).release()
    assert not list(path.parent.iterdir())


def test_who_looks_for_the_writer_keeps_none_from_writing(path, monkeypatch):
    """A lock that a killed process left, at which somebody looks just now."""
    left = path.with_name("run.assay.lock")
    left.write_text("4711", "ascii")
    with left.open(encoding="ascii") as looked:
        fcntl.flock(looked, fcntl.LOCK_SH)
        tried = threading.Event()
        monkeypatch.setattr(locking.time, "sleep", lambda _: (tried.set(), gone.wait(60)))
        gone = threading.Event()
        found: list[Lock] = []
        writer = threading.Thread(target=lambda: found.append(Lock(path)))
        writer.start()
        assert tried.wait(60)
    gone.set()
    writer.join(60)
    assert writer_of(path) == str(os.getpid())
    found[0].release()


def test_a_folder_without_locks_is_not_said_to_be_in_use(path, monkeypatch):
    def without(file, operation):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(locking.fcntl, "flock", without)
    with pytest.raises(BadRunFile, match="nothing can be locked there") as told:
        Lock(path)
    assert "disk that has locks" in str(told.value)
