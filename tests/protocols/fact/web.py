"""A web, a store of verdicts and a judge, all in memory and all counting what is asked of them."""

import json

from deepassay.models.ask import Answer, key_of
from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.protocol import Case, RoleAskers, Sources
from deepassay.reports.report import Report
from deepassay.runfile.captures import Turns
from deepassay.score import Cause, Unscored
from deepassay.sources.page import Failure, NoPage, Page
from deepassay.tasks.task import Task


class Web:
    """Pages by address: a text, a page, or a kind of failure; dead where nothing is known."""

    def __init__(self, pages):
        self.pages = pages
        self.asked = []

    async def get(self, url):
        self.asked.append(url)
        found = self.pages.get(url, Failure.GONE)
        if isinstance(found, Failure):
            return NoPage(url, found, f"it is {found}")
        return found if isinstance(found, Page | NoPage) else Page(url, found)


class Rows:
    """Verdicts, kept as a run file keeps them."""

    def __init__(self):
        self.rows = {}
        self.turn = Turns()

    async def find_all(self, keys):
        return {key: self.rows[key] for key in keys if key in self.rows}

    async def keep(self, verdicts):
        for each in verdicts:
            self.rows.setdefault(each.key, each)


class Model:
    """Answers by the rule of each operation, or as `says` tells: operation, inputs -> raw text.

    asked: every question. An answer that cannot be used ends in Unscored at once.
    """

    def __init__(self, says=None, name="in memory"):
        self.identity = {"model": name}
        self.says = says
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation.name, inputs))
        key = key_of(operation, inputs, self.identity, repeat)
        said = self.says(operation, inputs) if self.says else None
        if isinstance(said, Cause):
            return Unscored(said, "told so")
        if said is None:
            value = operation.offline(inputs)
            operation.check(inputs, value)
            return Answer(value, key, "offline")
        try:
            raw = said if isinstance(said, str) else json.dumps(said)
            return Answer(read_reply(operation, inputs, raw).value, key, "told")
        except Unreadable as problem:
            return Unscored(Cause.ANSWER_UNREADABLE, str(problem))

    def questions(self, name):
        return [inputs for operation, inputs in self.asked if operation == name]


def case_of(text, *, prompt="What do grids store?", agent="alpha"):
    return Case(Task(id="1", prompt=prompt), Report(text, agent=agent, task="1"))


async def scored(protocol, text, pages, model=None, rows=None, **about):
    """The score of one report; the model and the web that were asked come with it."""
    model, web = model or Model(), Web(pages)
    sources = Sources(web, rows if rows is not None else Rows())
    outcome = await protocol.score(case_of(text, **about), RoleAskers.alone(model), sources)
    return outcome, model, web
