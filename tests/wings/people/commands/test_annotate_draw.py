"""`annotate draw`, its rounds, and `calibrate --drawn`: from a run to a comparison by people."""

import asyncio
import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from deepassay.errors import ConfigurationChanged
from deepassay.runfile import Rating, RunFile
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.drawing import DrawFile
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
from tests.judging import verdicts
from tests.loopback import FakeJudge

TASKS = range(26)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tmp_path_factory.mktemp("made") / "run.assay"


@pytest.fixture
def run(deepassay, made):
    """Two agents on 26 tasks, whose ten checks of presentation the offline rule decided on."""
    tasks = [{"id": f"t{at}", "prompt": f"Write about {at} birds."} for at in TASKS]
    Path("tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)) + "\n")
    for agent in ("heron", "wren"):
        for at in TASKS:
            place = Path("reports", agent, f"t{at}.md")
            place.parent.mkdir(parents=True, exist_ok=True)
            cited = "[1]\n\n## References\n\n[1] Birds. https://birds.example/1\n"
            ending = cited if at % 3 or agent == "heron" else ""
            place.write_text(f"# Birds {at}\n\nThere are {at} birds {ending}")
    if not made.exists():
        done = deepassay(
            *("evaluate", "tasks.jsonl", "reports", "--protocol", "presentation"),
            *("--judge", "offline", "--date", "2026-05-04", "--run", made),
        )
        assert done.returncode == 0, done.stderr
    return Path(shutil.copy(made, "."))


def draw(deepassay, *options):
    return deepassay("annotate", "draw", "run.assay", "-o", "draw.json", *options)


def answer(study: str, yes) -> str:
    """Set up what was drawn last, answer all of it, and give it as `annotate export` does."""
    terms = StudyTerms(("presentation",), ("ana",), seed=0, drawn=Path("draw.json"))
    with RunFile.create(Path(study)) as file:
        set_up_study(Path("run.assay"), file, terms)
        book = StudyBook(file)
        while (number := book.place("ana").number) is not None:
            item = book.items[number]
            own = {each.key: "yes" if yes(item, each) else "no" for each in item.questions}
            asyncio.run(book.keep(Rating(f"a{number}", "ana", number, own, at="t")))
    return study


def test_rounds_go_on_until_the_interval_is_narrow_enough(deepassay, run):
    first = draw(deepassay, "--questions", "presentation", "--limit", "120", "--within", "0.3")
    assert first.returncode == 0, first.stderr
    assert "0 labels so far; 520 verdicts of heron and wren." in first.stdout
    assert "No interval yet: it takes labels on 20 tasks of each agent." in first.stdout
    file = DrawFile.of_file(Path("draw.json"))
    asked = len(file.drawn_in(1))
    assert f"round 1, {asked} verdicts to ask people" in first.stderr
    assert 80 < asked < 160
    assert sum(each.chance for each in file.items) == pytest.approx(120)

    study = answer("first.assay", lambda item, question: question.item in ("p1", "P1"))
    done = deepassay("annotate", "export", "--study", study)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {(r["task"], r["agent"], int(r["sample"]), r["item"].lower()) for r in rows} == {
        *file.drawn_in(1)
    }
    Path("people.csv").write_text(done.stdout)

    second = draw(deepassay, "--human", "people.csv", "--within", "0.01", "--limit", "40")
    assert second.returncode == 0, second.stderr
    assert f"{asked} labels so far" in second.stdout
    assert "heron less wren, by people:" in second.stdout
    assert "more labels would do" in second.stdout
    later = DrawFile.of_file(Path("draw.json"))
    assert later.rounds == 2
    assert all(a.chance <= b.chance for a, b in zip(file.items, later.items, strict=True))
    assert {each.place for each in later.items if each.round == 1} == file.drawn_in(1)

    wide = draw(deepassay, "--human", "people.csv", "--within", "0.9")
    assert wide.returncode == 0
    assert "narrow enough: stop here. Nothing is drawn." in wide.stdout
    assert DrawFile.of_file(Path("draw.json")) == later

    told = deepassay("calibrate", run, "--human", "people.csv", "--drawn", "draw.json")
    assert told.returncode == 0, told.stderr
    assert "presentation, items, judge offline" in told.stdout
    rows = deepassay(
        *("calibrate", run, "--human", "people.csv", "--drawn", "draw.json", "--format", "csv")
    )
    figures = {(r["agent"], r["figure"]): r for r in csv.DictReader(io.StringIO(rows.stdout))}
    assert float(figures["heron", "people"]["low"]) < float(figures["heron", "people"]["high"])
    plain = deepassay("calibrate", run, "--human", "people.csv", "--format", "csv")
    assert plain.stdout != rows.stdout, "labels count by their chances"


def test_further_rounds_come_to_the_same_study(deepassay, run):
    def yes(item, question):
        return question.item in ("p1", "P1")

    def labels():
        done = deepassay("annotate", "export", "--study", "study.assay")
        Path("people.csv").write_text(done.stdout)
        return [
            (r["task"], r["agent"], int(r["sample"]), r["item"].lower())
            for r in csv.DictReader(io.StringIO(done.stdout))
        ]

    drawn = ("--limit", "60", "--within", "0.01")
    assert draw(deepassay, "--questions", "presentation", *drawn).returncode == 0
    answer("study.assay", yes)
    first = labels()
    for _ in range(2):  # the second of these rounds is drawn before the first is asked about
        assert draw(deepassay, "--human", "people.csv", *drawn).returncode == 0
    with RunFile.read(Path("study.assay")) as file:
        begun = StudyBook(file).items
    answer("study.assay", yes)
    with RunFile.read(Path("study.assay")) as file:
        assert StudyBook(file).items[: len(begun)] == begun
        assert not file.verify().damage
    every = labels()
    file = DrawFile.of_file(Path("draw.json"))
    assert file.rounds == 3
    assert len(every) == len({*every}), "nothing is asked twice"
    assert {*every} == file.drawn_in(1) | file.drawn_in(2) | file.drawn_in(3)
    assert {*first} == file.drawn_in(1)
    answer("study.assay", yes)  # again, and nothing is left to answer
    assert labels() == every
    other = StudyTerms(("presentation",), ("ana", "bo"), seed=0, drawn=Path("draw.json"))
    with (
        RunFile.create(Path("study.assay")) as study,
        pytest.raises(ConfigurationChanged, match="raters"),
    ):
        set_up_study(Path("run.assay"), study, other)


def test_labels_on_what_was_not_drawn_do_not_count(deepassay, run):
    assert draw(deepassay, "--questions", "presentation", "--limit", "20").returncode == 0
    file = DrawFile.of_file(Path("draw.json"))
    other = next(each for each in file.items if not each.round)
    Path("people.csv").write_text(
        "agent,task,rater,protocol,item,verdict\n"
        f"{other.agent},{other.task},ana,presentation,{other.item},yes\n"
    )
    done = draw(deepassay, "--human", "people.csv")
    assert "1 labels are on what was not drawn, and do not count." in done.stdout
    told = deepassay("calibrate", run, "--human", "people.csv", "--drawn", "draw.json")
    assert told.returncode == 2


@pytest.mark.parametrize(
    "options, said",
    [
        ((), "No question is named"),
        (("--questions", "race"), "Nobody was judged by 'race'"),
        (("--questions", "presentation", "--between", "heron"), "not two agents"),
        (("--questions", "presentation", "--between", "heron,moa"), "no agent 'moa'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(deepassay, run, options, said):
    done = draw(deepassay, *options)
    assert done.returncode == 2
    assert said in done.stderr
    assert not Path("draw.json").exists()


def test_marks_on_a_scale_are_no_verdicts_to_draw(deepassay, run):
    tasks, reports = "tasks.jsonl", "reports"
    rated = ("--protocol", "direct_rating", "--judge", "offline", "--date", "2026-05-04")
    done = deepassay("evaluate", tasks, reports, *rated, "--run", "rated.assay")
    assert done.returncode == 0, done.stderr
    asked = ("--questions", "direct_rating", "-o", "draw.json")
    done = deepassay("annotate", "draw", "rated.assay", *asked)
    assert done.returncode == 2
    assert "no verdicts of heron and of wren to draw from" in done.stderr
    assert not Path("draw.json").exists()


def test_a_draw_goes_on_as_it_began(deepassay, run):
    assert draw(deepassay, "--questions", "presentation").returncode == 0
    other = draw(deepassay, "--between", "wren,heron")
    assert other.returncode == 2
    assert "--between: the draw that is there is for" in other.stderr
    begun = draw(deepassay, "--questions", "presentation", "--between", "wren,heron", "--force")
    assert begun.returncode == 0
    assert DrawFile.of_file(Path("draw.json")).between == ("wren", "heron")


def test_only_what_was_drawn_of_a_run_is_served(deepassay, run):
    assert draw(deepassay, "--questions", "presentation").returncode == 0
    done = deepassay("annotate", "serve", "reports", "--raters", "a", "--drawn", "draw.json")
    assert done.returncode == 2
    assert "Name the run, and its --questions." in done.stderr


def test_of_a_panel_what_not_all_judges_decided_is_left_out_and_counted(deepassay, run):
    def half(body):
        return "{}" if "# Birds 3\\n" in str(body) else verdicts(body)

    with FakeJudge(half) as doubtful:
        done = deepassay(
            *("evaluate", "tasks.jsonl", "reports", "--protocol", "presentation"),
            *("--judge", "offline", "--judge", "openai:x", "--base-url", doubtful.base_url),
            *("--date", "2026-05-04", "--run", "panel.assay"),
        )
    assert done.returncode == 0, done.stderr
    drawn = deepassay(
        *("annotate", "draw", "panel.assay", "--questions", "presentation", "-o", "panel.json")
    )
    assert drawn.returncode == 0, drawn.stderr
    # Two reports each of task 3 alone: ten checks that one of both judges decided.
    assert "500 verdicts of" in drawn.stdout
    assert "20 verdicts are left out: not all judges gave one." in drawn.stdout
