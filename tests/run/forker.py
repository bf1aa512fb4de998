"""A process that has everything loaded and forks a run for every line it is given.

Starting Python and loading the client library takes a second and more; a fork takes none. Input:
a line with the arguments of `evaluate` as JSON. Output: the pid of the fork, then its exit status.
"""

from __future__ import annotations

import json
import os
import sys

# Loaded before the fork, so that the forks need not.
import aiohttp  # noqa: F401
import genai_prices.data  # noqa: F401
import numpy.random  # noqa: F401
import openai.resources.chat
import openai.types.chat  # noqa: F401
import pydantic_ai.models.openai
import pydantic_ai.providers.openai  # noqa: F401

import deepassay.models.chat
import deepassay.models.direct  # noqa: F401
from deepassay.protocols.registry import PROTOCOLS, parse
from deepassay.run.evaluate import evaluate
from deepassay.run.settings import Settings

for name in PROTOCOLS:
    parse(name)


def main() -> None:
    for line in sys.stdin:
        options = json.loads(line)
        tasks, reports = options.pop("tasks"), options.pop("reports")
        settings = Settings(**options)
        child = os.fork()
        if child == 0:
            summary = evaluate(tasks, reports, settings)
            os._exit(0 if summary.tally.left == 0 else 1)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
