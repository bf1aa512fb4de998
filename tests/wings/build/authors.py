"""Three people who write rubrics by a script, and what should come of what they enter."""

import asyncio
import html
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from deepassay.runfile.questions import Item, Question
from deepassay.wings.people.annotate.setting_up import StudyTerms
from tests.wings.people.annotate.studies import client, filled, placed, served

_TASK = re.compile(r'<div class="task" lang="\w+" dir="auto">(.*?)</div>', re.DOTALL)


class Entered(NamedTuple):
    """One answer, as it was typed. turn: how often somebody had been asked about the task."""

    task: str
    who: str
    stage: str
    item: str
    value: str
    lines: list
    comment: str
    turn: int


@dataclass
class Authors:
    """They answer a round over HTTP. entered: all that they ever said, in its order."""

    seed: int = 1
    entered: list[Entered] = field(default_factory=list)
    asked: defaultdict = field(default_factory=lambda: defaultdict(int))

    async def answer(self, items: list[Item], round_, study, only=None, most=None):
        """Answer what is open: of some people, so many each."""
        raters = tuple(dict.fromkeys(rater for each in items for rater in each.raters))
        by_place = {(each.raters[0], each.prompt): each for each in items}
        terms = StudyTerms(questions=(), raters=raters, seed=3)
        async with served(round_, study, terms) as (_, keys, address):

            async def sit(rater):
                async with client(address, keys[rater]) as own:
                    done, (_, page) = 0, await own.get()
                    while done != most and (shown := _TASK.search(page)):
                        item = by_place[rater, html.unescape(shown[1])]
                        said = self.decided(item, rater)
                        form = filled(page) | placed(item, _form(item, said))
                        status, page = await own.post("/save", form)
                        assert status == 200, page
                        self.entered += said
                        done += 1

            await asyncio.gather(*(sit(rater) for rater in only or raters))

    def decided(self, item: Item, who: str) -> list[Entered]:
        """What somebody says of each question of an item."""
        self.asked[item.task] += 1
        turn = self.asked[item.task]
        rng = np.random.default_rng([self.seed, sum(item.task.encode()), turn])
        return [
            Entered(
                item.task,
                who,
                each.protocol,
                each.item,
                *self._decide(each, item, rng, turn > 4),
                turn,
            )
            for each in item.questions
        ]

    def _decide(self, question: Question, item: Item, rng, calm):
        if question.item == "criteria":
            return "", [_line(item, number, rng) for number in range(4)], ""
        if question.item == "missing":
            new = not calm and rng.random() < 0.3
            return "", [_line(item, int(rng.integers(100, 999)), rng)] if new else [], ""
        if not question.menu:
            changed = rng.random() < 0.3
            return "", [{"text": item.prompt + (" Be brief." if changed else "")}], ""
        values = [each.value for each in question.menu]
        first = 0.95 if calm else 0.6
        shares = [first, *([(1 - first) / (len(values) - 1)] * (len(values) - 1))]
        value = str(rng.choice(values, p=shares))
        choice = question.menu[values.index(value)]
        lines = []
        if choice.version == "must":
            lines = [dict(question.given[0]) | {"text": question.given[0]["text"] + " Clearly."}]
            if "weight" in lines[0]:
                lines[0]["weight"] = str(rng.choice(["-3", "1", "2", "5"]))
        comment = f"because of {rng.integers(100)}" if choice.comment == "must" else ""
        return value, lines, comment


def _form(item: Item, said: list[Entered]) -> dict[str, str]:
    """What was said as a browser sends it."""
    form = {}
    for number, (question, each) in enumerate(zip(item.questions, said, strict=True)):
        form[f"q{number}.comment"] = each.comment
        if each.value:
            form[f"q{number}"] = each.value
        for at, line in enumerate(each.lines or question.given):
            form |= {f"q{number}.{at}.{name}": text for name, text in line.items()}
    return form


def _line(item: Item, number: int, rng) -> dict:
    zh = item.language == "zh"
    return {
        "text": f"给出第 {number} 项数据并说明来源。"
        if zh
        else f"Names fact {number} of the matter.",
        "weight": str(rng.choice(["5", "3", "1", "-2"])) if number else "4",
        "axis": str(rng.choice(["Explicit Criteria", "Communication Quality"])),
    }


def outcome(entered: list[Entered], prompts: dict[str, str]):
    """Prompts and rubrics by task, worked out from what was entered alone."""
    return {
        task: _outcome([each for each in entered if each.task == task], prompt)
        for task, prompt in prompts.items()
    }


def _outcome(entered: list[Entered], prompt: str):
    now, wished, names = {"prompt": prompt}, {}, (f"c{number}" for number in range(1, 999))
    for each in entered:
        of, stage = each.item, each.stage
        versions = [_version(line) for line in each.lines]
        if of in ("criteria", "missing"):
            new = {next(names): version for version in versions}
            (wished if (of, stage) == ("missing", "review") else now).update(new)
        elif stage == "propose":
            now[of] = versions[0]
        elif stage == "review" and each.value in ("change", "drop"):
            wished[of] = versions[0] if versions else None
        elif each.value in ("change", "other"):
            now[of] = versions[0]
        elif each.value == "adopt":
            now[of] = wished[of]
        elif each.value == "drop":
            now[of] = None
    return now.pop("prompt"), {of: version for of, version in now.items() if version}


def _version(line: dict):
    if "weight" not in line:
        return line["text"]
    return line["text"], float(line["weight"]), line["axis"]
