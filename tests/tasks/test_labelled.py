"""Published sets of people's labels: read as they are, refused with file, line and field."""

import copy

import pytest

from deepassay.errors import BadTasks
from deepassay.intake.rows import InputRow
from deepassay.tasks.judgment_bench import graded_answers, preferred_answers
from deepassay.tasks.labelled import labelled_set, pairs_with_pages, ragchecker, scores_of_bench
from tests.tasks import published
from tests.tasks.published import as_lines, as_list


def read(path):
    pairs = labelled_set(path)
    return pairs[0].of, [(each.statement, each.people, each.written) for each in pairs], pairs


def test_attribution_bench_has_pages_and_sources(tmp_path):
    title, rows, pairs = read(as_lines(tmp_path / "a.jsonl", published.ATTRIBUTION))
    assert title == "AttributionBench"
    assert rows == [
        ("The ferry line opened in 2019.", ("supported",), "attributable"),
        ("A bakery closed in 1987.", ("unsupported",), "not attributable"),
    ]
    assert pairs[0].page == f"{published.PAGE}\n\nCars use the bridge."
    assert [each.source for each in pairs] == ["ExpertQA", "LFQA"]


def test_wice_has_three_grades_and_the_sentences_that_people_named(tmp_path):
    title, rows, pairs = read(as_lines(tmp_path / "w.jsonl", published.WICE))
    assert title == "WiCE"
    assert [people for _, people, _ in rows] == [("partial",), ("unsupported",), ("supported",)]
    assert pairs[0].page == "\n".join(published.SENTENCES)
    assert pairs[0].quotes == ("The ferry opened in 2019.", "It carries no cars.")
    assert pairs[1].quotes == ()


def test_lfqa_has_three_raters_and_takes_its_pages_from_a_second_file(tmp_path):
    title, rows, pairs = read(as_list(tmp_path / "l.json", published.LFQA))
    assert title == "LFQA-Verification"
    assert rows[1][1] == ("unsupported", "supported", "partial")
    assert {each.page for each in pairs} == {""}
    found = pairs_with_pages(pairs, as_list(tmp_path / "docs.json", published.LFQA_DOCS))
    assert {each.page for each in found} == {"Ferries\n\nThey displace water."}


def test_refchecker_has_triples_of_three_kinds(tmp_path):
    title, rows, pairs = read(as_list(tmp_path / "r.json", published.REFCHECKER))
    assert title == "RefChecker"
    assert rows == [
        ("ferry opened in 2019", ("supported",), "Entailment"),
        ("ferry carries cars", ("unsupported",), "Contradiction"),
        ("ferry painted red", ("unsupported",), "Neutral"),
    ]
    pages = as_lines(tmp_path / "pages.jsonl", [{"id": "12", "context": ["One.", "Two."]}])
    assert pairs_with_pages(pairs, pages)[0].page == "One.\n\nTwo."


def test_factscore_has_facts_of_a_topic_without_the_irrelevant_ones(tmp_path):
    title, rows, pairs = read(as_lines(tmp_path / "f.jsonl", published.FACTSCORE))
    assert title == "FActScore"
    assert rows == [
        ("The ferry opened in 2019.", ("supported",), "S"),
        ("The ferry is green.", ("unsupported",), "NS"),
    ]
    assert {each.key for each in pairs} == {"Ferry line"}


def test_deepfact_has_sentences_of_reports(tmp_path):
    title, rows, pairs = read(as_lines(tmp_path / "d.jsonl", published.DEEPFACT))
    assert title == "DeepFact-Bench"
    assert [people for _, people, _ in rows] == [("supported",), ("unsupported",)]
    assert (pairs[0].key, pairs[0].source) == ("r1", "Engineering")


def test_scores_of_the_bench_that_nobody_gave_are_left_out():
    (row,) = published.race_scores(["t1"])[:1]
    row["overall_scores"]["heron"] = None
    row["dimension_scores"]["heron"]["depth"] = None
    found = scores_of_bench([InputRow("h.jsonl, line 1", row)])
    given = [(each.fields["agent"], each.fields.get("item")) for each in found]
    assert given == [("magpie", None)] + [
        (agent, item)
        for agent in ("heron", "magpie")
        for item in ("comprehensiveness", "insight", "instruction_following", "readability")
        if (agent, item) != ("heron", "insight")
    ]


def test_ragchecker_counts_both_raters_of_two_answers_and_its_sign_is_the_second(tmp_path):
    path = as_list(tmp_path / "r.json", published.RAGCHECKER)
    (pair,) = ragchecker(path)
    assert pair.people == ("first", "first")
    assert (pair.source, pair.good) == ("kiwi", "The ferry opened in 2019.")
    assert ragchecker(path, "completeness")[0].people == ("equal", "equal")


def test_judgment_bench_has_preferences_whichever_option_came_first(tmp_path):
    (pair,) = preferred_answers(published.judgment_bench(tmp_path))
    assert pair.question == "Whom does it bind?"
    assert pair.first == "The clause binds both sides."
    assert pair.people == ("first", "second")


def test_judgment_bench_has_rubrics_with_what_raters_found_met(tmp_path):
    one, other = graded_answers(published.judgment_bench(tmp_path))
    assert [(c.id, c.criterion, c.weight) for c in one.task.rubric] == [
        ("i1", "Names both sides", 2),
        ("i2", "Chats", -9),
    ]
    assert [(each.level, each.number) for each in (one, other)] == [("good", 1), ("any", 1)]
    assert one.met == {"i1": True, "i2": False}
    assert other.met == {"i1": False, "i2": True}


def test_another_layout_is_none_of_them(tmp_path):
    rows = [{"statement": "s", "label": "supported", "page": "p"}]
    assert labelled_set(as_lines(tmp_path / "own.jsonl", rows)) is None


# Rows, and whether as a list: the way to what is changed in the last row, the value, what is said.
WRONG = {
    "a label of another set": (
        *(published.ATTRIBUTION, False, ("attribution_label",), "supported?"),
        "line 2: field 'attribution_label': 'supported?' is none of",
    ),
    "references that are no list": (
        *(published.ATTRIBUTION, False, ("references",), "page"),
        "line 2: field 'references': is no list of texts",
    ),
    "no claim": (
        *(published.ATTRIBUTION, False, ("claim",), " "),
        "line 2: field 'claim': is missing or no text",
    ),
    "a field that is gone": (
        *(published.WICE, False, ("evidence",), ...),
        "line 3: field 'evidence': is missing, as WiCE has it",
    ),
    "a sentence that is not there": (
        *(published.WICE, False, ("supporting_sentences",), [[9]]),
        "line 3: field 'supporting_sentences': names a sentence that is not in evidence",
    ),
    "sentences that are no lists": (
        *(published.WICE, False, ("supporting_sentences",), [1, 2]),
        "line 3: field 'supporting_sentences': is no list of lists of numbers",
    ),
    "no raters": (
        *(published.LFQA, True, ("annotations", 1, "labels"), []),
        "object 1: field 'annotations[2].labels': is missing or no list",
    ),
    "a grade of another set": (
        *(published.LFQA, True, ("annotations", 0, "labels"), ["yes"]),
        "object 1: field 'annotations[1].labels': 'yes' is none of",
    ),
    "a triple that is a text": (
        *(published.REFCHECKER, True, ("claude2_response_kg", 1, "triplet"), "a b c"),
        "object 1: field 'claude2_response_kg[2].triplet': is missing or no list of texts",
    ),
    "a fact without a label": (
        *(published.FACTSCORE, False, ("annotations", 0, "human-atomic-facts", 0, "label"), None),
        "line 2: field 'annotations[1].human-atomic-facts[1].label': None is none of s, ns",
    ),
    "a verdict of another set": (
        *(published.DEEPFACT, False, ("human_verdict",), "MAYBE"),
        "line 3: field 'human_verdict': 'MAYBE' is none of",
    ),
}


@pytest.mark.parametrize(("rows", "listed", "way", "value", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_layout_is_refused_naming_file_line_and_field(
    tmp_path, rows, listed, way, value, said
):
    rows = copy.deepcopy(rows)
    part = rows[-1]
    for step in way[:-1]:
        part = part[step]
    if value is ...:
        del part[way[-1]]
    else:
        part[way[-1]] = value
    path = tmp_path / ("wrong.json" if listed else "wrong.jsonl")
    (as_list if listed else as_lines)(path, rows)
    with pytest.raises(BadTasks) as caught:
        labelled_set(path)
    assert f"{path.name}, {said}" in caught.value.problem


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("overall_label", 3, "object 2: field 'overall_label': is no whole number from -2 to 2"),
        ("model2", {"model_name": "b"}, "object 2: field 'model2.response': is missing or no text"),
        ("query", None, "object 2: field 'query': is missing or no text"),
    ],
)
def test_wrong_preferences_are_refused(tmp_path, field, value, said):
    rows = [published.RAGCHECKER[0], {**published.RAGCHECKER[1], field: value}]
    with pytest.raises(BadTasks, match=f"r.json, {said}"):
        ragchecker(as_list(tmp_path / "r.json", rows))


@pytest.mark.parametrize(
    ("file", "row", "said"),
    [
        (
            "human/annotations_comparative_judgment",
            {"option_a_output_id": "o1", "option_b_output_id": "o2", "preferred_output_id": "o3"},
            "line 2: field 'preferred_output_id': is neither of the two options",
        ),
        (
            "human/annotations_comparative_judgment",
            {"option_a_output_id": "o1", "option_b_output_id": "o9", "preferred_output_id": "o9"},
            "line 2: field 'option_b_output_id': is not in outputs.csv",
        ),
        ("base/tasks", {"task_id": "t1", "task": ""}, "line 2: field 'prompt': is missing"),
        ("outputs/outputs", {"output_id": "", "task_id": "t1"}, "line 2: field 'output_id'"),
    ],
)
def test_a_wrong_folder_of_judgment_bench_is_refused(tmp_path, file, row, said):
    folder = published.judgment_bench(tmp_path, **{file: [row]})
    with pytest.raises(BadTasks, match=f"{file.rpartition('/')[2]}.csv, {said}"):
        preferred_answers(folder)


def test_a_rubric_score_of_an_unknown_annotation_is_refused(tmp_path):
    rows = [{"annotation_id": "r9", "rubric_item_id": "i1", "raw_value": "1"}]
    folder = published.judgment_bench(tmp_path, **{"human/rubric_item_scores": rows})
    with pytest.raises(BadTasks, match="line 2: field 'annotation_id': 'r9' is in no other file"):
        graded_answers(folder)


def test_pages_without_a_key_or_a_text_are_refused(tmp_path):
    for row, said in (
        ({"text": "p"}, "field 'key': is missing, and so are question_id"),
        ({"id": "1", "title": "p"}, "field 'page': is missing, and so are text"),
        ({"id": "1", "docs": [{"title": "t"}]}, "field 'docs': is neither a text nor a list"),
    ):
        path = as_lines(tmp_path / "pages.jsonl", [row])
        with pytest.raises(BadTasks, match=f"pages.jsonl, line 1: {said}"):
            pairs_with_pages([], path)


@pytest.mark.parametrize("content", ["{", "[1]", '{"a": 1}'])
def test_what_is_no_list_of_objects_is_refused(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(BadTasks, match=r"x\.json: (not JSON|no list of objects)"):
        labelled_set(path)
