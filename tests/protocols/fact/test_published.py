"""Published and awkward verdict files through both editions."""

import json
import warnings

import pytest

from deepassay.errors import BadInput, Notice
from deepassay.protocols.fact.published import read_published
from deepassay.results.citations import CountedReport, code_figures, paper_figures

CASES = 22

PAPER = {
    # case: C.Acc, E.Cit, unscored reports, why it is not what the program says
    "basic": ((2 / 3 + 1 / 3) / 2, 1.5, 0, "a mean over tasks, not pooled"),
    "macro_vs_micro": ((1 + 1 / 10) / 2, 1.0, 0, "a mean over tasks, not pooled"),
    "unknown_excluded": (1 / 6, 0.5, 0, "unknown supports nothing and counts"),
    "task_all_unknown_still_counts_in_denominator": (0.5, 1.0, 0, "a task of unknowns counts 0"),
    "task_without_citations_left_out": (0.25, 0.5, 0, "a task without citations counts 0"),
    "validate_error_group_skipped_task_counted": (0.5, 1.0, 1, "no verdicts: unscored, not zero"),
    "error_empty_string_is_not_None": (1.0, 1.0, 0, "the page with an error is unscored"),
    "other_labels_count_as_not_supported": (None, None, 1, "labels off the menu are no verdicts"),
    "citations_but_empty_deduped": (0.5, 0.5, 0, "a task without pairs counts 0"),
    "all_unknown": (0.0, 0.0, 0, "unknown supports nothing; nothing is divided by zero"),
    "no_citations_anywhere": (0.0, 0.0, 0, "tasks without pairs count 0"),
    "empty_file": (None, None, 0, "no task, no figure"),
    "result_key_missing": (None, None, 1, "a verdict without its label is no verdict"),
    "validate_error_key_missing": (None, None, 1, "the page was never judged"),
    "citations_key_missing": (1.0, 1.0, 0, "the pairs are all that counts"),
    "citations_string_extraction_failed": (0.0, 0.0, 1, "a failed extraction is unscored"),
    "citations_null": (0.75, 1.0, 0, "the pairs are all that counts"),
    "duplicate_ids_counted_twice": ("refused", None, 0, "no report is counted twice"),
    "result_not_string": (None, None, 1, "labels off the menu are no verdicts"),
    "extra_verdicts_beyond_facts": (None, None, 1, "a verdict for each fact, each once"),
    "chinese": (None, None, 1, "labels off the menu are no verdicts"),
    "hundred": (563 / 1200, 0.87, 0, "a mean over tasks, unknown counts"),
}


@pytest.fixture(scope="module")
def golden(shared):
    return shared / "golden/bench/fact_stat"


@pytest.fixture(scope="module")
def expected(golden):
    return {each["case"]: each for each in json.loads((golden / "expected.json").read_text())}


def counted(reports):
    return [CountedReport(r.task, 1, r.counts) for r in reports if r.counts is not None]


def as_the_program_writes(figures):
    """Its lines; it writes each as soon as it has it, and stops at a division by zero."""
    names = ("total_citations", "total_valid_citations", "valid_rate")
    values = (figures.citations, figures.supported, figures.rate)
    lines = [f"{n}: {v}\n" for n, v in zip(names, values, strict=True) if v is not None]
    return "".join(lines)


def test_every_case_has_its_entry(expected):
    assert set(PAPER) == set(expected) and len(expected) == CASES


@pytest.mark.parametrize("name", PAPER)
def test_edition_code_gives_the_lines_of_the_released_program(golden, expected, name):
    case, path = expected[name], golden / f"{name}.validated.jsonl"
    if case["fact_result_txt"] is None:
        key = case["exception"].removeprefix("KeyError: ")
        with pytest.raises(BadInput, match=key):
            read_published(path, "code")
        return
    figures = code_figures(counted(read_published(path, "code")))
    assert as_the_program_writes(figures) == case["fact_result_txt"]
    assert (None in figures) == (case["rc"] != 0)


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
@pytest.mark.parametrize("name", PAPER)
def test_edition_paper_gives_what_the_paper_defines(golden, name):
    accuracy, effective, unscored, _ = PAPER[name]
    path = golden / f"{name}.validated.jsonl"
    if accuracy == "refused":
        with pytest.raises(BadInput, match="twice"):
            read_published(path)
        return
    reports = read_published(path)
    figures = paper_figures(counted(reports))
    assert figures.accuracy == (
        accuracy if accuracy is None else pytest.approx(accuracy, abs=1e-12)
    )
    assert figures.effective == effective
    assert len(reports) - figures.tasks == unscored


def test_published_verdicts_give_the_published_figures_by_both_formulas(shared):
    path = shared / "data/bench/fact/dls.validated.jsonl"
    code = code_figures(counted(read_published(path, "code")))
    paper = paper_figures(counted(read_published(path)))
    assert (code.citations, code.supported) == (72.0, 56.5)
    assert f"{code.rate:.5f}" == "0.78472"
    assert f"{paper.accuracy:.5f}" == "0.30526"
    assert paper.effective == 22.6 and paper.tasks == 5


def test_both_editions_count_the_same_verdicts_of_a_file_that_is_in_order(shared):
    path = shared / "data/bench/fact/dls.validated.jsonl"
    by_code = counted(read_published(path, "code"))
    by_paper = counted(read_published(path))
    assert code_figures(by_code) == code_figures(by_paper)
    assert paper_figures(by_code) == paper_figures(by_paper)


JUDGED = (
    '{"id": 1, "citations": [1], "citations_deduped": {"u": {"facts": ["a"], "validate_res": %s, '
    '"validate_error": null}}}'
)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", ":1: not JSON"),
        ("[1]", "a JSON list, not an object"),
        ('{"id": 1}', "citations_deduped"),
        ('{"id": 1, "citations_deduped": {"u": {"facts": 3}}}', "citations_deduped"),
        (JUDGED % "5", ":1: a `validate_res` is no list"),
        (JUDGED % "true", ":1: a `validate_res` is no list"),
        (JUDGED % '"supported"', ":1: a `validate_res` is no list"),
        (JUDGED % '{"idx": 0}', ":1: a `validate_res` is no list"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_its_line(tmp_path, line, told):
    path = tmp_path / "x.validated.jsonl"
    path.write_text(line)
    for edition in ("paper", "code"):
        with pytest.raises(BadInput, match=told):
            read_published(path, edition)


def rows_of(path, *groups):
    """A report on a line each, with these groups under the addresses u0, u1 and so on."""
    reports = (
        {"id": at, "citations": [1], "citations_deduped": {f"u{n}": e for n, e in enumerate(own)}}
        for at, own in enumerate(groups)
    )
    path.write_text("".join(f"{json.dumps(each)}\n" for each in reports))
    return path


def group(*results, facts=None, numbers=None, error=None):
    verdicts = [{"idx": n, "result": each} for n, each in enumerate(results)]
    for verdict, number in zip(verdicts, numbers or (), strict=False):
        verdict["idx"] = number
    held = ["a fact"] * (len(results) if facts is None else facts)
    return {"facts": held, "validate_res": verdicts, "validate_error": error}


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        (group("supported", "maybe", "unknown"), "(a result is 'maybe'), so its 3 pairs are open"),
        (group("supported", None), "(a result is 'None'), so its 2 pairs are open"),
        (group("supported", facts=4), "(facts 4, verdicts 1), so its 4 pairs are open"),
        (group("unknown", facts=0), "(facts 0, verdicts 1), which has no facts"),
        (
            group("unknown", "unknown", numbers=[1, 1]),
            "(their numbers are not 0 to 1, each once), so its 2 pairs are open",
        ),
        (group("unknown", numbers=["one"]), "(one has no number), so its pair is open"),
    ],
)
def test_verdicts_that_cannot_be_used_are_told_of_with_line_and_address(tmp_path, odd, told):
    good, failed = group("supported", "unsupported"), group(facts=2, error="timed out")
    file = tmp_path / "x.validated.jsonl"
    with pytest.warns(Notice) as notices:
        (first, second) = read_published(rows_of(file, [good, failed], [good, odd]))
    (notice,) = notices
    said = f"x.validated.jsonl, line 2: the verdicts on 'u1' are not used {told}"
    assert str(notice.message).startswith(said)
    assert first.counts["failed"] == 2 and second.counts["failed"] == len(odd["facts"])
    with pytest.warns(Notice, match="So are those on 2 more addresses."):
        read_published(rows_of(file, [odd, good, odd], [odd]))


def test_of_verdicts_in_order_and_errors_that_the_program_kept_nothing_is_told(tmp_path):
    good, failed = group("supported", "unsupported"), group("maybe", error="timed out")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_published(rows_of(tmp_path / "x.validated.jsonl", [good, failed], [good]))


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_verdicts_of_any_shape_are_read_without_a_crash(tmp_path):
    path = tmp_path / "x.validated.jsonl"
    for verdicts in ([1], [[]], [{"idx": [], "result": {}}], [{"idx": 0}], None, []):
        group = {"facts": ["a"], "validate_res": verdicts, "validate_error": None}
        path.write_text(json.dumps({"id": 1, "citations": [1], "citations_deduped": {"u": group}}))
        (report,) = read_published(path)
        assert report.counts["failed"] == 1
