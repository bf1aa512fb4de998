"""A process that has everything loaded and forks a run for every line it is given.

Starting Python and loading the client library takes a second and more; a fork takes none. Input: a
line of JSON with the arguments of `evaluate`, or with the `words` of a command and what else
`command` takes. Output: the pid of the fork, then its exit status. Arguments: modules to load too.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

# Loaded before the fork, so that the forks need not.
import aiohttp  # noqa: F401
import genai_prices.data  # noqa: F401
import numpy.random  # noqa: F401
import openai.resources.chat
import openai.types.chat  # noqa: F401
import pydantic_ai.models.openai
import pydantic_ai.providers.openai  # noqa: F401

from deepassay import cli
from deepassay.cli import app
from deepassay.models.batches import batchers, interfaces  # noqa: F401
from deepassay.models.batches.interface import Pacing
from deepassay.plugins import Kind, plugins
from deepassay.protocols.registry import PROTOCOLS, parse
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.settings import Settings
from deepassay.wings.research.adapters import service
from tests.preloaded import built, take_large_pages
from tests.run.moments import die_at

for name in sys.argv[1:]:
    import_module(name)
for name in PROTOCOLS:
    parse(name)
for kind in get_args(Kind):
    plugins(kind)
for name in plugins("agents"):
    plugins("agents")[name][0].load()
app.app = built()
gc.freeze()
take_large_pages()


def command(
    words: list[str], folder: str, dies_at: int, after: str, patience: float, pacing: list[float]
) -> int:
    """`deepassay WORDS` in a folder; its exit status.

    dies_at, after: see `tests.run.moments`. patience: seconds for a request of a job. pacing: of
    batches, if not the usual one. In the folder, `said` has what it printed, and `moments` those of
    `tests.run.moments`.
    """
    os.chdir(folder)
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    with Path("said").open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    service.SHORTEST_WAIT, service.SECONDS = 0.0, patience
    batchers.PACING = Pacing(*pacing)  # type: ignore[misc]
    sys.argv = ["deepassay", *words]
    die_at(dies_at, Path("moments"), after)
    try:
        cli.main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


def evaluated(tasks: str, reports: str | list[str], **options: Any) -> int:
    """An evaluation with these settings; whether something is left."""
    return min(1, evaluate(tasks, reports, Settings(**options)).tally.left)


def main() -> None:
    for line in sys.stdin:
        given = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(command(**given) if "words" in given else evaluated(**given))
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
