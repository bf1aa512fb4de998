"""HTML to text: the main text in Markdown, tables kept; all visible text where there is none."""

from __future__ import annotations

import trafilatura
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree


def html_text(markup: str) -> str:
    """What a page says, in Markdown, or plain if no main text is found in it; may be empty.

    The time that trafilatura needs grows with the square of some hostile inputs (attributes,
    paragraphs side by side): call it only where a clock is set, as in `sources.worker`.
    """
    # As a str: given bytes it would unpack gzip without bounds, and ignore the charset served.
    # No `deduplicate`, which remembers earlier pages.
    found = trafilatura.extract(
        markup,
        output_format="markdown",
        include_tables=True,
        include_comments=False,
        include_links=False,
        favor_recall=True,
    )
    # Where it finds too little it gives all words of the page, tables too, on one line.
    if found and "\n" in found.strip():
        return found
    return extract_plain_text(markup, preserve_formatting=True, alt_texts=False) or found or ""


def html_title(markup: str) -> str:
    """The content of `<title>` on one line; empty if there is none."""
    return " ".join((HTMLTree.parse(markup).title or "").split())
