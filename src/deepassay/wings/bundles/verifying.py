"""A bundle held to what it claims: files, outcomes, figures, and what was promised.

What came of it is written for a person and as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from deepassay.errors import DeepAssayError
from deepassay.results.board_details import BoardDetails
from deepassay.results.leads import some
from deepassay.results.ranking import Board
from deepassay.results.tables import several
from deepassay.results.wrapped_tables import COLUMNS, paragraphs
from deepassay.run.showing.contents import metrics_of, samples_of
from deepassay.run.showing.replay import Replayed, replay
from deepassay.run.showing.yardsticks import protocol_for
from deepassay.runfile import RunFile
from deepassay.score import Json
from deepassay.wings.bundles.manifest import Figures, Manifest, boards_of, figures_of, unequal
from deepassay.wings.bundles.packing import Bundle, opened_bundle
from deepassay.wings.bundles.signing import Signer, signer_of


@dataclass(frozen=True)
class Verification:
    """What came of a bundle.

    signer: None if nobody signed it. promised: whether it holds a commitment. proved: what was
    shown, a sentence each. problems: what contradicts the bundle. left_out: what the submitter did
    not put in, or could not score: no contradiction, and to be known. figures: as computed here.
    boards: the rankings that these are from, whose rows are theirs, without what was beneath them.
    """

    manifest: Manifest
    signer: Signer | None
    promised: bool
    proved: tuple[str, ...]
    problems: tuple[str, ...]
    left_out: tuple[str, ...]
    figures: tuple[Figures, ...]
    boards: Sequence[Board]

    @property
    def holds(self) -> bool:
        """Whether nothing contradicts the bundle."""
        return not self.problems


def verify(path: Path, known: Path | None = None, published: str | None = None) -> Verification:
    """Hold a bundle to what it claims. Nothing is asked, nothing is fetched.

    known: a file of signers whose names may be trusted; where it is given, others are a problem.
    published: the digest of a commitment; where it is given, a bundle without it is a problem.
    Raises BadInput for what is no bundle.
    """
    with opened_bundle(path) as bundle:
        signer, problems = _signed(bundle, known)
        problems += bundle.damage
        if published is not None:
            problems += _unlike_published(bundle, published)
        proved: list[str] = []
        left: list[str] = []
        boards: Sequence[Board] = ()
        figures: tuple[Figures, ...] = ()
        try:
            with RunFile.read(bundle.run, to_verify=True) as run:
                replayed = replay(run)
                proved += replayed.lines()
                problems += _contradictions(replayed)
                if not replayed.verified.damage:
                    problems += _recipes(run)
                    left += _holes(run)
                    if replayed.reread.unread:
                        left.append(f"Not read again: {replayed.reread.told_unread}")
                    boards = boards_of(bundle.run)
                    figures = figures_of(boards)
                    differing = tuple(unequal(bundle.manifest.figures, figures))
                    problems += differing
                    same = len(figures) - len({each.partition(":")[0] for each in differing})
                    proved.append(f"{same} of {len(figures)} rows of figures come out as claimed.")
                    left += _unscored(figures)
                    if bundle.commitment is not None:
                        broken = tuple(bundle.commitment.broken(run))
                        problems += broken
                        if not broken:
                            proved.append(
                                "Tasks, protocols and judges are those promised on "
                                f"{bundle.commitment.made} (commitment {bundle.commitment.digest})."
                            )
        except DeepAssayError as error:
            problems.append(f"The run in it cannot be read as its version: {error.problem}")
        promised = bundle.commitment is not None
        return Verification(
            bundle.manifest,
            signer,
            promised,
            tuple(proved),
            tuple(problems),
            tuple(left),
            figures,
            [*map(_by_itself, boards)],
        )


def _by_itself(board: Board) -> Board:
    """A ranking that can be kept when the run is closed: it reads no judgement again."""
    rows = (
        replace(row, summary=replace(row.summary, parts={}, again=lambda: ()))
        for row in board.standings
    )
    return replace(board, standings=tuple(rows), beneath=BoardDetails())


def _signed(bundle: Bundle, known: Path | None) -> tuple[Signer | None, list[str]]:
    if bundle.signature is None:
        return None, ["Nobody signed it, and --signers asks for it."] if known else []
    signer = signer_of(bundle.text, bundle.signature, known)
    if signer is None:
        return None, ["Its signature is not of this manifest: something was changed afterwards."]
    if known is not None and signer.name is None:
        return signer, [f"It was signed by {signer}, whom {known} does not name."]
    return signer, []


def _unlike_published(bundle: Bundle, published: str) -> Iterator[str]:
    if bundle.commitment is None:
        yield f"It holds no commitment, and {published} was published."
    elif bundle.commitment.digest != published:
        yield f"Its commitment is {bundle.commitment.digest}, and {published} was published."


def _contradictions(replayed: Replayed) -> Iterator[str]:
    for damage in replayed.verified.damage:
        yield f"Damaged: {damage}"
    for which in (*replayed.different, *replayed.reread.different):
        yield f"Does not come out again: {which}"
    for metric, count in replayed.absent:
        yield f"Not computed: {count} outcomes of {metric.name}, which is not installed here."


def _recipes(run: RunFile) -> Iterator[str]:
    """Where the file says of a protocol or of the day what scores and protocols do not say."""
    named = run.protocols()
    own: dict[str, list[Json]] = {}
    for score in run.scores():
        known = own.setdefault(score.protocol, [])
        if score.identity not in known:
            known.append(score.identity)
    for name, identities in own.items():
        kept = named.get(name, {})
        unlike = {
            key for each in identities for key in {*each, *kept} if each.get(key) != kept.get(key)
        }
        if unlike:
            yield f"{name}: the file names another recipe than its scores: {some(sorted(unlike))}."
        if {each.get("date") for each in identities} != {run.configuration.get("date")}:
            yield f"{name}: the file names another day than its scores."
    for name, metric in metrics_of(run).items():
        protocol = protocol_for(metric)
        if protocol is not None and protocol.describe().bounds != metric.bounds:
            yield f"{name}: the file names another range of scores than the protocol has."


def _holes(run: RunFile) -> Iterator[str]:
    """Reports that agents have for some tasks and not for all; questions without an answer."""
    tasks = [task for task, _ in run.tasks()]
    samples = samples_of(run)
    held: dict[str, set[str]] = {agent: set() for agent in sorted(samples.agents)}
    for agent, task in samples.written:
        held[agent].add(task)
    for agent, own in held.items():
        if lacking := [task for task in tasks if task not in own]:
            yield f"{agent} has no report for {several(len(lacking), 'task')}: {some(lacking)}."
    if waiting := len(run.batching.open()):
        yield f"{several(waiting, 'set')} of questions in a batch did not come back."


def _unscored(figures: Sequence[Figures]) -> Iterator[str]:
    for each in figures:
        causes = ", ".join(f"{cause} {count}" for cause, count in each.unscored.items())
        if causes:
            yield f"{each.agent} by {each.protocol}: unscored {causes}."
        missing = each.expected - each.scored - sum(each.unscored.values())
        if missing > 0:
            yield f"{each.agent} by {each.protocol}: {several(missing, 'judgement')} not made."


def as_text(found: Verification, path: Path) -> str:
    """What was shown and what was left out; problems are told apart from it, by who calls."""
    blocks = [paragraphs([*_opening(found, path)], COLUMNS), paragraphs(found.proved, COLUMNS)]
    if found.left_out:
        blocks.append("Left out\n" + paragraphs([f"- {each}" for each in found.left_out], COLUMNS))
    return "\n\n".join(filter(None, blocks))


def _opening(found: Verification, path: Path) -> Iterator[str]:
    held = "holds" if found.holds else "does not hold"
    yield f"{path} ({found.manifest.title}) {held}."
    if found.manifest.note:
        yield f"The submitter says: {found.manifest.note}"
    if found.signer is None:
        yield "Nobody signed it: who made it, and whether all of it was made anew, is not known."
    elif found.signer.name:
        yield f"Signed by {found.signer}."
    else:
        yield f"Signed by the key {found.signer}; whose it is, a file given with --signers says."
    if not found.promised:
        yield "Tasks, protocols and judges were not promised before the run (see `commit`)."
    theirs, ours = found.manifest.environment.get("deepassay"), metadata.version("deepassay")
    if theirs != ours:
        yield f"Made with DeepAssay {theirs}, checked with {ours}."


def as_record(found: Verification) -> Json:
    """A verification as JSON, problems included."""
    signer = found.signer
    return {
        "holds": found.holds,
        "title": found.manifest.title,
        "note": found.manifest.note,
        "environment": found.manifest.environment,
        "commitment": found.manifest.commitment,
        "signer": {"key": signer.key, "name": signer.name} if signer else None,
        "proved": list(found.proved),
        "problems": list(found.problems),
        "left_out": list(found.left_out),
        "figures": [each.model_dump(mode="json") for each in found.figures],
    }
