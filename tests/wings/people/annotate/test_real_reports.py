"""Real reports in both languages, two raters and a leader by keyboard, and what `agree` finds.

The coefficients are counted here a second time, from what was pressed.
"""

import asyncio
import csv
import io
import json
import os
import random
import re
import signal
import subprocess
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import aevaluate
from deepassay.run.showing.records import judged
from deepassay.runfile import RunFile
from deepassay.wings.people.annotate.book import StudyBook
from tests.asked import asked
from tests.browser import needs_chromium
from tests.wings.people.annotate.keyboard import Rater, serving

pytestmark = [needs_chromium, pytest.mark.slow]

TASKS = ("13", "97")  # short ones, of each language
AGENTS = {
    "dotterel": "claude-3-7-sonnet.raw",
    "onyx": "onyx.cleaned",
}
PROTOCOLS = ("race(reference=False)", "fact", "depth")
RACE = PROTOCOLS[0]
PARTS = ("comprehensiveness", "insight", "instruction_following", "readability")


@pytest.fixture(scope="module")
def run(shared, tmp_path_factory):
    """Two tasks of DeepResearch Bench, two reports on each, judged by rule."""
    folder, bench = tmp_path_factory.mktemp("run"), shared / "data" / "bench"

    def rows(name):
        lines = (bench / name).read_text("utf-8").splitlines()
        return [row for row in map(json.loads, lines) if str(row["id"]) in TASKS]

    def keep(name, found):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in found))
        return folder / name

    urls = set()
    for agent, name in AGENTS.items():
        (folder / agent).mkdir()
        for row in rows(f"reports/{name}.jsonl"):
            (folder / agent / f"{row['id']}.md").write_text(row["article"])
            urls |= set(re.findall(r"https?://[^\s)\]>]+", row["article"]))
    pages = [{"url": url, "text": f"Page {n} says something. " * 40} for n, url in enumerate(urls)]
    import_pages([keep("pages.jsonl", pages)], folder / "run.assay", None)
    request = asked(
        keep("tasks.jsonl", rows("query.jsonl")),
        [folder / agent for agent in AGENTS],
        protocols=list(PROTOCOLS),
        criteria=keep("criteria.jsonl", rows("criteria.jsonl")),
        baseline="onyx",
        run=folder / "run.assay",
        offline_sources=True,
    )
    asyncio.run(aevaluate(*request))
    return folder / "run.assay"


class Person(Rater):
    """Somebody who presses keys by chance, of whom it is kept which."""

    def begin(self, language, seed):
        self.send("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
        self.pressed, self.pages, self.random = {}, [], random.Random(seed)

    def answer(self, last=None):
        """Answer the item that is shown, up to some question."""
        number, keys = self.read()
        self.pages.append(self.run("document.documentElement.outerHTML"))
        chosen = [self.random.choice([*each]) for each in keys]
        self.press(*chosen[:last])
        self.pressed[number] = [each[key] for each, key in zip(keys, chosen, strict=True)]
        return chosen

    def rest(self, end):
        while end not in self.run("document.body.textContent"):
            self.answer()
            self.leave("Enter")


def test_real_reports_by_keyboard_come_to_the_coefficients_that_counting_gives(run, tmp_path):
    study = tmp_path / "study.assay"
    with Person() as ana, Person() as bo, Rater() as leader:
        ana.begin("en", 1)
        bo.begin("zh-CN", 2)
        with serving(run, study, questions=PROTOCOLS) as (addresses, process):
            port = addresses["ana"].split(":")[2].split("/")[0]
            ana.go(addresses["ana"])
            bo.go(addresses["bo"])
            ana.answer()
            ana.leave("Enter")
            ana.leave("z")
            ana.answer()
            ana.leave("Enter")
            later = ana.answer(last=1)[1:]
            ana.send("Page.reload")
            ana.until("!!document.querySelector('fieldset.here')")
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        with serving(run, study, questions=PROTOCOLS, port=port):
            ana.go(f"http://127.0.0.1:{port}/")
            ana.press(*later)
            ana.leave("Enter")
            ana.rest("Thank you")
            bo.rest("谢谢")
            leader.go(addresses["leader"])
            assert leader.run("document.body.innerText.match(/6 of 6/g).length") == 2
            leader.press("Tab")
            assert leader.run("document.activeElement.getAttribute('href')") == "/decisions.csv"
            shown = leader.run("document.body.innerText")
        assert not [each for own in (ana, bo) for each in own.of("Runtime.exceptionThrown")]
        told = [name for page in (*ana.pages, *bo.pages) for name in AGENTS if name in page.lower()]
        assert not told
    with RunFile.read(study) as file:
        items = StudyBook(file).items
        assert not file.verify().damage
    people = {"ana": ana.pressed, "bo": bo.pressed}
    printed = _command("annotate", "export", "--study", study)
    rows = list(csv.DictReader(io.StringIO(printed)))
    said = {
        (row["rater"], row["agent"], row["task"], row["protocol"], row["item"]): row["score"]
        or row["verdict"]
        for row in rows
    }
    assert said == {
        # What was pressed is kept by its place, as the page sends it.
        (rater, item.agent, item.task, question.protocol, question.item): question.menu[
            int(place)
        ].value
        for rater, own in people.items()
        for number, item in enumerate(items)
        for question, place in zip(item.questions, own[number], strict=True)
    }
    (tmp_path / "people.csv").write_text(printed)
    counted = _command("agree", run, "--human", tmp_path / "people.csv", "--format", "csv")
    found = {
        (row["protocol"].partition("(")[0], row["part"], row["figure"]): float(
            row["value"] or "nan"
        )
        for row in csv.DictReader(io.StringIO(counted))
    }
    for part in PARTS:
        for name, value in _of_marks(run, said, part).items():
            assert found["race", part, name] == pytest.approx(value), (part, name)
    for protocol in ("fact", "depth"):
        for name, value in _of_verdicts(items, said, protocol).items():
            assert found[protocol, "", name] == pytest.approx(value), (protocol, name)
    pairs = [
        (value, said["bo", *place])
        for (rater, *place), value in said.items()
        if rater == "ana" and place[2] == "fact"
    ]
    same = np.mean([one == other for one, other in pairs])  # the leader sees all three words
    assert re.search(rf"fact\s+{len(pairs)}\s+{same:.2f}", shown)


def _command(*words):
    command = ["deepassay", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _of_marks(run, said, part):
    """Coefficients of the marks for one dimension: the judge's against the mean of the people's."""
    with RunFile.read(run) as file:
        ours = {
            (each.agent, each.task): each.outcome.parts[part]
            for each in judged(file)
            if each.protocol == RACE
        }
    places = sorted(ours, key=lambda place: (place[1], place[0]))
    judge = np.array([ours[place] for place in places])
    marks = np.array(
        [[float(said[rater, *place, RACE, part]) for rater in ("ana", "bo")] for place in places]
    )
    pairs = [
        np.sign(round(judge[a] - judge[b], 9)) == np.sign(marks[a, rater] - marks[b, rater])
        for a, b in combinations(range(len(places)), 2)
        if places[a][1] == places[b][1]
        for rater in (0, 1)
    ]
    count = len(places)
    between = 2 * ((marks.mean(1) - marks.mean()) ** 2).sum() / (count - 1)
    within = ((marks - marks.mean(1, keepdims=True)) ** 2).sum() / count
    return {
        "PAR against each person": np.mean(pairs),
        "Pearson's r": stats.pearsonr(judge, marks.mean(1))[0],
        "Spearman's rho": stats.spearmanr(judge, marks.mean(1))[0],
        "Kendall's tau-b": stats.kendalltau(judge, marks.mean(1))[0],
        "ICC(1,1)": (between - within) / (between + within),
        "Krippendorff's alpha, interval": _alpha(marks.tolist(), lambda a, b: (a - b) ** 2),
    }


def _of_verdicts(items, said, protocol):
    """The same of words: raw agreement, kappa of all decisions, alpha of the people."""
    words = {"supported": "met", "unsupported": "not met", "unknown": "not met"}
    units, decided = [], []
    for item in items:
        for question in item.questions:
            if question.protocol.partition("(")[0] == protocol:
                key = (item.agent, item.task, question.protocol, question.item)
                own = [words.get(said[r, *key], said[r, *key]) for r in ("ana", "bo")]
                units.append(own)
                judge_said = question.opinions[0].verdict
                decided += [(each, words.get(judge_said, judge_said)) for each in own]
    agreed = np.mean([one == other for one, other in decided])
    people, judge = (Counter(each[side] for each in decided) for side in (0, 1))
    chance = sum(people[word] * judge[word] for word in people) / len(decided) ** 2
    return {
        "agreement with offline": agreed,
        "Cohen's kappa, offline": (agreed - chance) / (1 - chance),
        "agreement of people with each other": np.mean([one == other for one, other in units]),
        "Krippendorff's alpha of people, nominal": _alpha(units, lambda a, b: float(a != b)),
    }


def _alpha(units, distance):
    """Krippendorff's alpha of two raters without gaps: observed by expected disagreement."""
    values = [value for unit in units for value in unit]
    observed = np.mean([distance(*unit) for unit in units])
    expected = np.mean([distance(a, b) for a, b in combinations(values, 2)])
    return 1 - observed / expected
