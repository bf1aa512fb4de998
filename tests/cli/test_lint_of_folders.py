"""`lint` of folders: which files in them are read, alone or together, and what is left out."""

import json
import zipfile
from pathlib import Path

from tests.cli.test_report_commands import REPORT, write


def lines_of(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_lint_of_a_folder_reads_json_lines_as_an_archive_of_it_is_read(deepassay, tmp_path):
    heron, gull = (tmp_path / "reports" / name for name in ("heron", "gull"))
    for folder in (heron, gull):
        folder.mkdir(parents=True)
    texts = {"t1": REPORT, "t2": REPORT.replace("Swifts", "Gulls"), "t3": "Nothing."}
    (heron / "raw.jsonl").write_text(
        lines_of({"id": key, "article": text} for key, text in texts.items())
    )
    (heron.parent / "owl.jsonl").write_text(
        lines_of({"question": f"{key}?", "response": text} for key, text in texts.items())
    )
    for key, text in texts.items():
        write(gull, text, f"{key}.md")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for file in (heron.parent).rglob("*.*"):
            archive.write(file, file.relative_to(heron.parent))
    done, other = (deepassay("lint", each) for each in ("reports", "a.zip"))
    assert (done.returncode, other.returncode) == (1, 1)
    assert done.stdout.splitlines()[-1].partition(";")[0] == other.stdout.splitlines()[-1]
    assert " of 9 reports" in done.stdout or "in 9 reports" in done.stdout
    assert "reports/heron/raw.jsonl#t2:9:1 DA205" in done.stdout
    only = deepassay("lint", "reports/heron")
    assert only.returncode == 1 and only.stdout.count("raw.jsonl#t1") > 1


def test_lint_tells_of_json_lines_that_it_leaves_out_and_of_such_as_are_broken(deepassay, tmp_path):
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "tasks.jsonl").write_text(lines_of([{"id": "t1", "prompt": "Why do swifts call?"}]))
    pages = [{"url": f"https://one.org/{n}", "text": REPORT} for n in range(3)]
    (folder / "pages.jsonl").write_text(lines_of(pages))
    done = deepassay("lint", "reports")
    assert (done.returncode, done.stdout) == (2, "")
    assert "None of the files in what is named holds a report." in done.stderr
    write(folder)
    done = deepassay("lint", "reports")
    assert (done.returncode, done.stderr.count("It is left out.")) == (1, 2)
    for name in ("tasks", "pages"):
        assert f"reports/{name}.jsonl: its columns do not say for certain" in done.stderr
    (folder / "heron.jsonl").write_text(lines_of([{"id": "t1", "article": REPORT}]) + "{oops\n")
    done = deepassay("lint", "reports")
    assert done.returncode == 2
    assert "reports/heron.jsonl:2: not JSON" in done.stderr


def test_lint_of_a_folder_with_tables_alone_says_what_it_reads(deepassay, tmp_path):
    (tmp_path / "reports").mkdir()
    for name in ("a.csv", "b.csv"):
        write(tmp_path / "reports", "prompt,answer\nWhy?,So.\n", name)
    done = deepassay("lint", "reports")
    assert done.returncode == 2
    for kind in ("*.md", "*.json)", "*.jsonl)", "a table is read if you name it"):
        assert kind in done.stderr


def test_lint_of_a_folder_with_traces_reads_them_together(deepassay, tmp_path):
    traces = Path(__file__).parents[2] / "examples" / "traces"
    for name in ("ferry.otlp.jsonl", "tasks.jsonl"):
        write(tmp_path, (traces / name).read_text(), name)
    one, all_of_them = deepassay("lint", "ferry.otlp.jsonl"), deepassay("lint", ".")
    assert one.stdout == all_of_them.stdout
    assert one.stdout.endswith(" 1 report\n")


def cut(trace, pieces):
    """The spans of a trace in OTLP, dealt out to so many texts."""
    spans = [
        span
        for line in trace.splitlines()
        for resource in json.loads(line)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    return [
        lines_of([{"resourceSpans": [{"scopeSpans": [{"spans": spans[at::pieces]}]}]}])
        for at in range(pieces)
    ]


def test_runs_whose_spans_stand_in_several_files_are_read_once_and_without_broken_ones(
    deepassay, tmp_path
):
    trace = (Path(__file__).parents[2] / "examples" / "traces" / "ferry.otlp.jsonl").read_text()
    other = trace.replace("a" * 32, "b" * 32).replace("2025", "2024")
    for name, text, number in (("one", trace, 3), ("two", other, 2)):
        write(tmp_path, text, f"{name}.whole.jsonl")
        (tmp_path / name).mkdir()
        for at, piece in enumerate(cut(text, number)):
            write(tmp_path / name, piece, f"{at}.otlp.jsonl")
    whole = deepassay("lint", "one.whole.jsonl", "two.whole.jsonl")
    assert whole.stdout.endswith(" 2 reports\n")
    parts = deepassay("lint", "one", "two/0.otlp.jsonl", "two/1.otlp.jsonl")
    messages = [
        [line.partition(" ")[2] for line in done.stdout.splitlines()] for done in (whole, parts)
    ]
    assert messages[0] == messages[1]
    assert "DA312" not in parts.stdout
    for name in ("one/3.otlp.jsonl", "two/2.otlp.jsonl"):
        write(tmp_path, "{}\n{oops\n{}\n", name)
    broken = deepassay("lint", "one", "two")
    assert (broken.returncode, broken.stdout) == (2, parts.stdout)
    for name in ("one/3.otlp.jsonl", "two/2.otlp.jsonl"):
        assert f"deepassay: {name}, line 2: not JSON" in broken.stderr


def test_lint_of_a_folder_leaves_out_rows_of_which_two_are_one_report_and_counts_copies_once(
    deepassay, tmp_path
):
    folder = tmp_path / "reports"
    folder.mkdir()
    write(folder)
    pairs = [{"id": "t1", "prompt": "Why?", "answer": text} for text in ("So.", "Not so.")]
    (folder / "pairs.jsonl").write_text(lines_of(pairs))
    for ending in ("jsonl", "json"):
        rows = [{"id": "t1", "article": text} for text in (REPORT, REPORT.lower())]
        written = lines_of(rows) if ending == "jsonl" else json.dumps(rows)
        (folder / f"twice_{ending}.{ending}").write_text(written)
    done = deepassay("lint", "reports")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("2 findings in 1 report;")
    assert done.stderr.count("a second report of agent") == 3
    assert (
        done.stderr.count(
            "reports/pairs.jsonl:1, so that nothing of the file is read. It is left out."
        )
        == 1
    )
    assert deepassay("lint", "reports/pairs.jsonl").returncode == 2
    rows = [{"id": f"t{at}", "article": REPORT.replace("Swifts", str(at))} for at in range(3)]
    other = {**rows[0], "article": REPORT.replace("Swifts", "Gulls")}
    for stage, own in (("raw", rows), ("cleaned", [other, *rows[1:]]), ("scraped", rows)):
        (folder / f"owl.{stage}.jsonl").write_text(lines_of(own))
    done = deepassay("lint", "reports", "--select", "DA205")
    assert done.stdout.splitlines()[-1].startswith("5 findings in 5 reports;")
    assert (
        "count once: 2. The first: reports/owl.raw.jsonl#t1, as reports/owl.cleaned" in done.stderr
    )
