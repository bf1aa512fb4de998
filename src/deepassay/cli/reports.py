"""`lint`, `clean`, `statements`, `convert`: one report or many, and no model."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deepassay.cli.help import listed, reads_file
from deepassay.cli.options import SaidOfColumns
from deepassay.cli.terminal import complain, end_with_nothing, hand_over, note, show
from deepassay.errors import BadReports
from deepassay.files import as_json_lines
from deepassay.intake.columns import NamedColumns

if TYPE_CHECKING:
    from deepassay.cli.assay_toml import FileSettings
    from deepassay.reports.finding import Finding, Rule
    from deepassay.reports.references import Resolved
    from deepassay.reports.report import Report
    from deepassay.score import ReportKey

_ONLY_MARKDOWN = "only Markdown is repaired, and the file was left as it was."
LintFormat = Literal["text", "json", "sarif"]
PaperFile = Annotated[
    Path | None,
    typer.Option(help="Titles of papers by DOI or arXiv number: say which entries differ."),
]
AskCrossref = Annotated[
    bool,
    typer.Option("--crossref", help="Ask Crossref, and DataCite for arXiv, for these titles."),
]
KeptAnswers = Annotated[Path, typer.Option(help="With --crossref: where answers are kept.")]


@listed(
    "deepassay lint examples/demo/reports/magpie/open-library.md",
    "deepassay lint --rule DA205",
    group="reports",
)
@reads_file()
def lint(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Reports, or folders of reports.")
    ] = None,
    format: Annotated[LintFormat, typer.Option(help="How to write findings.")] = "text",
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair what is safe, in the files themselves.")
    ] = False,
    select: Annotated[
        list[str] | None, typer.Option(help="Only rules of this code or prefix; may be repeated.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="No rules of this code or prefix; may be repeated.")
    ] = None,
    columns: SaidOfColumns = None,
    rule: Annotated[
        str | None, typer.Option(help="Only say what this rule finds and why, e.g. DA205.")
    ] = None,
    papers: PaperFile = None,
    crossref: AskCrossref = False,
    snapshots: KeptAnswers = Path("papers.assay"),
) -> None:
    """Find defects of citations, tables and the like in reports."""
    if rule is not None:
        from deepassay.reports.lint import explain_rule

        show(explain_rule(rule))
        return
    if not paths:
        raise BadReports("There is nothing to lint.", "Name reports, or folders of reports.")
    from deepassay.reports import lint as linter
    from deepassay.reports.files import LAYOUTS

    rules = _rules(context.obj, select, ignore)
    errors: list[BadReports] = []
    found: list[Finding] = []
    places: Counter[str] = Counter()
    repairable: set[str] = set()
    said = columns or NamedColumns()
    looked_up = _PaperTitles(papers, snapshots if crossref else None)
    for report in _read(paths, said, rules if fix else (), errors, repairable):
        places[report.path or ""] += 1
        found += linter.lint(report, (*rules, *looked_up.rules(report)))
    said.refuse_unmet()
    looked_up.tell()
    if not (places or errors):
        raise BadReports("None of the files in what is named holds a report.", LAYOUTS)
    read, shared = places.total(), {path for path, number in places.items() if number > 1}
    writers: dict[str, Callable[[Sequence[Finding]], str]] = {
        "text": partial(linter.as_text, reports=read, shared=shared, repairable=repairable),
        "json": partial(linter.as_json, repairable=repairable),
        "sarif": linter.as_sarif,
    }
    if read or not errors:
        hand_over(writers[format](found))
    fails = any(each.rule.level == "warning" for each in found)
    raise typer.Exit(BadReports.exit_status if errors else 1 if fails else 0)


class _PaperTitles:
    """The titles of papers, as far as the user wants them looked up: in a file, at registries."""

    def __init__(self, file: Path | None, snapshots: Path | None) -> None:
        self._wanted, self._snapshots = file is not None or snapshots is not None, snapshots
        self._titles: dict[str, str | None] = {}
        self._named: set[str] = set()
        if file is not None:
            from deepassay.run.asking.papers import titles_of_file

            self._titles.update(titles_of_file(file))

    def rules(self, report: Report) -> Iterator[Rule]:
        """The rule that holds a report against them, where that is wanted."""
        if not self._wanted:
            return
        from deepassay.reports.papers import contradicted_by, named_papers

        named = {paper.identifier for paper in named_papers(report)}
        self._named |= named
        if self._snapshots is not None and (missing := sorted(named - self._titles.keys())):
            from deepassay.run.asking.papers import registered_titles

            self._titles.update(registered_titles(missing, self._snapshots))
        yield contradicted_by({each: title for each, title in self._titles.items() if title})

    def tell(self) -> None:
        """Of how many of the papers that are named a title was there."""
        if self._wanted:
            known = sum(self._titles.get(each) is not None for each in self._named)
            note(f"deepassay: of {len(self._named)} papers that are named, {known} have a title")


def _read(
    paths: Sequence[Path],
    said: NamedColumns,
    repairing: Sequence[Rule],
    errors: list[BadReports],
    repairable: set[str],
) -> Iterator[Report]:
    """The reports that can be read, after repairs of what some rules find.

    repairable: gets the paths of those that may be repaired, and were not yet.
    Of addresses that are no sources to the reader a line is told.
    """
    from deepassay.reports.files import NoAnswer
    from deepassay.reports.looking import is_markdown, looked_at, read_together, report_files
    from deepassay.reports.unread_addresses import count_addresses

    tell = partial(_tell, errors)
    files = [*report_files(paths, tell)]
    at_once = read_together(files, tell)
    places: dict[tuple[ReportKey, str], str] = {}
    for path in files:
        try:
            found = at_once[path] if path in at_once else looked_at(path, said, path in paths)
            reports = _first_ones(found, path, places)
        except NoAnswer as error:
            if path in paths:
                tell(error)
            else:
                note(f"deepassay: {error.problem} It is left out.")
            continue
        except BadReports as error:
            tell(error)
            continue
        if repairing:
            reports = _repaired(reports, path, repairing, errors)
        elif is_markdown(path):
            repairable.update(each.path or "" for each in reports)
        for read in reports:
            if (count := count_addresses(read)).unread:
                note(f"{read.path}: {count}")
            yield read


def _first_ones(
    found: Iterable[Report], path: Path, places: dict[tuple[ReportKey, str], str]
) -> list[Report]:
    """The reports of a file, each with its place, without copies of rows of others, as in a file of
    another stage. places: where each stood first; gets those of this file.
    """
    from deepassay.reports.faults import tell_of_copies
    from deepassay.score import report_key

    kept: list[Report] = []
    again: list[str] = []
    for each in found:
        place = each.path or str(path)
        known = places.setdefault((report_key(each), each.digest), place) if each.agent else place
        if known == place:
            kept.append(replace(each, path=_shown(place)))
        else:
            again.append(f"{place}, as {known}")
    tell_of_copies(again)
    return kept


def _rules(
    file: FileSettings, select: list[str] | None, ignore: list[str] | None
) -> tuple[Rule, ...]:
    """The rules that are typed, else those of the file, without what is typed to be ignored."""
    from deepassay.reports.rules import rules_chosen

    if select:
        return rules_chosen(select, ignore or (), file.lint.rules)
    return rules_chosen(file.lint.select, (*file.lint.ignore, *(ignore or ())), file.lint.rules)


def _tell(errors: list[BadReports], error: BadReports) -> None:
    """Note what is wrong with one file; the others are read all the same."""
    errors.append(error)
    complain(f"deepassay: {error}")


def _shown(path: str) -> str:
    """A path for messages: what is not UTF-8 in it can neither be printed nor be JSON."""
    return os.fsencode(path).decode("utf-8", "replace")


def _repaired(
    reports: list[Report], path: Path, rules: Sequence[Rule], errors: list[BadReports]
) -> list[Report]:
    """The reports of a file after their safe repairs, which are written to it and told."""
    from deepassay.reports.files import write_text
    from deepassay.reports.fix import fix
    from deepassay.reports.looking import is_markdown

    fixes = [(each, fix(each, rules)) for each in reports]
    markdown = is_markdown(path)
    try:
        if any(own.text != each.text for each, own in fixes):
            if not markdown:
                raise _no_markdown(path)
            write_text(path, "".join(own.text for _, own in fixes))
    except BadReports as error:
        _tell(errors, error)
        return reports
    for each, own in fixes:
        by_form = own.by_form and not markdown  # which is the converter's, and not the writer's
        for line in (*own.applied, *(own.left[:-1] if by_form else own.left)):
            note(f"{each.path}: {line}")
    if not markdown and any(own.by_form for _, own in fixes):
        note(f"{_shown(str(path))}: {_ONLY_MARKDOWN}")
    return [replace(each, text=own.text) for each, own in fixes]


def _no_markdown(path: Path) -> BadReports:
    """What to say where something in a file might be repaired, if it were Markdown."""
    from deepassay.reports.files import CONVERTED, ending_of
    from deepassay.reports.loaders import readers

    return BadReports(
        f"{_shown(str(path))}: {_ONLY_MARKDOWN}",
        "Convert it first: deepassay convert FILE -o FOLDER"
        if ending_of(path, CONVERTED | readers().keys())
        else "Write each of its reports into a Markdown file of its own.",
    )


@listed(
    "deepassay clean examples/demo/reports/magpie/terrace-heat.md",
    "deepassay clean examples/demo/reports/heron/terrace-heat.md > terrace-heat.clean.md",
    group="reports",
)
def clean(
    file: Annotated[Path, typer.Argument(help="The report.")],
    columns: SaidOfColumns = None,
) -> None:
    """Write a report without citations and reference lists.

    Nothing else is changed.
    """
    from deepassay.reports.clean import clean as without_citations
    from deepassay.reports.looking import only_one

    text = without_citations(only_one(file, columns or NamedColumns()).text)
    hand_over(text)
    if not text.strip():
        end_with_nothing(f"{file}: without its citations and lists nothing is left of it.")


@listed(
    "deepassay statements examples/demo/reports/magpie/terrace-heat.md",
    "deepassay statements examples/demo/reports/heron/terrace-heat.md > statements.jsonl",
    group="reports",
)
def statements(
    file: Annotated[Path, typer.Argument(help="The report.")],
    columns: SaidOfColumns = None,
) -> None:
    """Write the statements of a report and their sources."""
    from deepassay.reports.looking import only_one
    from deepassay.reports.unread_addresses import count_addresses

    report = only_one(file, columns or NamedColumns())
    rows = [
        {
            "text": statement.text,
            "kind": statement.kind,
            "span": statement.span,
            "line": report.lines.place(statement.span.start)[0],
            "citations": [_citation(cited) for cited in statement.citations],
            "inherited": statement.inherited,
            "urls": statement.urls,
        }
        for statement in report.statements
    ]
    note(f"deepassay: {count_addresses(report)}")
    hand_over(as_json_lines(rows))
    if not rows:
        end_with_nothing(f"{file} has no statement: is it the report?")


@listed(
    "deepassay convert examples/demo/research/corpus/methods.html",
    "deepassay convert examples/demo/research/corpus -o converted",
    group="reports",
)
def convert(
    paths: Annotated[
        list[Path], typer.Argument(help="HTML, PDF, DOCX, JSON of providers; or folders.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder for AGENT/TASK.md.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files that are there and differ.")
    ] = False,
) -> None:
    """Write documents and answers of providers as Markdown."""
    from deepassay.reports.documents.folder import (
        documents_given,
        left_as_they_are,
        write_converted,
    )
    from deepassay.reports.files import refuse_inside
    from deepassay.reports.looking import converted

    errors: list[BadReports] = []
    tell = partial(_tell, errors)
    documents = documents_given(paths, tell)
    if output is not None:
        refuse_inside(paths, output)
        written = write_converted(documents, output, force, tell)
        note(f"Wrote {written} of {len(documents)} reports to {output}")
        _tell_of_left(left_as_they_are(paths, lambda _: None), output)
    elif len(documents) == 1:
        hand_over(converted(documents[0]).text)
        _tell_of_left(left_as_they_are(paths, lambda _: None), None)
    else:
        raise BadReports(
            f"{len(documents)} documents cannot be written to standard output.",
            "Name a folder with -o.",
        )
    if errors:
        raise typer.Exit(BadReports.exit_status)
    if not documents:
        end_with_nothing("There is no document here to convert: see `convert --help` for kinds.")


def _tell_of_left(files: Sequence[Path], output: Path | None) -> None:
    """Say which reports are not among those that were written, since they are read as they are.

    output: the folder that the others were written to, None for standard output.
    """
    from deepassay.results.tables import several
    from deepassay.text import first_few

    if files:
        folders = first_few([*dict.fromkeys(_shown(str(each.parent)) for each in files)], 4)
        one = len(files) == 1
        need, them = (
            ("needs no conversion and was", "it")
            if one
            else ("need no conversion and were", "them")
        )
        ending = f": name {them} beside {output} to evaluate all" if output else ""
        note(f"{several(len(files), 'file')} in {folders} {need} left there{ending}.")


def _citation(cited: Resolved) -> dict[str, object]:
    return {
        "raw": cited.citation.raw,
        "kind": type(cited.citation).__name__,
        "span": cited.citation.span,
        "keys": cited.citation.keys,
        "urls": cited.urls,
        "missing": dict(cited.missing),
    }
