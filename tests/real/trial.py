"""One published agent answers one task in a network that has loopback and nothing else.

    python -m tests.real.trial AGENT RUN_FILE

starts the scripted model, and `deepassay research --sandbox` on the bundled corpus. Standard output
says what the model was asked, as JSON.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import socket
import struct
import subprocess
import sys
from pathlib import Path

from deepassay.wings.research.search.corpus import open_corpus
from tests.real.scripted import Scripted

HERE = Path(__file__).resolve().parent.parent.parent
DEMO = HERE / "examples" / "demo" / "research"
QUERIES = (
    "share of car journeys replaced by on-call buses in the Marle valley in 2024",
    "what a ride with the on-call buses costs the council of the Marle valley",
    "how long riders of the on-call buses wait and who is left behind",
)
_SENTENCE = re.compile(r"[^.!?\n]{30,400}[.!?](?=\s|\Z)")


async def pages() -> dict[str, list[str]]:
    """The sentences of each page of the bundled corpus."""
    async with open_corpus(DEMO / "corpus") as corpus:
        return {
            url: [" ".join(each.split()) for each in _SENTENCE.findall(page.text)]
            for url, page in corpus.pages.items()
        }


def raise_loopback() -> None:
    """Switch on 127.0.0.1, which a new network namespace has switched off."""
    with socket.socket() as any_socket:
        name = struct.pack("16sh", b"lo", 0)
        (flags,) = struct.unpack_from("16xh", fcntl.ioctl(any_socket, 0x8913, name))
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", flags | 1))


def main() -> int:
    agent, run = sys.argv[1:]
    if "ISOLATED" in os.environ:
        raise_loopback()
    with Scripted(asyncio.run(pages()), QUERIES).server() as server:
        told = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "key-of-the-trial"}
        done = subprocess.run(
            [
                *(sys.executable, "-m", "deepassay", "--config", "examples/agents/assay.toml"),
                *("research", str(DEMO / "tasks.jsonl"), "--limit", "1", "--run", run),
                *("--agent", agent, "--sandbox", str(DEMO / "corpus"), "--date", "2026-05-04"),
            ],
            cwd=HERE,
            env={**os.environ, **told},
            check=False,
        )
        asked = [each.path.partition("/v1/")[2] for each in server.requests]
    print(
        json.dumps(
            {"chat": asked.count("chat/completions"), "embeddings": asked.count("embeddings")}
        )
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
