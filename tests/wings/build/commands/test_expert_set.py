"""From a survey to a set that is scored, by the real commands, models and people scripted."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from deepassay.results.tables import unguarded
from deepassay.runfile.questions import Item
from deepassay.tasks.loaders import load_tasks
from deepassay.wings.build.experts.query_drafts import read_drafts
from deepassay.wings.build.experts.survey import read_plan, write_plan
from deepassay.wings.people.annotate.setting_up import StudyTerms
from tests.cli.conftest import Run
from tests.loopback import FakeJudge
from tests.wings.people.annotate.studies import client, filled, placed, served

SURVEY = "domain,category,group\n" + "".join(
    f"{domain},{category},{group}\n"
    for domain, category, group in (
        *[("Health", "decision support", "general")] * 4,
        *[("Economy", "market analysis", "enterprise")] * 3,
        *[("Law; Economy", "policy & regulation", "research")] * 2,
        ("经济", "market analysis", "general"),
    )
)
Answer = Callable[[Item, str], dict[str, str]]
"""What a person fills in, by the item and who it is."""


# ------------------------------------------------------------------ models


def model(body: dict[str, object]) -> str:
    """What any of the models says; `asker-b` asks one question of `asker-a` too."""
    prompt = "".join(
        each["content"] if isinstance(each["content"], str) else each["content"][0]["text"]
        for each in body["messages"]
    )
    query = re.search(r"<<<BEGIN query \w+\n(.*?)\n<<<END", prompt, re.DOTALL)[1]
    zh = "研究问题" in prompt
    if '"questions": [' in prompt:
        own = (
            ("Which years?", "为哪些年份？")
            if body["model"] == "asker-a"
            else ("Who reads it?", "谁来读？")
        )
        return json.dumps({"questions": [("What is compared?", "比较什么？")[zh], own[zh]]})
    if '{"query":' in prompt:
        answers = re.search(r"<<<BEGIN answers \w+\n(.*?)\n<<<END", prompt, re.DOTALL)[1]
        said = [line[3:] for line in answers.splitlines() if line.startswith("A: ")]
        return json.dumps({"query": f"{query} {' '.join(said)}"})
    items = ("Is the number of {} given?", "是否给出第{}个数字？")[zh]
    names = ("prices", "wages", "rents", "fees") if not zh else "一二三四"
    return json.dumps({"items": [items.format(name) for name in names]})


# ------------------------------------------------------------------ people


def number_of(item: Item) -> int:
    """Drafts are told apart by the number in their query."""
    return int(re.search(r"\d+", item.prompt)[0])


class Expert:
    """Drafts queries, numbered; answers the first question; changes every fifth, drops one."""

    def __init__(self) -> None:
        self.drafted = 0

    def draft(self, item: Item, who: str) -> dict[str, str]:
        self.drafted += 1
        text = ("Compare {} towns as of {{{{date}}}}.", "截至{{{{date}}}}，比较{}座城市。")
        return {"q0.0.text": text[item.language == "zh"].format(100 + self.drafted)}

    def answer(self, item: Item, who: str) -> dict[str, str]:
        return {"q0.0.text": ("Name the mayors.", "请列出市长。")[item.language == "zh"]}

    def approve(self, item: Item, who: str) -> dict[str, str]:
        number = number_of(item)
        if number == 107:
            return {"q0": "drop", "q0.comment": "asked before"}
        if number % 5 == 0:
            return {"q0": "change", "q0.0.text": f"{item.prompt} +"}
        return {"q0": "keep"}


def rate(item: Item, who: str) -> dict[str, str]:
    """The first group: each rating of Tables 12 and 13 occurs, with what it takes."""
    number, form = number_of(item), {}
    for place, question in enumerate(item.questions):
        name, original = f"q{place}", question.original.get("text", "")
        if question.protocol == "query":
            said = {1: "appropriate with modification", 3: "not appropriate"}.get(number % 10)
            form[name] = said or "appropriate"
            if number % 10 == 1:
                form[f"{name}.0.text"] = f"=Please: {original}"
        elif question.protocol == "append":
            form[f"{name}.0.text"] = "Is there a map?" if number % 2 else ""
        else:
            form |= {
                "c1": {name: "appropriate"},
                "c2": {name: "needs modification", f"{name}.0.text": f"{original}!"},
                "c3": {name: "valid but not necessary", f"{name}.comment": "+ too fine"},
                "c4": {
                    name: "not appropriate",
                    f"{name}.comment": "cannot be checked",
                    f"{name}.0.text": "Is a source named?",
                },
            }[question.item]
    return form | {"note": f"by {who}"}


def agree(item: Item, who: str) -> dict[str, str]:
    """The second group agrees, but for one item of one draft."""
    form = {f"q{place}": "agree" for place in range(len(item.questions))}
    if number_of(item) == 105:
        at = next(at for at, each in enumerate(item.questions) if each.item == "c2")
        form |= {f"q{at}": "disagree", f"q{at}.comment": "was fine before"}
    return form


class Sampler:
    """Finds one outcome wrong, the first that is shown."""

    def __init__(self) -> None:
        self.wrong: tuple[str, str] | None = None
        self.seen = 0

    def __call__(self, item: Item, who: str) -> dict[str, str]:
        form = {f"q{place}": "right" for place in range(len(item.questions))}
        self.seen += len(form)
        if self.wrong is None:
            self.wrong = item.task, item.questions[0].item
            form |= {"q0": "wrong", "q0.comment": "see guidelines"}
        return form


def resolve(item: Item, who: str) -> dict[str, str]:
    """The third group takes a text of its own."""
    form = {}
    for place, question in enumerate(item.questions):
        form |= {f"q{place}": "take", f"q{place}.0.text": f"{question.original['text']} (settled)"}
    return form


def say(items: str, study: str, raters: tuple[str, ...], answer: Answer) -> dict[str, dict]:
    """Everybody answers everything in the browser's way; what was filled in, by task."""
    entered: dict[str, dict] = {}

    async def one(book, address, rater, key):
        async with client(address, key) as own:
            while True:
                _, page = await own.get()
                hidden = filled(page, "nothing of the menu")
                if "item" not in hidden:
                    return
                item = book.items[int(hidden["item"])]
                form = answer(item, rater)
                status, page = await own.post("/save", hidden | placed(item, form))
                assert status == 200, re.findall(r'class="problem"[^>]*>([^<]+)<', page)
                entered[item.task] = form | {"who": rater}

    async def all_of_them():
        async with served(Path(items), Path(study), StudyTerms((), raters, seed=0)) as (
            book,
            keys,
            address,
        ):
            await asyncio.gather(*(one(book, address, each, keys[each]) for each in raters))

    asyncio.run(all_of_them())
    return entered


# ------------------------------------------------------------------ the line


@pytest.fixture
def fine(deepassay: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run a command that must succeed; what it said."""
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")

    def run(*arguments: object) -> str:
        done = deepassay("tasks", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def line(fine: Callable[..., str]) -> Callable[[FakeJudge], dict[str, dict]]:
    """The whole line on 20 tasks; what people entered, by step and draft."""

    def run(models: FakeJudge) -> dict[str, dict]:
        asked = ("--base-url", models.base_url, "--allow-unpriced", "--run", "run.assay")
        askers = ("--model", "openai:asker-a", "--model", "openai:asker-b", *asked)
        maker = ("--maker", "openai:maker", *asked)
        expert, sampler, entered = Expert(), Sampler(), {}
        Path("survey.csv").write_text(SURVEY, "utf-8")
        fine(
            "survey",
            "survey.csv",
            "-o",
            "plan.yaml",
            "--size",
            20,
            "--language",
            "en",
            "--language",
            "zh",
        )
        fine("draft", "plan.yaml", "-o", "drafts.yaml", "--ask", "1.jsonl")
        entered["draft"] = say("1.jsonl", "1.assay", ("eva",), expert.draft)
        fine(
            "clarify",
            "drafts.yaml",
            "-o",
            "clear.jsonl",
            "--answers",
            "1.assay",
            *askers,
            "--ask",
            "2.jsonl",
        )
        entered["answer"] = say("2.jsonl", "2.assay", ("eva",), expert.answer)
        fine(
            "refine",
            "clear.jsonl",
            "-o",
            "fine.jsonl",
            "--answers",
            "2.assay",
            *maker,
            "--ask",
            "3.jsonl",
        )
        entered["approve"] = say("3.jsonl", "3.assay", ("eva",), expert.approve)
        fine(
            "checklist-from",
            "fine.jsonl",
            "-o",
            "checks.jsonl",
            "--answers",
            "3.assay",
            *maker,
            "--ask",
            "4.jsonl",
        )
        entered["rate"] = say("4.jsonl", "4.assay", ("ana", "bo"), rate)
        verify = ("verify", "checks.jsonl", "-o", "seen.jsonl", "--answers", "4.assay")
        waiting = fine(*verify, "--ask", "5.jsonl")
        assert "Seen by both groups: 1 of 20 drafts" in waiting  # the one that its expert gave up
        entered["agree"] = say("5.jsonl", "5.assay", ("cy", "di"), agree)
        assert "20 of 20" in fine(*verify, "--answers", "5.assay", "--table", "table11.csv")
        quality = ("quality", "seen.jsonl", "-o", "set.jsonl", "--ask", "6.jsonl")
        told = fine(*quality)
        assert re.search(r"To look at: 59 more outcomes, 59 of \d+ in all \(0 were\)", told)
        entered["sample"] = say("6.jsonl", "6.assay", ("fay",), sampler)
        told = fine(*quality, "--answers", "6.assay")
        more = int(re.search(r"To look at: (\d+) more outcomes, (\d+) of", told)[1])
        assert (
            sampler.seen == 59 and more == min(93, int(re.search(r"Outcomes: (\d+)", told)[1])) - 59
        )
        say("6.jsonl", "7.assay", ("fay",), sampler)
        told = fine(*quality, "--answers", "7.assay", "--answers", "6.assay")
        assert "To settle: 2 parts in dispute" in told
        entered["resolve"] = say("6.jsonl", "8.assay", ("gil",), resolve)
        done = [arg for number in (6, 7, 8) for arg in ("--answers", f"{number}.assay")]
        told = fine(*quality, *done)
        assert "Of the drafts that came this far: 17 of 20 tasks. --plan PLAN" in told
        told = fine(*quality, *done, "--table", "final.csv", "--plan", "plan.yaml")
        assert "Of the plan: 17 of 20 tasks." in told and "Left behind" not in told
        entered["refill"] = told
        planned = Counter(each.domain for each in read_drafts(Path("seen.jsonl")))
        cells = re.search(r"by domain: (.*)", told)[1].split(", ")
        found = {name: int(of) for name, of in (each.rsplit(" ", 3)[::3] for each in cells)}
        assert found == planned
        entered["wrong"] = {"draft": sampler.wrong}
        return entered

    return run


def test_the_whole_line_ends_in_a_set_that_is_scored_and_its_records_are_what_was_entered(
    line, fine, deepassay
):
    with FakeJudge(model) as models:
        entered = line(models)
        asked = len(models.requests)
        assert asked == 2 * 20 + 20 + 19  # the draft that was dropped gets no checklist
    tasks = load_tasks("set.jsonl")
    assert len(tasks) == 20 - 1 - 2  # one was dropped by its expert, two by the raters
    assert all("{{date}}" in task.prompt and task.checklist for task in tasks)
    assert {task.language for task in tasks} == {"en", "zh"}
    for task in tasks:
        Path("reports/heron").mkdir(parents=True, exist_ok=True)
        Path("reports/heron", f"{task.id}.md").write_text("# A report\n\nIt names mayors.\n")
    scored = deepassay("evaluate", "set.jsonl", "reports", "--protocol", "coverage", "--run", "r")
    assert scored.returncode == 0, scored.stderr
    check_histories(entered, {task.id: task for task in tasks})
    check_table(entered)
    check_refill(entered["refill"], fine)


def check_histories(entered, tasks) -> None:
    for draft in read_drafts(Path("set.history.yaml")):
        steps: dict[str, list] = {}
        for each in draft.history:
            steps.setdefault(each.step, []).append(each)
        assert [each.after for each in steps["draft"]] == [entered["draft"][draft.id]["q0.0.text"]]
        asked = [(each.who, each.of) for each in steps["clarify"]]
        assert asked == [
            ("openai:asker-a", "k1"), ("openai:asker-a", "k2"), ("openai:asker-b", "k3"),
        ]  # fmt: skip
        said = [entered["answer"][draft.id]["q0.0.text"], "-", "-"]
        assert [each.after for each in steps["answer"]] == said
        (refined,) = steps["refine"]
        assert refined.before == steps["draft"][0].after and refined.after.endswith(said[0])
        (approved,) = steps["approve"]
        own = entered["approve"][draft.id]
        assert (approved.said, approved.note) == (own["q0"], own.get("q0.comment", ""))
        if draft.id in tasks:
            check_ratings(entered["rate"][draft.id], steps["rate"])
            assert tasks[draft.id].prompt == draft.query
            check_outcome(draft, entered)


def check_ratings(form, entries) -> None:
    by_part = {each.of: each for each in entries}
    for place, part in enumerate(("query", "c1", "c2", "c3", "c4")):
        entry, name = by_part[part], f"q{place}"
        assert entry.said == form[name] and entry.who == form["who"]
        assert entry.proposed == form.get(f"{name}.0.text", "")
        assert (
            entry.note.splitlines()[0:1] == [form[f"{name}.comment"]]
            if part in ("c3", "c4")
            else True
        )
    assert by_part["query"].note == form["note"]
    appended = [each.proposed for each in entries if each.said == "append"]
    assert appended == [form["q5.0.text"]] * bool(form["q5.0.text"])


def check_outcome(draft, entered) -> None:
    """Ratings that were agreed on stand; what was in dispute stands as the third group has it."""
    zh = draft.language == "zh"
    second = ("Is the number of wages given?!", "是否给出第二个数字？!")[zh]
    expected = {
        "c1": ("Is the number of prices given?", "是否给出第一个数字？")[zh],
        "c2": second,
        "c4": "Is a source named?",
    }
    if entered["rate"][draft.id]["q5.0.text"]:
        expected["c5"] = "Is there a map?"
    for name, form in entered["resolve"].items():
        if name == draft.id:
            changed = {each.of: each.after for each in draft.history if each.step == "resolve"}
            assert sorted(changed.values()) == sorted(
                text for field, text in form.items() if field.endswith(".text")
            )
            expected |= {part: text for part, text in changed.items() if part != "query"}
    assert draft.checklist == expected


def check_table(entered) -> None:
    rows = [*csv.DictReader(io.StringIO(Path("table11.csv").read_text("utf-8-sig"), newline=""))]
    assert [*rows[0]][:3] == ["qid", "Deep Research Query", "Checklist"]
    found = {(row["qid"], row["item"]): row for row in rows}
    for task, form in entered["rate"].items():
        for place, part in enumerate(("query", "c1", "c2", "c3", "c4")):
            row = found[task, part]
            assert row["Rating"] == form[f"q{place}"] and row["Annotator"] == form["who"]
            assert unguarded(row["Modified version"]) == form.get(f"q{place}.0.text", "")
        second = [row["Agreement"] for (qid, _), row in found.items() if qid == task]
        expected = [v for k, v in entered["agree"][task].items() if re.fullmatch(r"q\d+", k)]
        assert second == expected
    executed = [cell for row in rows for cell in row.values() if cell[:1] in ("=", "+", "@")]
    assert not executed


def check_refill(told, fine) -> None:
    """What was given up is drafted anew by the line that is shown."""
    drafts = read_drafts(Path("drafts.yaml"))
    there = {task.id for task in load_tasks("set.jsonl")}
    lost = Counter(
        (each.domain, each.category, each.language) for each in drafts if each.id not in there
    )
    plan = read_plan(Path("plan.yaml"))
    for *cell, wanted, planned in re.findall(
        r"^  (.+), (.+) \((\w+)\): (\d+) in place of (\d+)$", told, re.MULTILINE
    ):
        place, (own,) = tuple(cell), [e for e in plan if [e.domain, e.category, e.language] == cell]
        assert (own.tasks, int(wanted)) == (int(planned), int(planned) + lost[place])
        plan[plan.index(own)] = own.model_copy(update={"tasks": int(wanted)})
    write_plan(Path("raised.yaml"), plan)
    (words,) = re.findall(r"^  deepassay tasks (draft COPY -o DRAFTS)$", told, re.MULTILINE)
    names = {"COPY": "raised.yaml", "DRAFTS": "drafts.yaml"}
    fine(*(names.get(word, word) for word in words.split()))
    fresh = read_drafts(Path("drafts.yaml"))[len(drafts) :]
    assert Counter((each.domain, each.category, each.language) for each in fresh) == lost
    assert lost.total() == 3 and not any(each.query for each in fresh)
