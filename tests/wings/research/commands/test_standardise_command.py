"""`standardise`: the standard form of citations, from the command line."""

from __future__ import annotations

TIDES = "# Tides\n\nThe tide rises twice a day{}.\n"


def test_what_code_can_do_is_written_and_the_rest_is_named(tmp_path, deepassay):
    folder = tmp_path / "heron"
    folder.mkdir()
    (folder / "linked.md").write_text(TIDES.format(" (https://a.example/tides)"))
    (folder / "named.md").write_text(
        TIDES.format("") + "\n## Sources\n\n- Harbour office: https://a.example/tides\n"
    )
    words = ("standardise", folder, "-o", tmp_path / "out", "--run", tmp_path / "r.assay")
    done = deepassay(*words)
    assert done.returncode == 1 and "Standard forms for 1 of 2 reports" in done.stderr
    assert "heron/named.md" in done.stderr
    assert "twice a day [1]." in (tmp_path / "out" / "heron" / "linked.md").read_text()
    assert not (tmp_path / "out" / "heron" / "named.md").exists()
    assert "(1 had them already)" in deepassay(*words).stderr


def test_a_folder_that_is_read_is_not_written_to(tmp_path, deepassay):
    (tmp_path / "heron").mkdir()
    (tmp_path / "heron" / "a.md").write_text(TIDES.format(""))
    done = deepassay("standardise", tmp_path / "heron", "-o", tmp_path / "heron" / "out")
    assert done.returncode == 2 and "whose reports are read" in done.stderr


def test_no_name_leads_out_of_the_folder(tmp_path, deepassay):
    lines = tmp_path / "heron.jsonl"
    lines.write_text('{"id": "../../tides", "article": "# Tides"}\n')
    done = deepassay("standardise", lines, "-o", tmp_path / "out", "--run", tmp_path / "r.assay")
    assert done.returncode == 2 and "cannot be names of a folder" in done.stderr
    assert not (tmp_path / "out").exists()
