"""The main program of a worker process: a document comes in on stdin, Markdown goes out.

Arguments: `pdf`, `docx`, `html` or `htm`, and the processor time it may take, in seconds. Reply: a
JSON object {"text"} or {"problem", "remedy"}.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress

from deepassay.limits import limit_process, limit_processor_time
from deepassay.reports.documents.convert import RefusedDocument


def main() -> None:
    """Convert the document that comes by stdin, and write what became of it to stdout as JSON."""
    kind, seconds = sys.argv[1], int(sys.argv[2])
    # A stray print of a parser must not get into the reply.
    reply = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    limit_process()
    limit_processor_time(seconds)
    try:
        outcome = {"text": _markdown(kind, sys.stdin.buffer.read())}
    except RefusedDocument as refusal:
        outcome = vars(refusal)
    except MemoryError:
        outcome = {"problem": "it needs more memory than it may.", "remedy": ""}
    except RecursionError:
        outcome = {"problem": "its parts are nested too deep in each other.", "remedy": ""}
    except Exception as error:  # of whichever parser
        outcome = {"problem": f"it cannot be converted ({type(error).__name__}).", "remedy": ""}
    with suppress(BrokenPipeError), reply:
        # Half a pair of surrogates, which a broken font may name, is no text.
        json.dump(outcome, reply, ensure_ascii=True)


def _markdown(kind: str, body: bytes) -> str:
    # Only now, under the limits.
    if kind == "pdf":
        from deepassay.reports.documents.pdf import pdf_markdown

        return pdf_markdown(body)
    if kind in ("html", "htm"):
        from deepassay.reports.documents.html import html_markdown

        return html_markdown(body)
    from deepassay.reports.documents.word import word_markdown

    return word_markdown(body)


if __name__ == "__main__":
    main()
