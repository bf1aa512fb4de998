"""What came of a bundle, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from deepassay.results.wrapped_tables import COLUMNS, paragraphs
from deepassay.score import Json
from deepassay.wings.bundles.verifying import Verification


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
