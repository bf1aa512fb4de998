"""What the records of an export are called, for those who write and those who read them."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from typing import Final

from deepassay.runfile.rows import Capture

SOFTWARE: Final = "DeepAssay captures, format 1"
"""In the `warcinfo` of an export, which then ends with a count."""

CAPTURE_MEDIA: Final = "application/vnd.deepassay.capture+json"
COUNT_MEDIA: Final = "application/vnd.deepassay.count+json"
TEXT_MEDIA: Final = "text/markdown; charset=utf-8"

NO_DATE: Final = "1970-01-01T00:00:00Z"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)


def record_id(*names: str) -> str:
    """The WARC-Record-ID of a part (metadata, request, body, text) of a capture."""
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ':'.join(('deepassay', *names)))}>"


def parts(capture: Capture) -> dict[str, bytes]:
    """The contents of a capture that have a record of their own: its body and its text."""
    found = {}
    if capture.body is not None:
        found["body"] = capture.body
    if capture.text is not None:
        # A text may have lone surrogates, and is to come back as it was.
        found["text"] = capture.text.encode("utf-8", "surrogatepass")
    return found


def warc_date(fetched: str) -> str:
    """A time as WARC has it, in UTC with a Z; NO_DATE for what is no time."""
    if _DATE.fullmatch(fetched):
        return fetched
    try:
        moment = datetime.fromisoformat(fetched)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment.tzinfo else NO_DATE
    except (ValueError, OverflowError):
        return NO_DATE
