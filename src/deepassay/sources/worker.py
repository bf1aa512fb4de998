"""The main program of a worker process: bodies come in on stdin, texts go out on stdout.

Request: two lengths (big-endian, 32 bits), a JSON object {"media", "url"}, the body.
Reply: a length, a JSON object {"text", "title", "said"} or {"failure", "detail"}. An empty reply
says that the worker is ready. Its argument: the processor time that a page may take, in seconds.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from typing import BinaryIO

from deepassay.limits import limit_process, limit_processor_time

OPEN_FILES = 64


def main() -> None:
    """Read pages that come by stdin, one after the other, and answer each until stdin ends."""
    # A stray print of a parser must not get among the replies.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    limit_process(open_files=OPEN_FILES)
    seconds = int(sys.argv[1])
    # Only now, under the limits.
    import deepassay.sources.document  # noqa: F401

    _reply(replies, b"")
    while request := _request(sys.stdin.buffer):
        limit_processor_time(seconds)
        _reply(replies, page_reply(*request))
        del request


def page_reply(about: dict[str, str], body: bytes) -> bytes:
    """What a page comes to, as a reply has it."""
    from deepassay.sources import document

    try:
        outcome = vars(document.text_of_page(body, **about))
    except MemoryError:
        outcome = {"failure": "too_large", "detail": "The page needs more memory than it may."}
    except Exception as error:  # of whichever parser: it costs this page only
        detail = f"The page cannot be read ({type(error).__name__})."
        outcome = {"failure": "not_text", "detail": detail}
    return json.dumps(outcome, ensure_ascii=False).encode()


def _request(stream: BinaryIO) -> tuple[dict[str, str], bytes] | None:
    lengths = stream.read(8)
    if len(lengths) < 8:
        return None
    about, body = struct.unpack(">II", lengths)
    return json.loads(stream.read(about)), stream.read(body)


def _reply(stream: BinaryIO, content: bytes) -> None:
    stream.write(struct.pack(">I", len(content)) + content)
    stream.flush()


if __name__ == "__main__":
    main()
