"""`robustness`: what scores hang on: reference, length, judge, and criteria asked at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.comparing import TableFormat, hold_scored
from deepassay.cli.evaluating import score_all
from deepassay.cli.help import HelpfulGroup, listed
from deepassay.cli.options import BATCHES, MODEL, TERMS, Own, ReportPaths, TaskFile, takes
from deepassay.cli.terminal import finish_making, hand_over, note, show, teller
from deepassay.errors import BadSetting
from deepassay.plugins import plugins
from deepassay.run.settings import Settings

if TYPE_CHECKING:
    from deepassay.wings.trials.robustness import RobustnessStudy

app = typer.Typer(
    cls=HelpfulGroup,
    help="Try RACE otherwise, and criteria asked at once.",
    no_args_is_help=True,
    rich_markup_mode=None,
    rich_help_panel="trials",
)
Folder = Annotated[
    Path, typer.Option("--output", "-o", help="A folder: a run file for each arm, and the rest.")
]
JUDGED = (
    *("edition", "judge", *MODEL, "effort", "structured", "context_window", "cleaner", "criteria"),
    *(
        "date",
        "frozen_dates",
        "repeat",
        "columns",
        "limit",
        *(each for each in TERMS if each != "run"),
        *BATCHES,
    ),
)
REFERENCE = Own("reference", "An agent, or a file of reports, that all are compared with.")


@app.command()
@listed(
    "deepassay robustness references examples/demo/tasks.jsonl examples/demo/reports "
    "--reference heron --reference cuckoo --criteria examples/demo/criteria.yaml -o "
    "by-reference",
)
@takes(*JUDGED, Own("maker", "Who makes criteria that no file gives.  [the first judge]"))
def references(
    tasks: TaskFile,
    reports: ReportPaths,
    reference: Annotated[list[str], typer.Option(help="An agent or a file; give two or more.")],
    output: Folder = Path("references"),
    *,
    settings: Settings,
) -> None:
    """Score the same reports against several references.

    DeepResearch Bench, tables 7 and 8.
    """
    if len(set(reference)) < 2:
        raise BadSetting("One reference is no comparison.", "Give --reference twice or more.")
    study = _study(output, settings)
    criteria = _criteria(study, tasks)
    arms = {}
    for name in dict.fromkeys(reference):
        note(f"Against {name}:")
        own = study.arm(f"against-{Path(name).stem}", reference=name, criteria=criteria)
        score_all(tasks, reports, own)
        arms[name] = own.run
    for run in arms.values():
        _show_table("bench:table7", [run])
    _conclude(arms)


@app.command()
@listed(
    "deepassay robustness lengths examples/demo/tasks.jsonl examples/demo/reports --agent "
    "magpie --reference heron --criteria examples/demo/criteria.yaml -o by-length",
)
@takes(*JUDGED, REFERENCE, Own("maker", "Who rewrites, and makes criteria.  [the first judge]"))
def lengths(
    tasks: TaskFile,
    reports: ReportPaths,
    output: Folder = Path("lengths"),
    agent: Annotated[
        list[str] | None, typer.Option(help="Only reports of this agent; may be repeated.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=5, help="How often paragraphs grow.")] = 2,
    *,
    settings: Settings,
) -> None:
    """Score reports beside longer versions of themselves.

    DeepResearch Bench, table 9.
    """
    from deepassay.wings.trials.robustness import lengthen

    study = _study(output, settings)
    maker = settings.maker or settings.judge[0]
    versions, source, only = [], list(reports), agent or []
    for number in range(1, rounds + 1):
        longer = lengthen(tasks, source, study, maker, number, agents=only, listener=teller())
        own = study.arm("lengthened")
        told = [*longer.told()]
        finish_making(longer.made, longer.folder, own, "longer versions", told, items="reports")
        versions.append(longer.folder)
        source, only = [longer.folder], []
    own = study.arm("lengths", criteria=_criteria(study, tasks))
    score_all(tasks, [*reports, *versions], own)
    _show_table("bench:table9", [own.run])
    show(f"How sure a difference is: deepassay compare {own.run}")
    hold_scored([own.run])


@app.command()
@takes(*JUDGED, REFERENCE)
def judges(
    tasks: TaskFile,
    reports: ReportPaths,
    output: Folder = Path("judges"),
    *,
    settings: Settings,
) -> None:
    """Score the same reports by each judge alone.

    DeepResearch Bench, table 10, with what each cost. Each makes the criteria that no
    file gives, as in the paper.
    """
    if len(set(settings.judge)) < 2:
        raise BadSetting("One judge is no comparison.", "Give --judge twice or more.")
    study = _study(output, settings)
    arms = {}
    for name in dict.fromkeys(settings.judge):
        note(f"Judged by {name}:")
        criteria = _criteria(study, tasks, name)
        own = study.arm(f"by-{name}", judge=(name,), criteria=criteria)
        score_all(tasks, reports, own)
        arms[name] = own.run
    _show_table("bench:table10", [*arms.values()])
    _conclude(arms, prices=True)


@app.command()
@listed("deepassay robustness together examples/labels/criteria.jsonl -o at-once")
@takes(
    Own("judge", "offline, or PROVIDER:NAME.", default="offline", once=True),
    *(
        "set",
        *MODEL,
        "effort",
        "structured",
        "context_window",
        "repeat",
        "date",
        "columns",
        "limit",
    ),
    *(each for each in TERMS if each != "run"),
    *BATCHES,
)
def together(
    tasks: Annotated[
        Path, typer.Argument(help="Tasks with rubrics; or labels as `agree rubrics` takes alone.")
    ],
    reports: Annotated[
        list[Path] | None, typer.Argument(help="Folders or tables of reports, of tasks.")
    ] = None,
    at_once: Annotated[
        list[str] | None,
        typer.Option("--together", help="So many criteria a question, or all.  [1, 5, 20, all]"),
    ] = None,
    human: Annotated[
        Path | None, typer.Option(help="What people said: agent, task, criterion, verdict.")
    ] = None,
    output: Folder = Path("together"),
    seed: Annotated[int, typer.Option(min=0, help="Of the draws behind intervals.")] = 0,
    format: Annotated[TableFormat, typer.Option()] = "text",
    *,
    settings: Settings,
) -> None:
    """Ask about criteria alone and several at once.

    Says what batching changes in verdicts, in agreement with people, in tokens and in
    failures. Alone is asked twice, which is the judge's noise.
    """
    from deepassay.wings.trials.together_steps import material_of, sizes_of, studied
    from deepassay.wings.trials.together_tables import write_together

    if (human is not None) and not reports:
        raise BadSetting("--human goes with tasks and reports.", "Labels alone are given first.")
    material = material_of(tasks, reports or (), human, settings)
    sizes, notes = sizes_of(at_once or [], material.tasks)
    for line in (*material.told(), *notes):
        note(line)
    study, arms = _study(output, settings), {}
    for number, size in enumerate(sizes):
        note(f"Asked about {size} at once:" if size > 1 else "Asked about one at a time:")
        own = study.arm(f"together-{size}", **material.of_arm(size, settings, first=not number))
        score_all(material.tasks, material.reports, own)
        arms[size] = own
    found = studied(material, arms, seed)
    hand_over(write_together(found, settings.judge[0], format))
    for line in material.left_out(found):
        note(line)
    raise typer.Exit(0 if any(arm.judgements > arm.lost for arm in found.arms) else 1)


def _study(folder: Path, settings: Settings) -> RobustnessStudy:
    from deepassay.wings.trials.robustness import RobustnessStudy

    return RobustnessStudy(folder, settings)


def _criteria(study: RobustnessStudy, tasks: Path, judge: str | None = None) -> Path | None:
    """The criteria of the tasks: as given, or made here, by a judge of its own or for all arms."""
    name = "criteria" if judge is None else f"criteria-{study.arm(judge).run.stem}"
    maker = judge or study.settings.maker or study.settings.judge[0]
    found = study.criteria(tasks, maker, name, teller())
    if found is None:
        return study.settings.criteria
    finish_making(found[1], found[0], study.arm(name), "criteria")
    return found[0]


def _show_table(name: str, runs: list[Path]) -> None:
    """Show a table of the paper. Another wing lays it out; without it the rest is still shown."""
    from deepassay.run.showing.paper_layouts import PrintedFrom, as_printed

    if name.partition(":")[0] in plugins("layouts"):
        hand_over(as_printed(name, PrintedFrom(runs)).written("text"))
    else:
        note(f"{name} is not shown: nothing that is installed lays it out.")


def _conclude(runs: dict[str, Path], *, prices: bool = False) -> None:
    """Say whether the order of agents is the same in every arm, and what each cost."""
    from deepassay.wings.trials.robustness import Arm, told_order

    arms = [Arm.read(name, run) for name, run in runs.items()]
    show(told_order(arms))
    for arm in arms if prices else ():
        show(arm.price)
    hold_scored([*runs.values()])
