"""Files are replaced whole or not at all, and never unasked."""

import pytest

from deepassay.errors import BadSetting
from deepassay.run.showing.output import check_output, fresh_output, write_output
from deepassay.runfile import RunFile


def test_a_file_that_is_there_is_kept_unless_forced(tmp_path):
    file = tmp_path / "board.tex"
    write_output(file, "one", [], force=False)
    with pytest.raises(BadSetting, match="is there already"):
        write_output(file, "two", [], force=False)
    assert file.read_text() == "one"
    write_output(file, "two", [], force=True)
    assert file.read_text() == "two"


def test_a_run_file_is_never_overwritten(tmp_path):
    run = tmp_path / "run.assay"
    run.write_text("run")
    with pytest.raises(BadSetting, match="is a run file"):
        check_output(tmp_path / "." / "run.assay", [run], force=True)


def test_a_run_file_that_was_not_read_is_not_overwritten_either(tmp_path):
    other = tmp_path / "other.assay"
    RunFile.create(other).close()
    before = other.read_bytes()
    link = tmp_path / "page.html"
    link.symlink_to(other)
    for output in (other, link):
        with pytest.raises(BadSetting, match="is a run file"):
            write_output(output, "<p>", [], force=True)
    assert other.read_bytes() == before


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(BadSetting, match="is a folder"):
        check_output(tmp_path, [], force=True)


def test_what_goes_wrong_halfway_leaves_what_was_there(tmp_path):
    file = tmp_path / "board.tex"
    file.write_text("whole")
    with pytest.raises(ValueError, match="halfway"), fresh_output(file) as fresh:
        fresh.write_text("half")
        raise ValueError("halfway")
    assert [each.name for each in tmp_path.iterdir()] == ["board.tex"]
    assert file.read_text() == "whole"


def test_a_place_that_cannot_be_written_to_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadSetting, match="cannot be written"):
        write_output(tmp_path / "file" / "board.tex", "x", [], force=False)


def test_a_folder_that_nothing_came_into_is_not_left_behind(tmp_path):
    output = tmp_path / "new" / "tables" / "scores.csv"
    with pytest.raises(ValueError, match="refused"), fresh_output(output):
        raise ValueError("refused")
    assert not list(tmp_path.iterdir())
    with fresh_output(output) as fresh:
        fresh.write_text("kept")
    with pytest.raises(ValueError, match="refused"), fresh_output(output.with_name("other")):
        raise ValueError("refused")
    assert output.read_text() == "kept"
