"""What people are asked, by protocol and by file, and what their answers come to in `agree`."""

import asyncio
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from deepassay.errors import BadInput, BadSetting, ConfigurationChanged, Notice
from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import aevaluate
from deepassay.runfile import Rating, RunFile
from deepassay.score import digest
from deepassay.wings.people.agreement.people_files import read_decisions
from deepassay.wings.people.agreement.runs import hold
from deepassay.wings.people.annotate import blinding, question_file, setting_up
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.exchange import as_decisions
from deepassay.wings.people.annotate.question_file import read_questions
from deepassay.wings.people.annotate.questions import DECLARED, RACE, is_turned, on_menu
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
from tests.asked import asked

DEMO = Path(__file__).parents[4] / "examples" / "demo"


standard = cache(blinding.standard)


@pytest.fixture(autouse=True)
def put_once(monkeypatch):
    """Nearly all that a study takes goes into putting its reports, here the same in each study."""
    monkeypatch.setattr(blinding, "standard", standard)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """One task of the demo, judged by rule under every protocol."""
    path = tmp_path_factory.mktemp("run") / "run.assay"
    import_pages([DEMO / "pages.jsonl"], path, None)
    request = asked(
        DEMO / "tasks.jsonl",
        [DEMO / "reports"],
        protocols=["all"],
        limit=2,
        run=path,
        offline_sources=True,
        reference="heron",
        criteria=DEMO / "criteria.yaml",
        rubric=DEMO / "rubrics.yaml",
        date="2026-05-04",
    )
    asyncio.run(aevaluate(*request))
    return path


def study_of(run, folder, *questions, **terms):
    """The items of a study, and what raters see of them."""
    with RunFile.create(folder / "study") as file:
        set_up_study(
            run, file, StudyTerms(questions, ("ana", "bo"), per_item=2, **({"seed": 0} | terms))
        )
        book = StudyBook(file)
        return book.items, [book.shown(number) for number in range(len(book.items))]


@pytest.mark.filterwarnings("ignore:.*answers to them do not count")
@pytest.mark.parametrize("protocol", [*DECLARED, "race", "citation_association"])
def test_every_protocol_becomes_questions_with_its_menu(run, tmp_path, protocol):
    items, shown = study_of(run, tmp_path, protocol)
    asked_ = [question for item in items for question in item.questions]
    assert asked_
    menus = {tuple(choice.value for choice in question.menu) for question in asked_}
    if protocol == "depth":  # the baseline is the first report of some pairs
        assert len(menus) == 2
        with RunFile.read(run) as file:
            own = {(each.agent, each.task): each.text for each in file.reports()}
        for item in items:
            values = [choice.value for choice in item.questions[0].menu]
            assert (values[0] == "win") is (item.report == own[item.agent, item.task])
        menus = {max(menus)}
    declared = DECLARED.get(protocol)
    wanted = ("yes", "no") if declared is None else tuple(each.value for each in declared.menu)
    assert menus == ({tuple(map(str, range(11)))} if protocol == "race" else {wanted})
    said = {(one.verdict, q.menu) for q in asked_ for one in q.opinions}
    assert (protocol == "race") is not bool(said)
    assert all(verdict in {choice.value for choice in menu} for verdict, menu in said)
    keys = Counter((number, q.key) for number, item in enumerate(items) for q in item.questions)
    assert max(keys.values()) == 1
    assert all(bool(item.rival) == (protocol == "depth") for item in items)
    assert not [question for item in shown for question in item.questions if question.opinions]
    if protocol in ("fact", "citation_accuracy"):
        assert all(question.passage and question.passage.url for question in asked_)
        assert any(question.passage.text for question in asked_)


def turned(items):
    """Of which pairs the baseline comes first, by agent, task, sample and protocol."""
    return {
        (item.agent, item.task, item.sample, item.questions[0].protocol): item.questions[0]
        .menu[0]
        .value
        == "loss"
        for item in items
        if item.rival
    }


def test_which_report_comes_first_cannot_be_worked_out_without_the_file(run, tmp_path):
    """Of the same terms, seed and names each study turns its pairs in a way of its own."""
    found, terms = [], StudyTerms(("depth",), ("ana",), seed=0)
    for number in range(24):
        with RunFile.create(tmp_path / f"study-{number}") as file:
            set_up_study(run, file, terms)
            items = StudyBook(file).items
            if number < 3:
                set_up_study(run, file, terms)  # as after a restart
                assert StudyBook(file).items == items
        found.append(turned(items))
    assert found[0] and len({tuple(sorted(each.items())) for each in found}) > 1
    for pair in found[0]:
        assert {each[pair] for each in found} == {False, True}


def test_it_is_said_how_many_questions_are_on_reports_that_cannot_count(run, tmp_path, recwarn):
    items, _ = study_of(run, tmp_path, "race", "coverage")
    asked_ = [(item.agent, each) for item in items for each in item.questions]
    on_race = [agent for agent, each in asked_ if each.protocol.startswith("race")]
    own, every = on_race.count("heron"), len(asked_)
    assert own == 2 * len(RACE) < len(on_race)
    told = [str(each.message) for each in recwarn if each.category is Notice]
    assert [each for each in told if each.startswith(f"{own} of the {every} questions")] == told
    assert "reports of 'heron'" in told[0] and "do not count" in told[0]


def test_nothing_is_said_where_all_questions_count(run, tmp_path, recwarn):
    study_of(run, tmp_path, "race/criteria", "coverage", "depth")
    assert not [each for each in recwarn if each.category is Notice]


def test_studies_of_earlier_versions_keep_their_order(run, tmp_path, monkeypatch):
    terms = StudyTerms(("depth",), ("ana", "bo"), seed=0)
    with RunFile.create(tmp_path / "study") as file:
        with monkeypatch.context() as patch:
            patch.setattr(setting_up, "_salt_of", lambda study: "")
            set_up_study(run, file, terms)
        book = StudyBook(file)
        assert "salted" not in file.annotating.study
        for place, is_turned in turned(book.items).items():
            assert is_turned is (int(digest([*place])[:8], 16) % 2 == 1)
        before = book.items, file.annotating.duties()
        set_up_study(run, file, terms)
        set_up_study(run, file, replace(terms, seed=None))
        assert (StudyBook(file).items, file.annotating.duties()) == before


@pytest.mark.parametrize("protocol", ["coverage", "rubrics", "presentation"])
def test_studies_of_earlier_versions_keep_the_words_of_judges(run, tmp_path, monkeypatch, protocol):
    terms = StudyTerms((protocol,), ("ana", "bo"), seed=0)
    with RunFile.create(tmp_path / "study") as file:
        with monkeypatch.context() as patch:
            patch.setattr(setting_up, "_is_worded", lambda study: False)
            set_up_study(run, file, terms)
        before = StudyBook(file).items
        assert "worded" not in file.annotating.study
        set_up_study(run, file, terms)  # as after a restart
        assert StudyBook(file).items == before
    kept = {one.verdict for item in before for q in item.questions for one in q.opinions}
    assert kept and kept <= {"met", "partly met", "not met"}


@pytest.mark.parametrize(
    ("protocol", "said", "value"),
    [
        ("rubrics", ["Partially Satisfied", "partly met"], "partially satisfied"),
        ("rubrics", ["Yes", "met"], "satisfied"),
        ("rubrics", ["not met"], "not satisfied"),
        ("fact", ["unknown", "not met"], "unknown"),
        ("citation_accuracy", ["unsupported", "not met"], "unsupported"),
        ("citation_accuracy", ["not_asked", "not met"], "not met"),
        ("kae", ["CONTRADICTS", "not met"], "contradicts"),
        ("fact", ["not met"], "not met"),  # of a study begun before: unsupported, or unknown
        ("depth", ["loss"], "loss"),
        ("coverage", ["", "not met"], "no"),
        ("coverage", ["", "met"], "yes"),
        ("coverage", ["unsure"], "unsure"),
    ],
)
def test_what_a_judge_said_is_the_answer_of_the_menu(protocol, said, value):
    assert on_menu(DECLARED[protocol].menu, *said) == value


def test_without_a_seed_each_study_has_an_order_that_nobody_knows(run, tmp_path):
    orders = []
    for number in range(6):
        with RunFile.create(tmp_path / f"study-{number}") as file:
            terms = StudyTerms(("coverage",), ("ana",))
            set_up_study(run, file, terms)
            set_up_study(run, file, terms)
            orders.append([(each.agent, each.task) for each in StudyBook(file).items])
            with pytest.raises(ConfigurationChanged, match="seed"):
                set_up_study(run, file, replace(terms, seed=0))
    assert len(set(map(tuple, orders))) > 1 and len({tuple(sorted(each)) for each in orders}) == 1


def test_answers_come_to_the_rate_that_counting_gives(run, tmp_path):
    """Ana always says yes, Bo never: each agrees with the judge on what the judge says so."""
    with RunFile.create(tmp_path / "study") as file:
        set_up_study(run, file, StudyTerms(("coverage",), ("ana", "bo"), per_item=2, seed=0))
        book = StudyBook(file)
        for number, item in enumerate(book.items):
            for rater, said in (("ana", "yes"), ("bo", "no")):
                answers = {question.key: said for question in item.questions}
                asyncio.run(book.keep(Rating(f"{rater}{number}", rater, number, answers)))
        judged = [q.opinions[0].verdict for item in book.items for q in item.questions]
        (tmp_path / "people.csv").write_text(as_decisions(book))
    (sheet,) = hold([tmp_path / "people.csv"], [run], seed=1).sheets
    met = judged.count("yes")
    found = {each.name: each.value for each in sheet.figures}
    assert found["agreement with offline"] == pytest.approx(0.5)
    assert found["agreement with offline where people say met"] == pytest.approx(met / len(judged))
    assert found["agreement of people with each other"] == 0.0


def test_marks_for_the_criteria_of_race_come_to_its_dimensions(run, tmp_path):
    with RunFile.create(tmp_path / "study") as file:
        set_up_study(run, file, StudyTerms(("race/criteria",), ("ana",), seed=0))
        book = StudyBook(file)
        item = next(each for each in book.items if each.language == "en")
        answers = {q.key: str(at % 11) for at, q in enumerate(item.questions)}
        asyncio.run(book.keep(Rating("f", "ana", book.items.index(item), answers)))
        (tmp_path / "people.csv").write_text(as_decisions(book))
    assert all(q.text.startswith("How well is this met") for q in item.questions)
    decided = {each.item: each.score for each in read_decisions(tmp_path / "people.csv").usable}
    wanted = {}
    for name in RACE:
        own = [(at % 11, q.weight) for at, q in enumerate(item.questions) if q.part == name]
        wanted[name] = sum(mark * weight for mark, weight in own) / sum(w for _, w in own)
    assert decided == pytest.approx(wanted)
    (sheet, *_) = hold([tmp_path / "people.csv"], [run], seed=1).sheets
    assert sheet.protocol == "race" and sheet.part in RACE


QUESTIONS = """
questions:
  - key: useful
    text: Would you act on it?
    menu: [yes, no]
  - key: effort
    text: How much work would it save, 0 to 4?
    scale: 4
"""


def test_questions_of_a_file_are_asked_about_reports_that_no_run_has(tmp_path):
    (tmp_path / "q.yaml").write_text(QUESTIONS)
    with RunFile.create(tmp_path / "study") as file:
        terms = StudyTerms(
            (str(tmp_path / "q.yaml"),), ("ana",), tasks=DEMO / "tasks.jsonl", limit=3, seed=0
        )
        set_up_study(DEMO / "reports", file, terms)
        items = StudyBook(file).items
    assert len(items) == 3
    assert [question.key for question in items[0].questions] == ["useful", "effort"]
    assert [choice.value for choice in items[0].questions[1].menu] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("questions: []", "questions: "),
        ("questions:\n  - {key: a, text: b}", "give either menu, scale or pairs, or labels alone"),
        ("questions:\n  - {key: a, text: b, scale: 3}\n  - {key: a, text: c, scale: 3}", "twice"),
        ("questions:\n  - {key: a, text: b, scale: 3, colour: red}", "questions.0.colour"),
        ("questions:\n  - {key: a, text: b, scale: 3, pairs: all}", "give either menu, scale or"),
        ("questions:\n  - {key: a, text: b, scale: 3, least: 1}", "it goes with labels"),
        ("questions:\n  - {key: a, text: b, labels: [x, x]}", "a label is there twice"),
        ("questions:\n  - {key: a, text: {en: b}, labels: [x]}", "questions.0.text.zh"),
    ],
)
def test_a_file_of_questions_that_is_wrong_is_told_where(tmp_path, text, why):
    (tmp_path / "q.yaml").write_text(text)
    with pytest.raises(BadInput, match=why):
        read_questions(tmp_path / "q.yaml")


def test_reports_alone_need_tasks_and_questions_of_a_file(tmp_path):
    with RunFile.create(tmp_path / "study") as file:
        with pytest.raises(BadSetting, match="is no run file"):
            set_up_study(DEMO / "reports", file, StudyTerms(("coverage",), ("ana",)))
        (tmp_path / "q.yaml").write_text(QUESTIONS)
        with pytest.raises(BadSetting, match="do not say what was asked"):
            set_up_study(DEMO / "reports", file, StudyTerms((str(tmp_path / "q.yaml"),), ("ana",)))


def file_study(folder, text, **terms):
    (folder / "q.yaml").write_text(text, "utf-8")
    with RunFile.create(folder / "study") as file:
        given = {"raters": ("ana",), "tasks": DEMO / "tasks.jsonl", "seed": 0} | terms
        set_up_study(DEMO / "reports", file, StudyTerms((str(folder / "q.yaml"),), **given))
        return StudyBook(file).items


@pytest.mark.parametrize(("against", "of_a_task"), [("all", 3), ("heron", 2)])
def test_pairs_of_a_file_are_all_of_a_task_or_those_with_one_agent(
    tmp_path, monkeypatch, against, of_a_task
):
    # By chance, all of a study come the same way round in one of some hundred.
    monkeypatch.setattr(question_file, "is_turned", lambda place, salt: is_turned(place, "3"))
    text = f"questions:\n  - {{key: a, text: {{en: Better?, zh: 更好？}}, pairs: {against}}}"
    items = file_study(tmp_path, text)
    per_task = Counter(item.task for item in items)
    assert {*per_task.values()} == {of_a_task}
    assert {item.rival_first for item in items} == {False, True}
    for item in items:
        assert item.questions[0].text == ("Better?" if item.language == "en" else "更好？")
        assert against in ("all", item.rival_agent)
        values = [choice.value for choice in item.questions[0].menu]
        assert values == ["loss", "tie", "win"][:: 1 if item.rival_first else -1]
        own = (DEMO / "reports" / item.agent / f"{item.task}.md").read_text("utf-8")
        assert (item.rival if item.rival_first else item.report).strip() == own.strip()


def test_an_agent_that_is_not_there_makes_no_pair(tmp_path):
    with pytest.raises(BadSetting, match="no task has a pair of reports for pairs: eagle"):
        file_study(tmp_path, "questions:\n  - {key: a, text: b, pairs: eagle}")
