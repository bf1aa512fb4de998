"""`annotate status`, `export` and `import`, and what becomes of their files."""

import asyncio
import csv
import io
import re
import signal
import subprocess
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from deepassay.runfile import Rating, RunFile
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study


@pytest.fixture
def study(deepassay, small, judge):
    """A study of two raters on what two judges decided, with a second look."""
    options = ("--judge", "openai:good", "--judge", "offline", "--base-url", judge.base_url)
    done = deepassay("evaluate", *small, *options, "--protocol", "presentation", "--run", "r.assay")
    assert done.returncode == 0, done.stderr
    with RunFile.create(Path("study.assay")) as file:
        set_up_study(
            Path("r.assay"),
            file,
            StudyTerms(("presentation",), ("ana", "bo"), 2, second_look=True, seed=0),
        )
    return Path("study.assay")


def rate(study, rater, preferred):
    """Answer everything; at the second look agree with these judges. How often they were asked."""
    with RunFile.create(study) as file:
        return rate_in(StudyBook(file), rater, preferred)


def rate_in(book, rater, preferred):
    for number, item in enumerate(book.items):
        own = {question.key: "yes" for question in item.questions}
        asyncio.run(book.keep(Rating(f"{rater}{number}", rater, number, own, at="t")))
        look = {
            question.key: " ".join(preferred) or "none" for question, _ in book.opinions(number)
        }
        form = f"{rater}{number}/look"
        asyncio.run(book.keep(Rating(form, rater, number, look, saw_judge=True, second=True)))
    return sum(len(book.opinions(number)) for number in range(len(book.items)))


def test_the_second_look_goes_straight_into_agree_preferences(deepassay, study):
    none = deepassay("annotate", "export", "--format", "preferences")
    assert none.returncode == 2 and "Nobody has had a second look" in none.stderr
    rate(study, "ana", ["openai:good"])
    asked = rate(study, "bo", ["openai:good", "offline"])
    done = deepassay("annotate", "export", "--format", "preferences")
    Path("preferences.csv").write_text(done.stdout)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 2 * asked and {row["own verdict"] for row in rows} == {"yes"}
    counted = deepassay("agree", "preferences", "preferences.csv", "--format", "csv")
    assert counted.returncode == 0, counted.stderr
    rates = {row["figure"]: row for row in csv.DictReader(io.StringIO(counted.stdout))}
    values = {name: float(row["value"]) for name, row in rates.items()}
    assert values == {
        "openai:good preferred, alone or with others": 1.0,
        "openai:good preferred alone": 0.5,
        "offline preferred, alone or with others": 0.5,
        "offline preferred alone": 0.0,
        "all judges preferred (tie)": 0.5,
        "none preferred": 0.0,
    }
    Path("preferences.csv").write_text(done.stdout.replace('{""', "{"))
    spoiled = deepassay("agree", "preferences", "preferences.csv")
    assert spoiled.returncode == 2 and "names no judges" in spoiled.stderr


@pytest.mark.parametrize(
    ("then", "left"),
    [
        (["no"], False),  # another answer
        ([None], False),  # taken back, and nothing said since
        (["no", None, "no"], False),
        (["yes"], True),  # the same again, as with a note
        (["no", "yes"], True),
        ([None, "yes"], True),
    ],
)
def test_a_preference_counts_beside_the_answer_that_it_was_given_to(deepassay, study, then, left):
    rate(study, "ana", ["openai:good"])
    asked = rate(study, "bo", ["offline"])
    with RunFile.create(study) as file:
        book = StudyBook(file)
        number = 1
        changed = len(book.opinions(number))
        for at, said in enumerate(then):
            own = said and {question.key: said for question in book.items[number].questions}
            asyncio.run(book.keep(Rating(f"then{at}", "bo", number, own, at="t", saw_judge=True)))
        shown = None if left or then[-1] is None else number
        assert book.to_look_at("bo") == shown
        assert StudyBook(file).to_look_at("bo") == shown  # after a restart too
    done = deepassay("annotate", "export", "--format", "preferences")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 2 * asked - (0 if left else changed)
    assert {row["own verdict"] for row in rows} == {"yes"}
    told = "Without 1 second look at answers that were changed since"
    assert (told in done.stderr) is not left
    other = deepassay("annotate", "export")
    assert told not in other.stderr


def test_without_a_study_it_says_how_to_begin_one(deepassay, tmp_path):
    for asked in (("status",), ("export",), ("import", "x.json")):
        done = deepassay("annotate", *asked, "--study", "none.assay")
        assert done.returncode == 2 and "annotate serve" in done.stderr
        assert not Path("none.assay").exists()


def test_answers_go_to_label_studio_and_back_once(deepassay, study):
    rate(study, "ana", [])
    Path("ls.json").write_text(deepassay("annotate", "export", "--format", "label-studio").stdout)
    with RunFile.create(study):  # as while it is served
        busy = deepassay("annotate", "import", "ls.json")
    assert busy.returncode == 2 and "--study" in busy.stderr
    done = deepassay("annotate", "import", "ls.json")
    assert done.returncode == 0 and "0 taken" in done.stderr
    wrong = deepassay("annotate", "import", "ls.json", "--rater", "4")
    assert wrong.returncode == 2 and "ID=NAME" in wrong.stderr
    assert "ana: " in deepassay("annotate", "status").stdout


def test_answers_on_another_run_are_refused_by_agree(deepassay, study, judged):
    rate(study, "ana", [])
    Path("people.csv").write_text(deepassay("annotate", "export").stdout)
    other = judged("coverage", checklist=["Is scattering named?"])
    done = deepassay("agree", other, "--human", "people.csv")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "decides on nothing that the run files hold" in done.stderr


@pytest.mark.parametrize(
    ("language", "why"),
    [("de", "the pages are not in it"), ("eve=zh", "eve is no rater"), ("ana=", "are not in it")],
)
def test_a_language_that_nobody_can_read_is_refused(deepassay, small, language, why):
    Path("q.yaml").write_text("questions:\n  - {key: a, text: b, labels: [x]}\n")
    tasks, reports = small
    given = ("--tasks", tasks, "--questions", "q.yaml", "--raters", "ana", "--language", language)
    done = deepassay("annotate", "serve", reports, *given, "--port", "0")
    assert done.returncode == 2 and why in done.stderr
    assert not Path("study.assay").exists()


@contextmanager
def serving(*given):
    """The command in a process of its own, and what it noted until it served."""
    command = ["deepassay", "annotate", "serve", *map(str, given), "--port", "0"]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        try:
            noted = ""
            while "Everything is kept" not in noted:
                line = process.stderr.readline()
                assert line, noted
                noted += line
            yield process, noted
        finally:
            process.kill()


def test_on_another_port_it_says_where_the_keys_of_before_are_entered(deepassay, small):
    """Of keys the file has digests only, so that whole addresses cannot be shown again."""
    Path("q.yaml").write_text("questions:\n  - {key: a, text: b, labels: [x]}\n")
    tasks, reports = small
    given = (reports, "--tasks", tasks, "--questions", "q.yaml", "--raters", "ana,bo")
    with serving(*given) as (process, noted):
        process.send_signal(signal.SIGINT)
        shown = process.stdout.read()
    assert "KEY" not in noted
    addresses = dict(line.split(": ", 1) for line in shown.splitlines())
    assert {*addresses} == {"ana", "bo", "leader"}
    with serving(*given) as (process, noted):
        entrance = re.search(r"http://127.0.0.1:\d+/enter(?=#KEY)", noted)[0]
        host = entrance.split("/")[2]
        headers = {"Origin": f"http://{host}", "Content-Type": "application/x-www-form-urlencoded"}

        def enter(key):
            with closing(HTTPConnection(host, timeout=60)) as page:
                page.request("POST", "/enter", urlencode({"token": key}), headers)
                return page.getresponse().status

        assert enter("no key") == 403
        for before in addresses.values():
            assert not before.startswith(entrance)  # another port was free
            assert enter(before.partition("#")[2]) == 303
        process.send_signal(signal.SIGINT)
        assert not process.stdout.read()
