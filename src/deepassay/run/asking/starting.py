"""What can be said of tasks and reports before anybody is asked, and what asking would take."""

from __future__ import annotations

import asyncio
import json
import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting
from deepassay.models.ask import Asker
from deepassay.plugins import of_wing
from deepassay.protocols.protocol import Case, Pairwise, Protocol, RoleAskers, Sources
from deepassay.protocols.registry import parse
from deepassay.protocols.surface import Surface
from deepassay.reports.report import Report
from deepassay.results.records import Judged
from deepassay.results.surface import SURFACE, read_off
from deepassay.results.tables import Table, several
from deepassay.results.wrapped_tables import COLUMNS
from deepassay.run.asking.estimate import Estimate, estimate_of, estimate_work
from deepassay.run.asking.plan import AskedModel, Plan
from deepassay.run.asking.reachable import PORTS, ReachableJudge
from deepassay.run.settings import Settings
from deepassay.score import Signature
from deepassay.tasks.task import Task

SAMPLE: Final = 12
"""Reports of which prices are reckoned; of more, those of the first tasks, and in proportion."""

LEAST_BUDGET: Final = 1
"""USD that a budget is proposed with at least."""

NAME: Final = 22
"""Cells for the name of a protocol."""

OnProgress = Callable[[int, int], None]


def counted(reports: Sequence[Report], on_progress: OnProgress) -> tuple[Table, ...]:
    """What code reads off reports, as the tables of protocol `surface`; nobody is asked."""
    protocol = Surface()
    nobody = RoleAskers.alone(None)  # type: ignore[arg-type]
    nothing = Sources(None, None)  # type: ignore[arg-type]

    async def judged(done: int, report: Report) -> Judged:
        on_progress(done, len(reports))
        case = Case(Task(id=report.task or "report", prompt="-"), report.anew())
        outcome = await protocol.score(case, nobody, nothing)
        place = (report.agent, report.task, report.sample)
        return Judged(SURFACE, *place, 0, {}, outcome, Signature({}), protocol.describe())

    async def all_of_them() -> list[Judged]:
        return [await judged(done, report) for done, report in enumerate(reports)]

    return read_off(asyncio.run(all_of_them()))


@dataclass(frozen=True)
class FirstSteps:
    """How to go on. plan: of what runs where no protocol is named. named: how the user wrote the
    tasks and the reports. judge: whom prices are of; reachable: whether it was found.
    """

    plan: Plan
    settings: Settings
    named: tuple[str, Sequence[str]]
    judge: ReachableJudge
    reachable: bool

    def _besides(self) -> list[tuple[str, str]]:
        """What was given beside tasks and reports, by the names of the settings."""
        names = ("set", "columns", "criteria", "rubric", "ace", "reference")
        given = ((name, getattr(self.settings, name)) for name in names)
        return [(name, str(value)) for name, value in given if value]

    @property
    def given(self) -> str:
        """Tasks and reports as one types them."""
        tasks, reports = self.named
        options = [text for name, value in self._besides() for text in (f"--{name}", value)]
        return shlex.join([tasks, *reports, *options])

    @property
    def once(self) -> str:
        """When a price holds that is told though no judge was found; else nothing."""
        return "" if self.reachable else ", once a judge can be reached"

    def now(self) -> Iterator[str]:
        """The protocols that have all that they need, and what their questions cost."""
        for each in self.plan.protocols:
            yield f"  {each.name:<{NAME}}{each.title}"
        price = self.price(self._of(*self.plan.protocols))
        yield from _folded(f"Together{self.once}: {price}.")

    def others(self) -> str:
        """The protocols that are to be named, in a sentence."""
        named = ", ".join(map(str, self._named()))
        return f"What others take, as options, files or a judge, is told by --further: {named}."

    def _named(self) -> list[Protocol]:
        there = {each.name for each in self.plan.protocols}
        others = [each for each in parse("all", self.settings.edition) if each.name not in there]
        return [*([Surface(pages=True)] if SURFACE in there else []), *others]

    def later(self) -> Iterator[str]:
        """What every other protocol takes: options, what else, and the price."""
        for protocol in self._named():
            more = ", and which sources are gone" * isinstance(protocol, Surface)
            yield f"  {protocol.name:<{NAME}}{protocol.title}{more}"
            options, *takes = self._taken(protocol)
            yield f"{'':{NAME + 2}}--protocol {shlex.quote(str(protocol))}{options}"
            for each in takes:
                yield from _folded(each)

    def _taken(self, protocol: Protocol) -> Iterator[str]:
        """Options besides its name, then what it takes in sentences and commands."""
        maker = f"--maker {shlex.quote(self.judge.judge)}"
        if protocol.reads_pages:
            yield ""
            yield f"reads the cited pages; {self.price(self._of(protocol))}"
        elif isinstance(protocol, Pairwise):
            agents = sorted({report.agent for report in self.plan.reports})
            yield f" --baseline {shlex.quote(agents[0]) if len(agents) > 1 else 'FILE'}"
            yield f"takes {protocol.needs}"
        elif protocol.name == "race":
            yield " --criteria criteria.yaml --reference AGENT"
            yield f"takes {protocol.needs}; criteria are made with"
            yield f"deepassay tasks criteria {shlex.quote(self.named[0])} -o criteria.yaml {maker}"
            yield self.price(self._criteria())
        elif protocol.name == "ace":
            (making,) = parse("ace(make=True)")
            yield f" {maker}"
            yield f"takes {protocol.needs}; {self.price(self._of(making))}"
        elif protocol.name == "rubrics":
            yield " --rubric FILE"
            yield f"takes {protocol.needs}, written by people: `deepassay tasks author` helps three"
        elif protocol.name == "coverage":
            yield ""
            yield f"takes {protocol.needs}, in field `checklist` of the tasks: yes-no questions"
        else:
            yield ""
            yield f"takes {protocol.needs or 'nothing more'}; {self.price(self._of(protocol))}"

    def _of(self, *protocols: Protocol) -> tuple[Estimate, float]:
        """What these would ask of the judge, of some reports, and of how many times as many."""
        asked = self.settings.of("").model_copy(update={"base_url": self.judge.base_url})
        model = AskedModel.with_settings(self.judge.judge, asked)
        agents = len({report.agent for report in self.plan.reports})
        some = {*list(self.plan.tasks)[: max(1, SAMPLE // max(agents, 1))]}
        reports = tuple(report for report in self.plan.reports if report.task in some)
        part = replace(
            self.plan,
            tasks={task: self.plan.tasks[task] for task in self.plan.tasks if task in some},
            reports=reports,
            protocols=tuple(each for each in protocols if each.operations()),
            judges=(model,),
        )
        return estimate_of(part, self.settings), len(self.plan.reports) / len(reports)

    def _criteria(self) -> tuple[Estimate, float]:
        devise = of_wing("build.yardsticks.race_criteria", "devise_criteria")
        tasks = [*self.plan.tasks.values()][:SAMPLE]

        async def work(asker: Asker, sources: Sources) -> None:
            for task in tasks:
                await devise(task, asker)

        settings = self.settings.model_copy(update={"base_url": self.judge.base_url})
        found = estimate_work("criteria", [self.judge.judge], settings, work)
        return found, len(self.plan.tasks) / len(tasks)

    def price(self, reckoned: tuple[Estimate, float]) -> str:
        """The price of what was reckoned, in a few words."""
        low, likely, high = self._costs(*reckoned)
        calls = sum(each.typical.calls for each in reckoned[0].models.values()) * reckoned[1]
        asked = f"{several(round(calls), 'question')} to {self.judge.judge}"
        if not calls:
            return "free, nobody is asked"
        if likely is None or low is None or high is None:
            return f"{asked}, whose price is not known"
        return f"about ${likely:.2f} (${low:.2f} to ${high:.2f}), {asked}"

    def _costs(self, found: Estimate, times: float) -> tuple[float | None, ...]:
        """At the least, most likely and at the most, in USD; None where a price is not known."""
        sums: list[float | None] = []
        for name in ("low", "typical", "high"):
            costs = [getattr(each, name).cost for each in found.models.values()]
            sums.append(None if None in costs else times * sum(costs))
        return tuple(sums)

    def steps(self) -> Iterator[str]:
        """A plan in three lines, with what each costs."""
        reckoned = self._of(*self.plan.protocols)
        yield f"  1. deepassay evaluate {self.given} --judge offline --run offline.assay"
        yield "     free: keeps what stands above with its places, for `explain` and `html`"
        yield (
            f"  2. deepassay evaluate {self.given} {self.judge.options}{self._budget(reckoned)} "
            "--run judged.assay"
        )
        yield f"     {self.price(reckoned)}{self.once}"
        yield "  3. deepassay html judged.assay -o results.html"
        yield "     free: a page on which every score opens down to its evidence"

    def _budget(self, reckoned: tuple[Estimate, float]) -> str:
        most = self._costs(*reckoned)[2]
        return f" --budget {_round(most)}" if most else ""

    def toml(self) -> str:
        """What assay.toml would hold; the judge and its run are comments where it was not found."""
        tasks, reports = self.named
        mark = "" if self.reachable else "# "
        lines = [
            "# Written by `deepassay start`; `deepassay settings` explains every setting.",
            f"tasks = {_quoted(tasks)}",
            f"reports = [{', '.join(map(_quoted, reports))}]",
        ]
        lines += [f"{name} = {_quoted(value)}" for name, value in self._besides()]
        if not self.reachable:
            lines.append("# Once a judge can be reached, take the marks off what stands below.")
        lines.append(f"{mark}judge = {_quoted(self.judge.judge)}")
        if self.judge.base_url:
            lines.append(f"{mark}base-url = {_quoted(self.judge.base_url)}")
        if most := self._costs(*self._of(*self.plan.protocols))[2]:
            lines.append(f"{mark}budget = {_round(most)}  # USD, a hard cap")
        lines.append(f'{mark}run = "judged.assay"')
        return "\n".join(lines) + "\n"


def _folded(text: str) -> list[str]:
    """A text in lines of a terminal, below the titles of protocols; a command stays whole."""
    indent = " " * (NAME + 2)
    if text.startswith("deepassay "):
        return [indent + text]
    return textwrap.wrap(text, COLUMNS, initial_indent=indent, subsequent_indent=indent)


def judges_found(found: Sequence[ReachableJudge]) -> Iterator[str]:
    """Which judges could be asked, how each was found, and where nobody looked."""
    for each in found:
        yield f"  {each.options}: {each.how}"
    if not found:
        yield "  none: set a key, such as OPENAI_API_KEY, or start a server (docs/local-judges.md)"
    looked = ", ".join(map(str, PORTS))
    yield (
        "  No question was put to any. Of servers only these ports of this machine were\n"
        f"  tried, and asked which models they have: {looked}."
    )


def write_toml(path: Path, text: str) -> None:
    """Write the file, unless there is one. Raises BadSetting."""
    try:
        whole = text.encode()
        with path.open("xb") as file:
            file.write(whole)
    except UnicodeEncodeError:
        raise BadSetting(
            f"{path} cannot be written: a name in it is not UTF-8.", "Rename that file or folder."
        ) from None
    except FileExistsError:
        raise BadSetting(
            f"{path} is there already, and is left as it is.",
            "Copy what stands above into it, or rename it and run start again.",
        ) from None


def _round(most: float) -> int:
    """A budget that leaves room: twice as much, as a number of one digit that is not zero."""
    wanted, step = max(LEAST_BUDGET, 2 * most), 1
    while 10 * step <= wanted:
        step *= 10
    return -int(-wanted // step) * step


def _quoted(text: str) -> str:
    """As TOML has it, which is as JSON has it, but that it takes no DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
