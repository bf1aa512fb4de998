"""What `figures` draws of run files and of scores that others published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from deepassay.errors import BadSetting
from deepassay.results.figures.figure import Figure, Material, Omitted
from deepassay.results.figures.making import kinds, make_figures
from deepassay.results.figures.rendering import as_svg, picture
from deepassay.results.judge_evidence import JudgeEvidence
from deepassay.results.ranking import rank
from deepassay.run.showing.boards import agents_of_runs, sorted_out
from deepassay.run.showing.lengths import measured_runs
from deepassay.run.showing.output import check_output, fresh_output
from deepassay.run.showing.profiles import read_profiles
from deepassay.run.showing.reading import RunRecords


@dataclass
class WrittenFigures:
    """What a folder of figures came to. lacking: characters that no font drew in pixels."""

    files: list[tuple[Path, Figure]] = field(default_factory=list)
    omitted: list[Omitted] = field(default_factory=list)
    lacking: set[str] = field(default_factory=set)

    def lines(self, *, verbose: bool = False) -> Iterator[str]:
        """What was drawn, a line each, and how many figures were not.

        verbose: with captions, and a line for each that was not drawn.
        """
        for path, figure in self.files:
            yield f"{path}: {figure.title}" + (f". {figure.caption}" if verbose else "")
        if verbose:
            yield from (f"{each.name}: not drawn, {each.why}" for each in self.omitted)
        elif self.omitted:
            ((why, most),) = Counter(each.why for each in self.omitted).most_common(1)
            yield f"Not drawn: {len(self.omitted)}, {most} of them: {why}. --verbose names each."


def material(
    paths: Sequence[Path],
    by: str | None = None,
    agents: Path | None = None,
    on_judge: Mapping[JudgeEvidence, Path] | None = None,
    *,
    allow_mixed: bool = False,
    judged_by: Sequence[str] = (),
) -> Material:
    """What run files, and published rows in files that end in `.jsonl`, hold for figures.

    by: a label of tasks. agents: a file of families. on_judge: files on the judge of these scores.
    judged_by: see `scores_of`. Raises BadInput as a leaderboard does.
    """
    runs, published = sorted_out(paths, judged_by)
    records = RunRecords(runs, published)
    boards = rank(records, by=by, allow_mixed=allow_mixed)
    for kind, file in (on_judge or {}).items():
        boards = kind.beside(boards, records, file)
    return Material(
        records.everything(),
        boards,
        by,
        read_profiles(agents) if agents else {},
        measured_runs([path for path in paths if path.suffix.lower() != ".jsonl"]).reports,
        agents_of_runs(runs),
    )


def write_figures(
    what: Material,
    folder: Path,
    formats: Collection[str],
    runs: Sequence[Path],
    *,
    only: Collection[str] = (),
    force: bool = False,
    captioned: bool = True,
) -> WrittenFigures:
    """Write a file for every figure and format, each whole or not at all.

    captioned: whether captions are drawn, for those who set their own.
    Raises BadSetting before anything is written if a file is there already (unless `force`).
    """
    if folder.exists() and not folder.is_dir():
        raise BadSetting(f"{folder} is not a folder.", "Name another one with -o.")
    if not kinds():
        raise BadSetting(
            "Nothing that is installed draws figures.",
            "Ours come with the wing `papers`; others register theirs as deepassay.pictures.",
        )
    made = make_figures(what, only)
    written = WrittenFigures(omitted=[each for each in made if isinstance(each, Omitted)])
    written.files = [
        (folder / f"{each.name}.{suffix}", replace(each, captioned=captioned))
        for each in made
        if isinstance(each, Figure)
        for suffix in ("svg", "png")
        if suffix in formats
    ]
    for path, _ in written.files:
        check_output(path, runs, force=force)
    for path, figure in written.files:
        data = _drawn(figure, path.suffix, written.lacking)
        with fresh_output(path) as fresh:
            fresh.write_bytes(data)
    return written


def rendered(figure: Figure) -> tuple[str, bytes]:
    """A figure as SVG and as PNG. Raises MissingExtra without matplotlib."""
    return as_svg(figure), picture(figure).png


def _drawn(figure: Figure, suffix: str, lacking: set[str]) -> bytes:
    if suffix == ".svg":
        return as_svg(figure).encode()
    drawn = picture(figure)
    lacking.update(drawn.lacking)
    return drawn.png
