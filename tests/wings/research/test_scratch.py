"""Folders of runs: those of the dead are removed, and no others."""

import os
import tempfile

import pytest

from deepassay.wings.research.scratch import SCRATCH, remove_abandoned, scratch


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.asyncio
async def test_a_folder_is_there_as_long_as_it_is_used(place):
    async with scratch() as folder:
        (folder / "sub").mkdir()
        remove_abandoned()
        assert folder.parent == place and (folder / "sub").is_dir()
    assert not folder.exists()


def test_what_nobody_holds_is_removed_and_nothing_else(place):
    for name in (f"{SCRATCH}dead", "of-others", "linked"):
        (place / name / "sub").mkdir(parents=True)
    (place / f"{SCRATCH}link").symlink_to(place / "linked")
    (place / f"{SCRATCH}file").write_text("")
    remove_abandoned()
    there = {each.name for each in place.iterdir()}
    assert there == {"of-others", "linked", f"{SCRATCH}link", f"{SCRATCH}file"}
    assert (place / "linked" / "sub").is_dir()


@pytest.mark.asyncio
async def test_a_folder_that_is_taken_for_one_left_behind_is_made_again(place, monkeypatch):
    made = []
    make = tempfile.mkdtemp

    def taken_at_once(*given, **more):
        made.append(make(*given, **more))
        if len(made) == 1:
            remove_abandoned()
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", taken_at_once)
    async with scratch() as folder:
        assert [str(folder)] == made[1:] and folder.is_dir()


@pytest.mark.asyncio
async def test_whatever_stands_in_it_is_removed(place):
    async with scratch() as folder:
        (folder / "barred" / "inner").mkdir(parents=True)
        (folder / "barred").chmod(0)
        (folder / "out").symlink_to(place)
        os.mkfifo(folder / "pipe")
        deep = os.open(folder, os.O_RDONLY)
        for _ in range(3000):  # deeper than Python's own calls may go
            os.mkdir("d", dir_fd=deep)
            below = os.open("d", os.O_RDONLY, dir_fd=deep)
            os.close(deep)
            deep = below
        os.close(deep)
    assert not os.path.lexists(folder) and place.is_dir()
