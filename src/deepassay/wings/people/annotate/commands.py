"""`annotate`: people decide on reports in the browser, without knowing whose they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from deepassay.cli.help import HelpfulGroup, listed
from deepassay.cli.options import DEFAULT_RUN, SaidOfColumns
from deepassay.cli.results import Force
from deepassay.cli.terminal import end_with_nothing, hand_over, note, show
from deepassay.intake.columns import UNSAID

app = typer.Typer(
    cls=HelpfulGroup,
    help="Have people decide on reports in the browser, blind.",
    no_args_is_help=True,
    rich_markup_mode=None,
    rich_help_panel="people",
)

StudyFile = Annotated[Path, typer.Option("--study", help="Where everything is kept.")]
Questions = Annotated[
    list[str] | None, typer.Option(help="A protocol of the run, or a YAML file; repeatable.")
]
Masked = Annotated[
    list[str] | None, typer.Option(help="Another name to be taken out of reports; repeatable.")
]
Asked = Annotated[Path | None, typer.Option(help="What was asked, where no run says so.")]
Drawn = Annotated[Path | None, typer.Option(help="What `annotate draw` wrote: ask its last round.")]
SecondLook = Annotated[
    bool, typer.Option("--second-look", help="After the own answer, show what judges said.")
]
Behind = Annotated[
    str, typer.Option(metavar="URL", hidden=True, help="Where a proxy with TLS answers for it.")
]
NewKeys = Annotated[
    bool, typer.Option("--new-keys", help="Give new addresses; those before open nothing.")
]
Languages = Annotated[
    list[str] | None,
    typer.Option(
        "--language",
        metavar="[NAME=]en|zh",
        help="Of the pages, for all raters or one; else what their browsers ask for.",
    ),
]
STUDY = Path("study.assay")


def _there(study: Path) -> Path:
    """The file of a study, if there is one."""
    from deepassay.errors import BadInput

    if not study.exists():
        raise BadInput(
            f"{study}: there is no study.",
            "Begin one with `deepassay annotate serve`, or name it with --study.",
        )
    return study


@app.command()
@listed(
    "deepassay annotate serve build/demo.assay --questions race --questions fact --raters "
    "ana,bo,cy --per-item 2",
    "deepassay annotate serve examples/demo/reports --study useful.assay --tasks "
    "examples/demo/tasks.jsonl --questions questions.yaml --raters ana,bo --per-item 2 --limit "
    "12",
)
def serve(
    source: Annotated[
        Path, typer.Argument(help="A run file, reports, or a file of items.")
    ] = DEFAULT_RUN,
    *,
    raters: Annotated[str, typer.Option(help="Names, with commas between them.")],
    questions: Questions = None,
    per_item: Annotated[int, typer.Option(min=1, help="Raters for each report.")] = 1,
    seed: Annotated[
        int | None, typer.Option(min=0, hidden=True, help="Of who has what, in which order.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="So many reports, by chance.")] = None,
    second_look: SecondLook = False,
    mask: Masked = None,
    language: Languages = None,
    tasks: Asked = None,
    columns: SaidOfColumns = None,
    drawn: Drawn = None,
    study: StudyFile = STUDY,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8765,
    host: Annotated[str, typer.Option(hidden=True, help="Where it listens.")] = "127.0.0.1",
    behind: Behind = "",
    new_keys: NewKeys = False,
) -> None:
    """Serve a study, with a private address for each rater.

    Whoever leads it has one too. The same command run again goes on where it was stopped.
    """
    import asyncio

    from deepassay.wings.people.annotate.serving import Door
    from deepassay.wings.people.annotate.serving import serve as work
    from deepassay.wings.people.annotate.setting_up import StudyTerms

    names = [each.strip() for each in raters.split(",")]
    terms = StudyTerms(
        questions or (),
        names,
        per_item,
        seed,
        mask or (),
        second_look,
        limit,
        tasks,
        columns or UNSAID,
        drawn,
    )
    languages = dict(each.rpartition("=")[::2] for each in language or ())
    door = Door(host, port, behind, new_keys, languages)
    asyncio.run(work(source, study, terms, door, partial(_tell_addresses, study)))


def _tell_addresses(
    study: Path, entrance: str, keys: Mapping[str, str], telling: Mapping[str, int]
) -> None:
    """Say who enters where, and what might tell whose reports are: see `serving.serve`."""
    if telling:
        shown = ", ".join(f"{word} ({count})" for word, count in [*telling.items()][:8])
        note(f"Not masked, and in reports: {shown}. What tells whose they are: --mask WORD.")
    for name, key in keys.items():
        show(f"{name or 'leader'}: {entrance}#{key}")
    if not keys:
        note(
            f"The keys of before hold: an address is {entrance}#KEY, with what stands behind the # "
            "of the one given before. --new-keys gives others."
        )
    note(f"Everything is kept in {study}; stop it with Ctrl-C")


@app.command()
@listed(
    "deepassay annotate draw build/rubrics.assay --questions rubrics --limit 8 --within 0.1 -o "
    "build/draw.json",
    "deepassay annotate serve build/rubrics.assay --questions rubrics --drawn build/draw.json "
    "--raters ana --study build/labels.assay",
)
def draw(
    run: Annotated[Path, typer.Argument(help="A run file.")],
    *,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The file of the draw; if there, a further round."),
    ],
    questions: Annotated[str | None, typer.Option(help="A protocol that decides on items.")] = None,
    human: Annotated[
        list[Path] | None, typer.Option(help="What people said so far, as CSV; may be repeated.")
    ] = None,
    between: Annotated[
        str | None, typer.Option(help="Two agents, with a comma; else the two that are ahead.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="About so many labels more.")] = 60,
    within: Annotated[
        float | None,
        typer.Option(min=0.001, help="Stop at an interval of so much each way.  [.05]"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, hidden=True, help="Of the first round.")
    ] = None,
    force: Force = False,
) -> None:
    """Draw the verdicts that make a comparison sure by few labels. Nothing is asked."""
    from deepassay.run.showing.output import check_output, write_output
    from deepassay.wings.people.annotate.drawing import DrawFile, DrawTerms, draw_next

    there = output.exists() and not force
    before = DrawFile.of_file(output) if there else None
    check_output(output, [run], force=True)
    pair = _pair(between) if between else None
    found = draw_next(run, human or (), before, DrawTerms(questions, pair, limit, within, seed))
    for line in found.lines():
        show(line)
    if not found.done:
        write_output(output, found.file.to_json(), [run], force=True)
        note(f"Wrote {output}: round {found.file.rounds}, {found.drawn} verdicts to ask people.")


def _pair(between: str) -> tuple[str, str]:
    from deepassay.errors import BadSetting

    one, _, other = (each.strip() for each in between.partition(","))
    if not one or not other or "," in other:
        raise BadSetting(f"--between {between}: that is not two agents.", "Write heron,magpie.")
    return one, other


@app.command()
@listed(
    "deepassay annotate status",
)
def status(study: StudyFile = STUDY) -> None:
    """Say how far each rater is. How far they agree is for the leader's page."""
    from deepassay.runfile import RunFile
    from deepassay.wings.people.annotate.book import StudyBook

    with RunFile.read(_there(study)) as run:
        for rater, place, seconds in StudyBook(run).progress():
            pace = "" if seconds is None else f", {seconds:.0f} s an item"
            show(f"{rater}: {place.done} of {place.total}{pace}")


@app.command()
@listed(
    "deepassay annotate export > people.csv",
)
def export(
    study: StudyFile = STUDY,
    *,
    format: Annotated[
        Literal["csv", "spans", "pairs", "preferences", "label-studio"], typer.Option()
    ] = "csv",
    question: Annotated[
        str | None, typer.Option(help="Of pairs, which question; needed where there are several.")
    ] = None,
) -> None:
    """Print what was said, for other commands.

    csv is for `agree --human`, spans (what was marked) for `agree spans`, pairs (JSON) and
    preferences (of the second look) for `agree preferences`, and label-studio is JSON that Label
    Studio imports.
    """
    from deepassay.errors import BadSetting
    from deepassay.results.tables import several
    from deepassay.runfile import RunFile
    from deepassay.wings.people.annotate.book import StudyBook
    from deepassay.wings.people.annotate.exchange import (
        as_decisions,
        as_pairs,
        as_preferences,
        as_spans,
    )
    from deepassay.wings.people.annotate.label_studio import CONFIGURATION, as_label_studio

    if question is not None and format != "pairs":
        raise BadSetting("--question goes with --format pairs.", "Leave it out.")
    written: dict[str, Callable[[StudyBook], str]] = {
        "csv": as_decisions,
        "spans": as_spans,
        "pairs": lambda book: as_pairs(book, question),
        "preferences": as_preferences,
        "label-studio": as_label_studio,
    }
    with RunFile.read(_there(study)) as run:
        book = StudyBook(run)
        hand_over(written[format](book))
        nobody = format != "label-studio" and not any(p.done for _, p, _ in book.progress())
        marked = sum(len(own) for e in book.latest().values() for own in e.spans.values())
        outdated = book.outdated_looks
    if format == "label-studio":
        note(f"Configure the project with:\n{CONFIGURATION}")
    if format == "csv" and marked:
        note(f"Without {marked} marked spans, which --format spans has.")
    if format == "preferences" and outdated:
        note(
            f"Without {several(outdated, 'second look')} at answers that were changed since: while "
            "the study is served, raters are asked again."
        )
    if nobody:
        end_with_nothing(f"Nobody has answered in {study} yet: see `annotate status`.")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="An export of Label Studio, JSON.")],
    study: StudyFile = STUDY,
    *,
    rater: Annotated[
        list[str] | None,
        typer.Option(metavar="ID=NAME", help="Who a user of Label Studio is here; repeatable."),
    ] = None,
) -> None:
    """Take answers that were given in Label Studio into the study.

    What the study has already is passed over, so that the same file may be taken again.
    """
    import asyncio

    from deepassay.errors import BadSetting
    from deepassay.runfile import RunFile
    from deepassay.wings.people.annotate.book import StudyBook
    from deepassay.wings.people.annotate.label_studio import read_label_studio

    known = dict(each.rpartition("=")[::2] for each in rater or ())
    if wrong := next((each for each in rater or () if "=" not in each), None):
        raise BadSetting(f"--rater {wrong}: says not who that is.", "Give ID=NAME, as 4=ana.")

    async def keep() -> None:
        for each in found.fresh:
            await book.keep(each)

    with RunFile.create(_there(study)) as run:
        book = StudyBook(run)
        found = read_label_studio(file, book, known)
        asyncio.run(keep())
    note(f"{study}: {len(found.fresh)} taken, {found.known} were there already.")
    if not found.fresh and not found.known:
        end_with_nothing(f"{file} has no answer to an item of {study}. Is it of this study?")
    if found.partial:
        note(f"{found.partial} left out: of these not all questions are answered.")
