"""What a run file that holds a part of its shards says of itself."""

from __future__ import annotations

import warnings

from deepassay.errors import Notice
from deepassay.runfile import RunFile


def tell_of_missing_shards(run: RunFile) -> None:
    """Say that a file holds a part of its run alone: its tasks look like all that there are."""
    for command, parts in run.parts().items():
        if parts.missing:
            from deepassay.results.joined import SHOWN

            shown = ", ".join(parts.missing[:SHOWN]) + (" …" if len(parts.missing) > SHOWN else "")
            warnings.warn(
                Notice(
                    f"{run.path} holds {len(parts.numbers)} of {parts.count} shards of "
                    f"`{command}`; not {shown}: what is said of it is of its own tasks alone."
                ),
                stacklevel=2,
            )
